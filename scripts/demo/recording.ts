// Records programs in a pseudo-terminal as an asciinema cast, version 2 (https://docs.asciinema.org/manual/asciicast/v2/).
import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';

export const size = { width: 110, height: 32 };

/** A machine that is busy makes no pause longer than this, in seconds. */
const pauseMax = 0.6;
/** Seconds that a person takes for a letter. */
const letter = 0.05;
/** Seconds that a person takes to read a question. */
const reading = 0.9;

/** What is seen, and the keys that a person presses then. */
export type Step = readonly [seen: string, ...keys: readonly string[]];

export class Recording {
  private now = 0;
  private readonly events: (readonly [seconds: number, kind: 'o', text: string])[] = [];

  /** The text appears at once, after a pause of so many seconds. */
  show(text: string, after = 0): void {
    this.now += after;
    this.events.push([Math.round(this.now * 1_000) / 1_000, 'o', text]);
  }

  /** A prompt, and a command that a person types. */
  type(command: string): void {
    this.show('\u001b[1;32m$\u001b[0m ', 0.3);
    for (const each of command) this.show(each, letter);
    this.show('\r\n', 0.4);
  }

  /** Runs a program to its end, and answers it. Rejects if it does not end with 0. */
  async run(
    file: string,
    args: readonly string[],
    options: { readonly cwd: string; readonly steps?: readonly Step[] },
  ): Promise<void> {
    const { cwd, steps = [] } = options;
    const env = { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', LANG: 'C.UTF-8', LEADSHEET_PAGER: 'cat' };
    const child = spawn(file, [...args], { name: env.TERM, cols: size.width, rows: size.height, cwd, env });
    const waiting = [...steps];
    let seen = '';
    let last = performance.now();
    let isAnswering = false;
    child.onData((data) => {
      const at = performance.now();
      // After a question a person reads; otherwise the program is as fast as it is.
      this.show(data, isAnswering ? reading : Math.min((at - last) / 1_000, pauseMax));
      isAnswering = false;
      last = at;
      seen += stripVTControlCharacters(data);
      const [next] = waiting;
      if (!next || !seen.includes(next[0])) return;
      waiting.shift();
      seen = '';
      isAnswering = true;
      for (const key of next.slice(1)) child.write(key);
    });
    const { promise, resolve } = Promise.withResolvers<number>();
    child.onExit(({ exitCode }) => resolve(exitCode));
    const code = await promise;
    if (code !== 0 || waiting.length > 0)
      throw new Error(
        `${args.join(' ')} ended with ${code}, and never showed: ${waiting.map(([text]) => text).join(', ')}`,
      );
    this.show('', pauseMax);
  }

  /** The text of the cast. */
  cast(title: string): string {
    const head = { version: 2, ...size, title, env: { TERM: 'xterm-256color' } };
    return `${[head, ...this.events].map((line) => JSON.stringify(line)).join('\n')}\n`;
  }
}
