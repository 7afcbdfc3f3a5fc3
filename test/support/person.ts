// Runs the program in a pseudo-terminal, with a person who reads the screen and presses keys: as a process of its own, or in the
// process of the test.
import { constants, openSync } from 'node:fs';
import { ReadStream, WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { createEnvReader } from '../../src/dot-env.ts';
import { start } from './cli.ts';
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

export interface PersonOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

const size = { cols: 140, rows: 60 };
const environment = { TERM: 'xterm-256color', LANG: 'C.UTF-8' };

/** A process. Gets nothing of our environment but PATH. The end of the test ends it. */
export function startInTerminal(args: readonly string[], { cwd, env = {} }: PersonOptions): Terminal {
  const program = programOf(args, { env: { ...environment, ...env } });
  return watch(spawn(program.file, program.args, { cwd, ...size, env: program.env }));
}

/**
 * The same in the process of the test, which takes a tenth of the processor time. A small process keeps the terminal open. The folder is
 * that of the process of the test until the program ends, and the end of the test ends it.
 */
export function runInTerminal(args: readonly string[], { cwd, env = {} }: PersonOptions): Terminal {
  const holder = spawn('sh', ['-c', "trap '' INT; tty; exec sleep 600"], { ...size, env: process.env });
  const before = process.cwd();
  process.chdir(cwd);
  const stop = new AbortController();
  const own = { ...environment, ...env };
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  async function run(path: string): Promise<void> {
    const open = () => openSync(path, constants.O_RDWR | constants.O_NOCTTY);
    const input = new ReadStream(open());
    const output = new WriteStream(open());
    const terminal = () => ({ input, output });
    const readEnv = createEnvReader(own).read;
    const world = { env: readEnv(), rereadEnv: readEnv, stdout: output, stderr: output, terminal, stop: stop.signal };
    const { code } = await start(args, {}, world).ended;
    input.destroy();
    output.destroy();
    end(code);
    holder.kill('SIGKILL');
  }
  let said = '';
  const listening = holder.onData((data) => {
    said += data;
    const [, path] = /^(\S+)\r\n/.exec(said) ?? [];
    if (path === undefined) return;
    listening.dispose();
    void run(path);
  });
  onTestFinished(async () => {
    stop.abort(new Error('the test has ended'));
    await ended;
    process.chdir(before);
  });
  return watch(holder, ended);
}

/** `code`: that of the program, where it is not the process itself. */
function watch(child: IPty, code?: Promise<number>): Terminal {
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
  child.onExit(async ({ exitCode }) => {
    isOver = true;
    end(code === undefined ? exitCode : await code);
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
