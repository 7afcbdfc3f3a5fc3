// The command `workers`: lists the processes that run the jobs of a database.
import { lineText } from '../log/printable.ts';
import type { WorkersAnswer } from '../operator/answers/workers.ts';
import { readWorkersAnswer } from '../operator/workers.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { columnsText, printAnswer } from './print/lines.ts';
import type { CliWorld } from './world.ts';

export async function runWorkers(globals: GlobalOptions, world: CliWorld): Promise<void> {
  const { operator } = openOperator(globals, world);
  printAnswer(await readWorkersAnswer(operator), workersText, globals, world);
}

function workersText({ shared, workers }: WorkersAnswer): string {
  if (!shared) return 'The state is on files: one process runs all jobs. See: leadsheet status\n';
  if (workers.length === 0) return 'No worker has run on this database yet. Start one: leadsheet run\n';
  const lines = workers.map(({ id, state, seen_at: seenAt, version, runs }) => [
    lineText(id),
    state,
    `last seen ${seenAt}`,
    lineText(version),
    runs.length === 0 ? 'runs nothing' : `runs ${runs.map(({ job }) => lineText(job)).join(', ')}`,
  ]);
  return columnsText(lines);
}
