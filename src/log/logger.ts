// The log of the daemon: one JSON object a line, or a sentence a line for people, with every secret removed.
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { LogConfig } from '../config/config.ts';
import type { Secret } from '../lib/secret.ts';
import { createMask } from './mask.ts';
import { escapeControls, printableLine } from './printable.ts';
import { type NameOf, sentenceOf } from './sentence.ts';

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

export interface LoggerOptions extends Pick<LogConfig, 'level' | 'format'> {
  readonly out: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly secrets: readonly Secret[];
  /** The account of a job, for its lines. Undefined or left out: lines name no account. */
  readonly accountOf?: (sync: string) => string | undefined;
  /** Of failures whose message says what to do: they are told without a stack. */
  readonly isExpected: (error: unknown) => boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** For the format `pretty`. Left out: no name is known, lines name rows and ids, and all are shown. */
  readonly people?: LinesForPeople;
}

export interface LinesForPeople {
  readonly nameOf: NameOf;
  /** By the message of a line. */
  readonly isShown: (message: string) => boolean;
}

/** Lines are written at once: none is lost when the process ends. */
export function createLogger({ level, format, out, secrets, now, people, accountOf, isExpected }: LoggerOptions): Log {
  const mask = createMask(secrets);
  // Texts of either side must not control the terminal. In JSON they keep their values; for people they are escaped
  // before colours are added.
  const write = { write: (line: string) => void out.write(escapeControls(mask(line))) };
  const destination =
    format === 'json'
      ? write
      : pretty.prettyFactory({
          colorize: out.isTTY ?? false,
          translateTime: 'SYS:HH:MM:ss',
          hideObject: true,
          messageFormat: (line) => sentenceOf(line, people?.nameOf ?? (() => undefined)),
        });
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: {
        level: (label) => ({ level: label }),
        log(fields) {
          const account = typeof fields['sync'] === 'string' ? accountOf?.(fields['sync']) : undefined;
          return account === undefined ? fields : { account, ...fields };
        },
      },
      serializers: {
        err: (error: Error) =>
          isExpected(error) ? { type: error.name, message: error.message } : pino.stdSerializers.err(error),
      },
      redact: { paths: [...secretKeys, ...secretKeys.map((key) => `*.${key}`)], censor: '[secret]' },
    },
    typeof destination === 'function'
      ? {
          write(line) {
            if (people && !people.isShown(messageOf(line))) return;
            out.write(mask(destination(printableLine(line))));
          },
        }
      : destination,
  );
}

function messageOf(line: string): string {
  const { msg } = JSON.parse(line) as { readonly msg?: unknown };
  return typeof msg === 'string' ? msg : '';
}

/** No code logs these fields; if any ever does, they are removed. */
const secretKeys = ['token', 'password', 'authorization', 'webhook_url', 'headers'];
