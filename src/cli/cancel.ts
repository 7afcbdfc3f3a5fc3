// The command `cancel`: takes back wishes and messages that are not done yet.
import { cancel } from '../operator/cancel.ts';
import { exitCodes } from './exit-codes.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { tellPaused } from './pause.ts';
import { cancelText } from './print/decisions.ts';
import { printAnswer } from './print/lines.ts';
import type { CliWorld, Finish } from './world.ts';

interface CancelOptions extends GlobalOptions {
  readonly sync?: string;
}

/** Exits 1 where a run was faster. */
export async function runCancel(ids: string[], globals: CancelOptions, world: CliWorld, finish: Finish): Promise<void> {
  const { operator, decider } = openOperator(globals, world);
  const answer = await cancel(operator, decider, { ids, sync: globals.sync });
  printAnswer(answer, cancelText, globals, world);
  await tellPaused(operator, answer.cancels, world);
  if (answer.cancels.some(({ outcome }) => outcome !== 'cancelled')) finish(exitCodes.failed);
}
