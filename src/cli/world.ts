import type { AppWorld } from '../app.ts';

/** What a command may touch of the process it runs in. */
export interface CliWorld extends AppWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborts when the process is asked to end. */
  readonly stop: AbortSignal;
}

interface Output {
  write(text: string): unknown;
  /** A person looks at it as it comes. */
  readonly isTTY?: boolean;
}
