// Runs the program in a pseudo-terminal: what a person sees, and the keys that they press.
import { type IPty, spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { programOf, type StartOptions } from './program.ts';

export interface TerminalOptions extends StartOptions {
  readonly rows?: number;
  readonly columns?: number;
}

export interface Terminal {
  /** Everything that was printed, with the control sequences. */
  readonly shown: () => string;
  /** Resolves with all that was shown once it has the text. Rejects if the program ends before. */
  readonly until: (text: string | RegExp) => Promise<string>;
  readonly type: (keys: string) => void;
  readonly ended: Promise<{ readonly code: number; readonly shown: string }>;
}

/** The end of the test ends it. */
export function startInTerminal(words: readonly string[], options: TerminalOptions = {}): Terminal {
  const { file, args, env } = programOf(words, options);
  return watch(inTerminal(file, args, { ...options, env }));
}

/** Any program. Its environment is `env` alone. */
export function inTerminal(file: string, args: readonly string[], options: TerminalOptions): IPty {
  const { env = {}, cwd, rows = 24, columns = 100 } = options;
  const place = cwd === undefined ? {} : { cwd };
  return spawn(file, [...args], {
    name: env['TERM'] ?? 'xterm-256color',
    cols: columns,
    rows,
    env: { ...env },
    ...place,
  });
}

export function watch(pty: IPty): Terminal {
  let text = '';
  let code: number | undefined;
  const waiting = new Set<() => void>();
  const tell = () => waiting.forEach((look) => look());
  const { promise: ended, resolve } = Promise.withResolvers<{ code: number; shown: string }>();
  pty.onData((data) => {
    text += data;
    tell();
  });
  pty.onExit(({ exitCode }) => {
    code = exitCode;
    tell();
    resolve({ code: exitCode, shown: text });
  });
  onTestFinished(() => {
    if (code === undefined) pty.kill('SIGKILL');
  });
  return {
    shown: () => text,
    until: (wanted) =>
      new Promise((found, reject) => {
        const look = () => {
          const isThere = typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
          if (!isThere && code === undefined) return;
          waiting.delete(look);
          if (isThere) found(text);
          else reject(new Error(`the program ended with ${code} before it showed ${String(wanted)}: ${text}`));
        };
        waiting.add(look);
        look();
      }),
    type: (keys) => pty.write(keys),
    ended,
  };
}
