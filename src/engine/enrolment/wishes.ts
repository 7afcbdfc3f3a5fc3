// Reads what a plan needs about wishes besides the rows: the automations, and the outcomes of interrupted calls.
import type { RunLease } from '../decisions-told.ts';
import { type Answers, noAnswers } from '../../sync/input.ts';
import { readAutomations } from './automations.ts';
import type { RunContext } from '../sync/context.ts';
import { recoverCalls } from '../sync/in-flight.ts';
import type { Memory } from '../sync/memory.ts';
import type { Pulled } from '../sync/pull.ts';
import { withoutUnsure } from './unsure.ts';

export interface WishesRead {
  readonly memory: Memory;
  readonly pulled: Pulled;
  readonly answers: Answers;
}

/** Without a lease nothing is written. For a sync without enrolment nothing is done. */
export async function readWishes(
  context: RunContext,
  recalled: Memory,
  pulled: Pulled,
  lease?: RunLease,
): Promise<WishesRead> {
  if (!context.config.automation) return { memory: recalled, pulled, answers: noAnswers };
  const { memory: recovered, answers } = await recoverCalls(context, recalled, pulled, lease);
  const { memory, unsure } = withoutUnsure(recovered);
  if (lease && unsure.length > 0) {
    lease.makesVoid(unsure);
    await lease.commit({ doneRequests: unsure });
  }
  const wishing = await readAutomations(context, pulled.sheet.rows);
  return { memory, pulled: { ...pulled, wishing }, answers };
}
