// Reads what a plan needs about wishes besides the rows: the automations, and the outcomes of interrupted calls.
import type { Lease } from '../../state/port.ts';
import { type Answers, noAnswers } from '../../sync/input.ts';
import { readAutomations } from './automations.ts';
import type { RunContext } from '../sync/context.ts';
import { recoverCalls } from '../sync/in-flight.ts';
import type { Memory } from '../sync/memory.ts';
import type { Pulled } from '../sync/pull.ts';

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
  lease?: Lease,
): Promise<WishesRead> {
  if (!context.config.automation) return { memory: recalled, pulled, answers: noAnswers };
  const { memory, answers } = await recoverCalls(context, recalled, pulled, lease);
  const wishing = await readAutomations(context, pulled.sheet.rows);
  return { memory, pulled: { ...pulled, wishing }, answers };
}
