// The log of the daemon: one JSON object a line, or lines for people, with every secret taken out.
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { LogConfig } from '../config/config.ts';
import type { Secret } from '../lib/secret.ts';
import { createMask } from './mask.ts';
import { escapeControls, printableLine } from './printable.ts';

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

export interface LoggerOptions extends Pick<LogConfig, 'level' | 'format'> {
  readonly out: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly secrets: readonly Secret[];
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Lines are written as they are logged: none is lost when the process ends. */
export function createLogger({ level, format, out, secrets, now }: LoggerOptions): Log {
  const mask = createMask(secrets);
  // Texts of either side move no cursor: in JSON they stay the same values, for people they are escaped before the colours.
  const write = { write: (line: string) => void out.write(escapeControls(mask(line))) };
  const destination =
    format === 'json'
      ? write
      : pretty.prettyFactory({ colorize: out.isTTY ?? false, singleLine: true, translateTime: 'SYS:HH:MM:ss' });
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...secretKeys, ...secretKeys.map((key) => `*.${key}`)], censor: '[secret]' },
    },
    typeof destination === 'function'
      ? { write: (line) => void out.write(mask(destination(printableLine(line)))) }
      : destination,
  );
}

/** Nothing logs these; should something some day, it does not show. */
const secretKeys = ['token', 'password', 'authorization', 'webhook_url', 'headers'];
