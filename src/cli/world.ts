// The interface between a command and the process.
import type { Readable, Writable } from 'node:stream';
import type { AppWorld } from '../app.ts';
import type { ExitCode } from './exit-codes.ts';

/** The process, for a command line. */
export interface ProcessWorld extends AppWorld {
  /** The name of the account of the process, under which decisions are recorded. */
  readonly account: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborts when the process is asked to end. */
  readonly stop: AbortSignal;
  /** The terminal at which a person is asked. Left out: input or output is no terminal. */
  readonly terminal?: { readonly input: Readable; readonly output: Writable };
}

/** The part of the process that commands use. `stdout` and `stderr` escape control characters (log/printable.ts). */
export interface CliWorld extends ProcessWorld {
  /** Standard output for the log of the daemon, which has its own colours and escapes. */
  readonly logOutput: Output;
}

export interface Output {
  write(text: string): unknown;
  /** A person watches the output: lines may be rewritten. */
  readonly isTTY?: boolean;
}

/** Sets the exit code of a finished command; without a call it is `done`. */
export type Finish = (code: ExitCode) => void;
