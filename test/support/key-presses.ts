// A terminal with a person: keys are pressed when the screen shows what they answer.
import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from '../../src/cli/world.ts';

export const enter = '\r';
/** Pressed before there was a question: the terminal passes it on as a line feed. */
export const enterBefore = '\n';
export const down = '\u001b[B';
export const ctrlC = '\u0003';

export interface Answer {
  /** A text that the screen shows since the last answer. */
  readonly at: string;
  /** Each is a press of its own. */
  readonly keys: readonly string[];
  /** Happens while the question stands, before the first key. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** `shown`: all that was printed, without colours and cursor moves. `left`: answers whose question never came. */
export function createTerminal(answers: readonly Answer[]): Terminal & {
  readonly shown: () => string;
  /** The same with them. */
  readonly raw: () => string;
  readonly left: () => readonly Answer[];
} {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  let shown = '';
  let raw = '';
  let since = '';
  const waiting = [...answers];
  const output = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        const text = stripVTControlCharacters(chunk.toString());
        raw += chunk.toString();
        shown += text;
        since += text;
        answer();
        done();
      },
    }),
    { isTTY: true, columns: 200, rows: 50 },
  );

  function answer(): void {
    const next = waiting[0];
    if (!next || !since.includes(next.at)) return;
    waiting.shift();
    since = '';
    // After the prompt has begun to listen, and one key after the other.
    const press = () => {
      for (const key of next.keys) setImmediate(() => input.write(key));
    };
    if (next.meanwhile) void next.meanwhile().then(press);
    else press();
  }

  return { input, output, shown: () => shown, raw: () => raw, left: () => waiting };
}
