// The interface between a command and the process.
import type { Readable, Writable } from 'node:stream';
import type { AppWorld } from '../app-world.ts';
import type { ExitCode } from './exit-codes.ts';
import type { PagerProcess } from './pager-process.ts';

/** A person at a keyboard, with a screen. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** The process, for a command line. */
export interface ProcessWorld extends AppWorld {
  /** The name of the account of the process, under which decisions are recorded. */
  readonly account: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The same, with `.env` as it is now. Left out: nothing has changed. */
  readonly rereadEnv?: () => Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** The keyboard and the screen of a person; undefined: there is none, or the output goes into a file or a pipe. */
  readonly terminal?: () => Terminal | undefined;
  /** Aborts when the process is asked to end. */
  readonly stop: AbortSignal;
  /** What the process takes of the memory of the machine. Left out: a daemon returns none of it. */
  readonly memoryUsage?: () => NodeJS.MemoryUsage;
  /** Opens a file in the browser of the person. Undefined: there is none. */
  readonly openInBrowser?: (path: string) => Promise<void>;
  /** Calls the listener at each SIGHUP. Left out, or on a terminal: a hangup ends the process. */
  readonly onHangup?: (listener: () => void) => Disposable;
  /** Starts a pager on the terminal of the process. Undefined: text is never paged. */
  readonly startPager?: (command: string, env: ProcessWorld['env']) => PagerProcess;
  /** Makes the hash of a password of the console. Left out: by leadsheet's own cost. */
  readonly hashPassword?: (password: string) => Promise<string>;
}

/** The part of the process that commands use. `stdout` and `stderr` escape control characters (log/printable.ts). */
export interface CliWorld extends ProcessWorld {
  /** Standard output for the log of the daemon, which has its own colours and escapes. */
  readonly logOutput: Output;
  /** Aborts when the reader of standard output has seen enough: nothing that is written after that is shown. */
  readonly outputClosed: AbortSignal;
}

export interface Output {
  /** A promise resolves when the reader takes more. Short texts need not wait for it. */
  write(text: string): unknown;
  /** A person watches the output: lines may be rewritten. */
  readonly isTTY?: boolean;
  /** The size of the terminal. */
  readonly rows?: number;
  readonly columns?: number;
}

/** Sets the exit code of a finished command; without a call it is `done`. */
export type Finish = (code: ExitCode) => void;
