// W5 at the spreadsheet: changes of rows that it refused are kept with the strays, and wait until their pause is over.
import { type Change, type ChangeOp, type Problem, problem } from './change.ts';
import type { PlanInput } from './input.ts';
import { type Failure, failureProblem, type Outcomes } from './outcome.ts';
import type { Refusal, Stray } from './record/base.ts';
import type { Packed } from './record/record.ts';
import { isDue, nextRefusal, pausedKind, refusalEnd } from './record/refusal.ts';

/** The facts that decide whether a change of a row may be tried. */
export interface RowPauses {
  /** As stored, by `rowChangeKey`; other keys are left alone. */
  readonly known: ReadonlyMap<string, Stray>;
  /** Rows and contacts that people want tried again, by `leadsheet retry`. Undefined: that command does not reach these rows. */
  readonly retry: ReadonlySet<string> | undefined;
  /** Epoch milliseconds on the service's clock. */
  readonly now: number;
}

type RowChange = Pick<Change, 'op' | 'uuid' | 'row' | 'fields'>;

export type PausedOps = ReadonlySet<ChangeOp>;

/** Of a sync. Refused cells of a row are kept in the link of its contact. */
export const pausedInSync: PausedOps = new Set(['append', 'remove']);
/** Of a feed or an outbox. */
export const pausedElsewhere: PausedOps = new Set(['set', 'append', 'remove']);

export function rowPauses({ base, requests, now }: Pick<PlanInput, 'base' | 'requests' | 'now'>): RowPauses {
  return { known: base.strays, retry: requests.retry, now };
}

/** D3: only a scan that saw every contact tells that one is gone. Until then its row, still in its place, is to be deleted. */
export function isRemovalUnjudged(
  { crm, sheet }: Pick<PlanInput, 'crm' | 'sheet'>,
  uuid: string,
  row: number,
): boolean {
  if (crm.coverage === 'whole' && !crm.isDrifted) return false;
  const isThere = sheet.rows.some(({ number, id }) => number === row && id === uuid);
  return isThere && crm.contacts.every((contact) => contact.uuid !== uuid);
}

export interface PausedRows {
  /** Without those that wait. */
  readonly changes: readonly Change[];
  /** L12: those that wait, and why. */
  readonly problems: readonly Problem[];
  /** The notes about these changes, whether they wait or are tried now. */
  readonly strays: ReadonlyMap<string, Stray>;
}

/**
 * Of the changes of a plan, those that may be tried now. `isUnjudged`: this plan could not say whether the row is to be
 * deleted; what was refused before stays known and is told again.
 */
export function pauseRows(
  pauses: RowPauses,
  changes: readonly Change[],
  ops: PausedOps,
  isUnjudged: (uuid: string, row: number) => boolean = () => false,
): PausedRows {
  if (pauses.known.size === 0) return { changes, problems: [], strays: pauses.known };
  const strays = new Map<string, Stray>();
  const paused = new Map<Change, Problem>();
  for (const change of changes) {
    const key = rowChangeKey(change);
    const stray = ops.has(change.op) ? pauses.known.get(key) : undefined;
    if (stray?.refusal?.sheet !== contentOf(change)) continue;
    strays.set(key, stray);
    if (!isRowDue(pauses, stray.refusal, change)) paused.set(change, refusedRow(pauses, change, stray.refusal));
  }
  const removals = [...pauses.known].filter(([key]) => key.startsWith('remove '));
  const unjudged = removals.flatMap(([key, stray]): Problem[] => {
    const change = removalOf(key);
    if (!stray.refusal || strays.has(key) || !isUnjudged(change.uuid, change.row)) return [];
    strays.set(key, stray);
    return [refusedRow(pauses, change, stray.refusal)];
  });
  return {
    changes: changes.filter((change) => !paused.has(change)),
    problems: [...paused.values(), ...unjudged],
    strays,
  };
}

/** After the push: what the spreadsheet refused waits, what it took is forgotten, and what had another outcome stays known. */
export function settleRows(
  { now, retry, known }: RowPauses,
  kept: ReadonlyMap<string, Stray>,
  outcomes: Outcomes,
  ops: PausedOps,
): ReadonlyMap<string, Stray> {
  const strays = new Map(kept);
  for (const [change, outcome] of outcomes) {
    if (!ops.has(change.op)) continue;
    const key = rowChangeKey(change);
    if (outcome.kind === 'done') strays.delete(key);
    if (outcome.kind !== 'refused') continue;
    strays.set(key, refusedAgain({ now, retry, known }, key, outcome.message, contentOf(change)));
  }
  return strays;
}

/** L12: the same words in every run (W9). */
function refusedRow({ retry }: Pick<RowPauses, 'retry'>, change: RowChange, refusal: Refusal): Problem {
  const about = { ...(change.uuid !== null && { uuid: change.uuid }), row: change.row };
  const remedy = retry && change.uuid !== null ? `; to have it tried at once: leadsheet retry ${change.uuid}` : '';
  const refused = problem(pausedKind(refusal), about, 'W5', `${what(change.op)}: ${refusal.message}${remedy}`);
  return refusal.retryAt === null ? refused : { ...refused, retryAt: refusal.retryAt };
}

/** L12: a change of a row that failed. One that was refused is told as it is while it waits (W9). */
export function failedRow(
  pauses: Pick<RowPauses, 'retry'>,
  strays: ReadonlyMap<string, Stray>,
  change: RowChange,
  failure: Failure,
): Problem {
  const refusal = failure.kind === 'refused' ? strays.get(rowChangeKey(change))?.refusal : undefined;
  if (refusal) return refusedRow(pauses, change, refusal);
  return failureProblem({ ...(change.uuid !== null && { uuid: change.uuid }), row: change.row }, failure);
}

function what(op: ChangeOp): string {
  if (op === 'append') return 'its row could not be added';
  return op === 'remove' ? 'its row could not be deleted' : 'refused';
}

/** Its pause is over, or a person asked for it. */
export function isRowDue(
  { now, retry }: RowPauses,
  { retryAt }: Refusal,
  { uuid, row }: Pick<RowChange, 'uuid' | 'row'>,
) {
  return isDue({ requests: { retry: retry ?? new Set() }, now }, retryAt, { uuid: uuid ?? '', row });
}

/** `content`: what was refused; the same again makes the pause longer. Where nobody can say `retry`, the last one is repeated. */
export function refusedAgain({ known, retry, now }: RowPauses, key: string, message: string, content: string): Stray {
  const before = known.get(key);
  const refusal = nextRefusal(before?.refusal, message, { values: content as Packed }, now);
  const retryAt = retry ? refusal.retryAt : refusalEnd(refusal.times, now, true);
  return { since: before?.since ?? now, refusal: { ...refusal, retryAt } };
}

/** A change as a refusal knows it again: of the same record, in the same place. */
export function rowChangeKey({ op, uuid, row }: Pick<RowChange, 'op' | 'uuid' | 'row'>): string {
  return `${op} ${uuid ?? ''} ${row ?? ''}`;
}

/** Of the key of a `remove`. */
function removalOf(key: string) {
  const [, uuid = '', row = ''] = key.split(' ');
  return { op: 'remove', uuid, row: Number(row), fields: [] } as const;
}

/** The values before and after: other values are a new attempt. */
function contentOf({ fields }: RowChange): Packed {
  return JSON.stringify(fields.map(({ field, before = null, after }) => [field, before, after])) as Packed;
}
