import type { AppWorld } from '../app.ts';
import type { ExitCode } from './exit-codes.ts';

/** The process, as a command line sees it. */
export interface ProcessWorld extends AppWorld {
  /** Whose process this is: the name of the account, as decisions are recorded under. */
  readonly account: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborts when the process is asked to end. */
  readonly stop: AbortSignal;
}

/** What a command may touch of it: `stdout` and `stderr` print no control character of anybody's (log/printable.ts). */
export interface CliWorld extends ProcessWorld {
  /** Standard output for the log of the daemon, which has colours of its own and escapes by itself. */
  readonly logOutput: Output;
}

export interface Output {
  write(text: string): unknown;
  /** A person looks at it as it comes: lines may be rewritten. */
  readonly isTTY?: boolean;
}

/** How a command that came to its end says what it came to; without a word it is `done`. */
export type Finish = (code: ExitCode) => void;
