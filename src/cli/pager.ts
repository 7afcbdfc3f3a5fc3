// Shows text that is longer than the screen in a pager. Shorter text, and any text outside a terminal, is printed as it is.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { PagerProcess } from './pager-process.ts';
import type { Output, ProcessWorld } from './world.ts';

/**
 * F: a text that fits the screen is only printed. R: colours. X: the text stays on the screen. A pager `less` without
 * options gets the same from LESS, as git does it.
 */
const defaultPager = 'less -FRX';
const lessOptions = 'FRX';

/** `at once`: text of any length streams into the pager. `at the end`: progress is shown until all of the text is there. */
export type Paging = 'at once' | 'at the end';

export interface PagedOutput extends Output {
  /** Takes what follows into a pager once it is longer than the screen. Does nothing outside a terminal. */
  begin(paging: Paging): void;
  /** Prints what is kept, and waits until the person quits the pager. */
  end(): Promise<void>;
  /** Aborts when the person quits the pager before its text has ended. */
  readonly closed: AbortSignal;
}

export function createPagedOutput({ stdout, stderr, env, stop, startPager }: ProcessWorld): PagedOutput {
  const closed = new AbortController();
  let paging: Paging | undefined;
  let kept = '';
  let linesKept = 0;
  let pager: PagerProcess | undefined;

  const open = (command: string): Promise<void> | undefined => {
    const started = startPager!(command, { LESS: lessOptions, ...env });
    pager = started;
    const kill = () => started.kill();
    stop.addEventListener('abort', kill, { once: true });
    void watchEnd(started, command, kill);
    return write('');
  };

  const watchEnd = async (started: PagerProcess, command: string, kill: () => void): Promise<void> => {
    const code = await started.ended;
    stop.removeEventListener('abort', kill);
    if (code === notFound || code === notRunnable) {
      stderr.write(`leadsheet: the pager "${command}" cannot be run; --no-pager prints without one\n`);
    }
    closed.abort();
  };

  const write = (text: string): Promise<void> | undefined => {
    const all = kept + text;
    kept = '';
    if (!pager) return void stdout.write(all);
    return closed.signal.aborted ? undefined : pager.write(all);
  };

  return {
    ...(stdout.isTTY !== undefined && { isTTY: stdout.isTTY }),
    closed: closed.signal,
    begin(wanted) {
      if (stdout.isTTY === true && startPager && env['TERM'] !== 'dumb') paging = wanted;
    },
    write(text) {
      if (paging === undefined || pager) return write(text);
      kept += text;
      linesKept += linesOf(text, stdout.columns ?? 80);
      if (paging === 'at the end' || linesKept < (stdout.rows ?? 24)) return undefined;
      const command = pagerOf(env);
      if (command !== undefined) return open(command);
      paging = undefined;
      return write('');
    },
    async end() {
      const command = paging === 'at the end' && linesKept >= (stdout.rows ?? 24) ? pagerOf(env) : undefined;
      if (command !== undefined) await open(command);
      if (kept !== '') await write('');
      pager?.close();
      await pager?.ended;
    },
  };
}

/** Exit codes of a shell (POSIX, sh, 2.8.2). */
const notRunnable = 126;
const notFound = 127;

function linesOf(text: string, columns: number): number {
  return stripVTControlCharacters(text)
    .split('\n')
    .slice(0, -1)
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
}

/** Undefined: none is wanted, or there is none on this machine. */
function pagerOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const command = (env['LEADSHEET_PAGER'] ?? env['PAGER'] ?? defaultPager).trim();
  const program = command.split(/\s+/).find((word) => !/^\w+=/.test(word)) ?? 'cat';
  return command === '' || command === 'cat' || !isThere(program, env['PATH'] ?? '') ? undefined : command;
}

/** A quoted name is left to the shell. */
function isThere(program: string, path: string): boolean {
  if (/["'$\\]/.test(program)) return true;
  const folders = program.includes('/') ? [''] : path.split(delimiter);
  return folders.some((folder) => {
    try {
      accessSync(folder === '' ? program : join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
