// Lets through the records of a held plan that a person approved one by one (G6).
import { createHash } from 'node:crypto';
import type { Hold } from '../../sync/guard/guard.ts';
import { guardCounts } from '../../sync/guard/guard.ts';
import { countChanges, noteCounted } from '../../sync/guard/counted.ts';
import { type Change, type Problem, problem } from '../../sync/change.ts';
import type { LetThrough, PlanCounts, PlanInput } from '../../sync/input.ts';
import { groupHandOvers } from '../../sync/keys/handovers.ts';
import type { Plan } from '../../sync/plan.ts';
import type { ApprovedRecords } from './memory.ts';
import type { HeldChange, HeldRecord } from '../stored/facts.ts';
import { changesByRecord, recordText } from './records-of-plan.ts';

/** What stays held after the approved records. */
export interface StillHeld {
  /** None: the rest is within the limits, and the next run does it. */
  readonly holds: readonly Hold[];
  readonly planned: PlanCounts;
  readonly records: readonly HeldRecord[] | undefined;
  readonly letThrough: LetThrough;
}

export interface Let {
  /** The changes of the approved records. Empty: none of them is as it was approved. */
  readonly changes: readonly Change[];
  /** About approved records that are not let through. */
  readonly problems: readonly Problem[];
  readonly stillHeld: StillHeld;
}

/** A larger plan is approved whole: its records would make the state large, and nobody ticks so many. */
const recordsMax = 10_000;

/** The records that a plan changes, in its order; undefined: too many. */
export function heldRecords(changes: readonly Change[]): readonly HeldRecord[] | undefined {
  const records = [...changesByRecord(changes).values()].filter(isKnown);
  if (records.length === 0 || records.length > recordsMax) return undefined;
  const shown = records.map(toHeldChanges);
  // All or none: half of them would look like the whole plan.
  const areStored = JSON.stringify(shown).length <= shownLengthMax;
  return records.map((each, index) => {
    const { row } = each.find((change) => change.row !== null) ?? each[0]!;
    const record = { id: idOf(each[0]!), row, ops: [...new Set(each.map(({ op }) => op))], digest: digestOf(each) };
    return areStored ? { ...record, changes: shown[index]! } : record;
  });
}

/** In characters. A plan of ten thousand records with two changed fields each fits; the whole state is read for each page. */
const shownLengthMax = 4_000_000;

function toHeldChanges(changes: readonly Change[]): readonly HeldChange[] {
  return changes.flatMap(({ side, op, fields, rule, reason }): HeldChange[] => {
    if (fields.length === 0) return [{ side, op, field: null, before: null, after: null, rule, reason }];
    return fields.map((change) => {
      const { field, before = null, after } = change;
      return { side, op, field, before, after, rule: change.rule, reason: change.reason };
    });
  });
}

/** G2 alone counts changes of a plan. For the other guards the plan has none. */
export function isHeldByRecords({ holds }: Pick<Plan, 'holds'>): boolean {
  return holds.length > 0 && holds.every(({ rule, fails }) => rule === 'G2' && !fails);
}

export function letApprovedThrough(input: PlanInput, plan: Plan, approved: ApprovedRecords): Let {
  const records = [...changesByRecord(plan.changes).values()];
  const asApproved = new Set(records.filter((each) => isKnown(each) && approved.digests.has(digestOf(each))));
  const found = new Set([...asApproved].map(digestOf));
  const changed = [...approved.idByDigest].filter(([digest]) => !found.has(digest)).map(([, id]) => id);
  const entangled = keysApart(input, records, asApproved);
  for (const each of entangled) asApproved.delete(each);
  const carried = new Set([...asApproved].flat());
  const changes = plan.changes.filter((change) => carried.has(change));
  const left = plan.changes.filter((change) => !carried.has(change));
  const { letThrough: before } = input.requests;
  const letThrough = {
    counts: added(before?.counts, countChanges(input, changes)),
    links: before?.links ?? input.base.links.size,
  };
  const counted = countChanges(input, left);
  return {
    changes,
    problems: [...changed.map(notAsApproved), ...[...entangled].map(([first]) => waitsForKey(first!))],
    stillHeld: {
      holds: guardCounts({ ...input, requests: { ...input.requests, letThrough } }, counted, left),
      planned: { ...plan.counts, ...counted },
      records: heldRecords(left),
      letThrough,
    },
  };
}

/** The plan of the approved records alone. What it is let through to write counts once (G2). */
export function planOf(input: PlanInput, plan: Plan, { changes, problems }: Let): Plan {
  const noted = noteCounted(input, changes, plan.links, plan.strays);
  return { ...plan, ...noted, holds: [], changes, problems: [...plan.problems, ...problems] };
}

/** I7: updates that pass keys on are carried out together or not at all. Approved records with one that is not. */
function keysApart(
  { mapping }: PlanInput,
  records: readonly (readonly Change[])[],
  approved: ReadonlySet<readonly Change[]>,
): ReadonlySet<readonly Change[]> {
  const updates = records.flat().flatMap((change) => (change.op === 'update' ? [change] : []));
  const recordOf = new Map(records.flatMap((each) => each.map((change) => [change, each] as const)));
  const apart = new Set<readonly Change[]>();
  for (const group of groupHandOvers(mapping, updates)) {
    const all = new Set(group.map((update) => recordOf.get(update)!));
    if ([...all].every((each) => approved.has(each))) continue;
    for (const each of all) if (approved.has(each)) apart.add(each);
  }
  return apart;
}

/** A row that is known by nothing but its place cannot be told from another one with the same changes. */
function isKnown([first]: readonly Change[]): boolean {
  return first !== undefined && (first.uuid !== null || 'key' in first);
}

function idOf({ uuid, row }: Change): string {
  return uuid ?? `row:${row ?? '?'}`;
}

/** Rows move, and reasons are for people: neither makes another plan. */
function digestOf(changes: readonly Change[]): string {
  const [first] = changes;
  const record = first?.uuid ?? (first && 'key' in first ? first.key : '');
  return createHash('sha256')
    .update(JSON.stringify([record, recordText(changes)]))
    .digest('hex')
    .slice(0, 32);
}

function notAsApproved(id: string): Problem {
  const row = /^row:(\d+)$/.exec(id)?.[1];
  const reason = 'not let through: it is not as it was when it was approved; look at the plan and approve it again';
  return problem('held', row === undefined ? { uuid: id } : { row: Number(row) }, 'G6', reason);
}

function waitsForKey({ uuid, row }: Change): Problem {
  const reason = 'not let through: its e-mail address or profile changes hands; approve all records that it concerns';
  return problem('held', { uuid, row }, 'G6', reason);
}

function added(before: PlanCounts | undefined, now: Omit<PlanCounts, 'missing' | 'enrolments'>): PlanCounts {
  return {
    creates: (before?.creates ?? 0) + now.creates,
    changes: (before?.changes ?? 0) + now.changes,
    blanks: (before?.blanks ?? 0) + now.blanks,
    deletes: (before?.deletes ?? 0) + now.deletes,
    missing: 0,
    enrolments: 0,
  };
}
