// Runs the program as a process of its own in a pseudo-terminal, with a person who reads the screen and presses keys.
import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { programOf } from './program.ts';

export const keys = { enter: '\r', down: '\u001b[B', space: ' ', interrupt: '\u0003', erase: '\u0015' } as const;

export interface Terminal {
  /** Waits until the text, or what the expression finds, is on the screen after what was seen before. */
  readonly see: (text: string | RegExp) => Promise<string>;
  /** Types a text or keys, and counts them. */
  readonly press: (...typed: readonly string[]) => void;
  /** Everything that was printed so far, without control sequences. */
  printed(): string;
  /** Everything as it came. */
  raw(): string;
  /** Keys that were pressed; a text that is typed or pasted counts as one. */
  pressed(): number;
  readonly ended: Promise<number>;
}

/** Gets nothing of our environment but PATH. The end of the test ends it. */
export function startInTerminal(
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Terminal {
  const program = programOf(args, { env: { TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env } });
  const child = spawn(program.file, program.args, { cwd, cols: 140, rows: 60, env: program.env });
  let raw = '';
  let from = 0;
  let pressed = 0;
  const waiting = new Set<() => void>();
  const tellAll = () => {
    for (const look of waiting) look();
  };
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  let isOver = false;
  child.onData((data) => {
    raw += data;
    tellAll();
  });
  child.onExit(({ exitCode }) => {
    isOver = true;
    end(exitCode);
    tellAll();
  });
  onTestFinished(() => {
    if (!isOver) child.kill('SIGKILL');
  });
  const printed = () => stripVTControlCharacters(raw).replaceAll('\r', '');
  return {
    printed,
    raw: () => raw,
    pressed: () => pressed,
    ended,
    press(...typed) {
      for (const each of typed) {
        pressed += 1;
        child.write(each);
      }
    },
    see(text) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const look = () => {
        const shown = printed().slice(from);
        const found = typeof text === 'string' ? shown.indexOf(text) : (text.exec(shown)?.index ?? -1);
        if (found === -1) {
          if (!isOver) return;
          waiting.delete(look);
          reject(new Error(`the program ended and never showed ${String(text)}; it showed:\n${printed()}`));
          return;
        }
        waiting.delete(look);
        const length = typeof text === 'string' ? text.length : text.exec(shown)![0].length;
        from += found + length;
        resolve(shown.slice(found, found + length));
      };
      waiting.add(look);
      look();
      return promise;
    },
  };
}
