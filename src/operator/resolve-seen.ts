// Decides conflicts that a person saw: all of them as they were seen, or none.
import type { Value } from '../sync/value/value.ts';
import type { ConflictAnswer, RequestsAnswer } from './answers/conflicts.ts';
import { readConflicts } from './conflicts.ts';
import { type Decider, record } from './decide.ts';
import { OperatorError } from './errors.ts';
import type { Operator } from './operator.ts';
import { assertSure, type Choice, toDecision } from './resolve.ts';

/** One conflict as a page showed it. */
export interface SeenConflict {
  readonly sync: string;
  readonly id: string;
  readonly digest: string;
}

/** `agreed`: the value that both sides last agreed on. */
export type SeenChoice = Choice | { readonly use: 'agreed' };

export type ResolvedSeen =
  | { readonly outcome: 'recorded'; readonly answer: RequestsAnswer; readonly conflicts: readonly ConflictAnswer[] }
  /** Nothing is recorded. `changed`: as they are by now. `closed`: no longer open. `same`: as they were seen. */
  | {
      readonly outcome: 'changed';
      readonly changed: readonly ConflictAnswer[];
      readonly closed: readonly SeenConflict[];
      readonly same: readonly ConflictAnswer[];
    };

/**
 * The decision is for the values that were seen: the run that finds others on a side does nothing, and the conflict stays
 * open (M1). Throws OperatorError and StateError.
 */
export async function resolveSeen(
  operator: Operator,
  decider: Decider,
  { seen, choice }: { readonly seen: readonly SeenConflict[]; readonly choice: SeenChoice },
): Promise<ResolvedSeen> {
  if (seen.length === 0) throw new OperatorError('invalid', 'no conflict is ticked');
  const open = await readConflicts(operator, { syncs: [...new Set(seen.map(({ sync }) => sync))] });
  const changed: ConflictAnswer[] = [];
  const closed: SeenConflict[] = [];
  const same: ConflictAnswer[] = [];
  for (const each of new Map(seen.map((one) => [`${one.sync} ${one.id}`, one])).values()) {
    const now = open.find(({ sync, id }) => sync === each.sync && id === each.id);
    if (!now) closed.push(each);
    else (now.digest === each.digest ? same : changed).push(now);
  }
  if (changed.length > 0 || closed.length > 0) return { outcome: 'changed', changed, closed, same };
  const decisions = same.map((conflict) => {
    const { crm, sheet } = conflict;
    return toDecision(conflict, toChoice(conflict, choice), operator.config, { crm, sheet });
  });
  assertSure(choice, decisions, same);
  return { outcome: 'recorded', answer: await record(operator, decider, decisions), conflicts: same };
}

function toChoice(
  { field, base, is_base_known: isBaseKnown }: ConflictAnswer,
  choice: SeenChoice,
): Choice | { readonly value: Value } {
  if (!('use' in choice) || choice.use !== 'agreed') return choice;
  if (!isBaseKnown) throw new OperatorError('invalid', `both sides never agreed on a value of ${field}`);
  return { value: base };
}
