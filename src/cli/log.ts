// The command `log`: prints the history, or the ledger of enrolments.
import { readEnrolments, readLog } from '../operator/history.ts';
import type { LogFilter } from '../operator/log-filter.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { enrolmentText, historyText } from './print/history.ts';
import type { CliWorld } from './world.ts';

export interface LogOptions extends GlobalOptions, LogFilter {
  readonly follow?: true;
  readonly enrolments?: true;
}

export async function runLog(globals: LogOptions, world: CliWorld): Promise<void> {
  const { operator } = openOperator(globals, world);
  const print = <Line>(line: Line, toText: (line: Line) => string) =>
    world.stdout.write(globals.json ? `${JSON.stringify(line)}\n` : toText(line));
  const sayNone = (where: string) => void world.stderr.write(`leadsheet: ${where} has no such line\n`);
  if (globals.enrolments) {
    const entries = await readEnrolments(operator, globals);
    for (const line of entries) await print(line, enrolmentText);
    if (entries.length === 0) sayNone('the ledger of enrolments');
    return;
  }
  let count = 0;
  const signal = AbortSignal.any([world.stop, world.outputClosed]);
  const lines = readLog(operator, globals, { follow: globals.follow === true, signal });
  for await (const line of lines) {
    if (signal.aborted) return;
    count += 1;
    await print(line, historyText);
  }
  if (count === 0 && !signal.aborted) sayNone('the history');
}
