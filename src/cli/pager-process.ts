// Runs a pager as a process that shares the terminal: our text goes into it, its screen and its keys are the person's.
import { spawn } from 'node:child_process';

export interface PagerProcess {
  /** Resolves when it takes more. What is written after its end goes nowhere. */
  write(text: string): Promise<void>;
  /** No more text comes. The pager goes on until the person quits it. */
  close(): void;
  /** Ends the pager itself. */
  kill(): void;
  /** Its exit code; null: a signal ended it, or it could not be started. Never rejects. */
  readonly ended: Promise<number | null>;
}

/** `command`: for the shell, as in PAGER. */
export function startPager(command: string, env: Readonly<Record<string, string | undefined>>): PagerProcess {
  const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
  const { stdin } = child;
  const { promise: ended, resolve } = Promise.withResolvers<number | null>();
  child.once('close', resolve);
  child.once('error', () => resolve(null));
  // A pager that a person quits leaves the rest of the text unread.
  stdin.on('error', () => {});
  return {
    ended,
    async write(text) {
      if (!stdin.writable || stdin.write(text)) return;
      const drained = Promise.withResolvers<void>();
      stdin.once('drain', drained.resolve);
      await Promise.race([drained.promise, ended]);
      stdin.off('drain', drained.resolve);
    },
    close: () => void stdin.end(),
    kill: () => void child.kill(),
  };
}
