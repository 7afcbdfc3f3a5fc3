// The command `runs`: lists what ran, and shows one run.
import { readRun, readRuns } from '../operator/runs.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { printAnswer } from './print/lines.ts';
import { runShownText, runsText } from './print/runs.ts';
import type { CliWorld } from './world.ts';

interface RunsOptions extends GlobalOptions {
  readonly limit: number;
}

export async function runRuns(names: string[], globals: RunsOptions, world: CliWorld): Promise<void> {
  const { operator } = openOperator(globals, world);
  const { runs } = await readRuns(operator, { names, limit: globals.limit });
  printAnswer({ runs }, runsText, globals, world);
}

export async function runRunsShow(run: string, globals: GlobalOptions, world: CliWorld): Promise<void> {
  const { operator } = openOperator(globals, world);
  printAnswer(await readRun(operator, run, world.stop), runShownText, globals, world);
}
