// The ids of the latest runs, for the completion of command lines.
import { readRuns } from '../../operator/runs.ts';
import type { GlobalOptions } from '../globals.ts';
import { openOperator } from '../open.ts';
import type { CliWorld } from '../world.ts';

/** Enough to choose from at a prompt. */
const runsShown = 20;

export async function latestRuns(
  { config }: Pick<GlobalOptions, 'config'>,
  world: CliWorld,
): Promise<readonly string[]> {
  const silent = { ...world, stderr: { write: () => true } };
  const globals: GlobalOptions = { ...(config !== undefined && { config }), color: 'never', pager: false };
  const { operator } = openOperator(globals, silent);
  const { runs } = await readRuns(operator, { names: [], limit: runsShown });
  return runs.map(({ run }) => run);
}
