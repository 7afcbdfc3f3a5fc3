// The command `refuse`: says no to a held plan.
import { refuse } from '../operator/approve.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { refusedText } from './print/decisions.ts';
import { printAnswer } from './print/lines.ts';
import type { CliWorld } from './world.ts';

export async function runRefuse(
  name: string,
  globals: GlobalOptions & { readonly run: string },
  world: CliWorld,
): Promise<void> {
  const { operator, decider } = openOperator(globals, world);
  const answer = await refuse(operator, decider, { name, run: globals.run });
  printAnswer(answer, refusedText, globals, world);
}
