// What a plan needs to know of wishes besides the rows: the automations, and what became of calls that were cut short.
import type { Batch } from '../state/port.ts';
import { type Answers, noAnswers } from '../sync/input.ts';
import { readAutomations } from './automations.ts';
import type { RunContext } from './context.ts';
import { recoverNewcomers } from './in-flight.ts';
import type { Memory } from './memory.ts';
import type { Pulled } from './pull.ts';

export interface WishesRead {
  readonly memory: Memory;
  readonly pulled: Pulled;
  readonly answers: Answers;
}

/** Without `commit` nothing is written. A sync that enrols nobody is passed through. */
export async function readWishes(
  context: RunContext,
  recalled: Memory,
  pulled: Pulled,
  commit?: (batch: Batch) => Promise<void>,
): Promise<WishesRead> {
  if (!context.config.automation) return { memory: recalled, pulled, answers: noAnswers };
  const { memory, answers } = await recoverNewcomers(context, recalled, pulled, commit);
  const wishing = await readAutomations(context, pulled.sheet.rows);
  return { memory, pulled: { ...pulled, wishing }, answers };
}
