import type { AppWorld } from '../app.ts';
import type { ExitCode } from './exit-codes.ts';

/** What a command may touch of the process it runs in. */
export interface CliWorld extends AppWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborts when the process is asked to end. */
  readonly stop: AbortSignal;
}

export interface Output {
  write(text: string): unknown;
  /** A person looks at it as it comes: lines may be rewritten. */
  readonly isTTY?: boolean;
}

/** How a command that came to its end says what it came to; without a word it is `done`. */
export type Finish = (code: ExitCode) => void;
