// A feed: one collection of the service mirrored one way into a tab. From records and rows to changes; pure, like `plan`.
//
// The state of a feed is small. It knows which records the feed has put into the tab, so that no row of somebody else's is
// ever deleted for an ID it happens to have (F3), and, where automations are controlled, the status that both sides were
// last seen to agree on: only against it is an `off` in a cell somebody's wish and not merely old (E7).
import { type Change, type FieldChange, type Problem, problem } from '../change.ts';
import { judgeControl } from './control.ts';
import type { Hold } from '../guard/guard.ts';
import { type Cell, isTooLong, tooLong } from '../value/kinds.ts';
import { inSync, statusByRow } from '../status.ts';
import { differing, sortFeedRows } from './rows.ts';
import type { Outcomes } from '../outcome.ts';
import type { Reading } from '../value/value.ts';
import type { FeedInput, FeedLink, FeedRecord, FeedRow } from './input.ts';

/** What is to be remembered of a record: if `by` was done, or at once if nothing had to be. null: forget it. */
export interface FeedLinkUpdate {
  readonly uuid: string;
  readonly link: FeedLink | null;
  readonly by?: Change;
}

export interface FeedPlan {
  /** In the order in which they are carried out: `update` starts or stops, then `set`, `append`, `remove`. */
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
  readonly holds: readonly Hold[];
  /** Of a collection that is empty all of a sudden: the rows that would be without a record. */
  readonly missing: number;
  /** Sentence for the status column by row number; a row without one linkUpdates what it says. */
  readonly statuses: ReadonlyMap<number, string>;
  readonly linkUpdates: readonly FeedLinkUpdate[];
  /** Rows that stand for a record of this reading. */
  readonly linked: number;
}

export function planFeed(input: FeedInput): FeedPlan {
  const { holds, missing } = guardFeed(input);
  const { keeperByUuid, copiesByUuid, problems: rowProblems } = sortFeedRows(input);
  const plan: Draft = { changes: [], problems: [...rowProblems], linkUpdates: [], said: new Map(), silent: new Set() };
  let linked = 0;
  for (const record of input.records) {
    const row = keeperByUuid.get(record.uuid);
    const copies = copiesByUuid.get(record.uuid);
    if (row) {
      linked += 1;
      planRow(input, record, { row, copies: copies ?? [] }, plan);
    } else if (!copies) planNewRow(input, record, plan);
  }
  const listed = new Set(input.records.map(({ uuid }) => uuid));
  for (const [uuid, row] of keeperByUuid) {
    if (!listed.has(uuid)) planAbsent(input, uuid, { row, isCopied: copiesByUuid.has(uuid) }, plan);
  }
  for (const uuid of input.links.keys()) {
    if (!listed.has(uuid) && !keeperByUuid.has(uuid) && input.coverage !== 'partial' && !input.isDrifted) {
      plan.linkUpdates.push({ uuid, link: null });
    }
  }
  const order = ['update', 'set', 'append', 'remove'];
  return {
    changes: plan.changes.toSorted((a, b) => order.indexOf(a.op) - order.indexOf(b.op)),
    problems: plan.problems,
    holds,
    missing,
    statuses: statusTexts(input, plan),
    linkUpdates: plan.linkUpdates,
    linked,
  };
}

/** The links after a run: what was not done is remembered as before. */
export function settleFeed(
  links: ReadonlyMap<string, FeedLink>,
  { linkUpdates }: Pick<FeedPlan, 'linkUpdates'>,
  outcomes: Outcomes,
): ReadonlyMap<string, FeedLink> {
  const settled = new Map(links);
  for (const { uuid, link, by } of linkUpdates) {
    if (by && outcomes.get(by)?.kind !== 'done') continue;
    if (link === null) settled.delete(uuid);
    else settled.set(uuid, link);
  }
  return settled;
}

/** Before cells of the controlled field are written: found in a cell after a crash, they must not pass for wishes (L10). */
export function controlIntents(
  { controlled, links }: Pick<FeedInput, 'controlled' | 'links'>,
  changes: readonly Change[],
): ReadonlyMap<string, FeedLink> {
  const intents = new Map<string, FeedLink>();
  for (const { op, uuid, fields } of changes) {
    const written = fields.find(({ field }) => field === controlled);
    const link = links.get(uuid ?? '');
    if (op === 'set' && written && link) intents.set(uuid!, { ...link, writing: written.after });
  }
  return intents;
}

interface Draft {
  readonly changes: Change[];
  readonly problems: Problem[];
  readonly linkUpdates: FeedLinkUpdate[];
  /** Words of the service for a row about which nothing is open. */
  readonly said: Map<number, string>;
  /** Rows whose status stays as it is. */
  readonly silent: Set<number>;
}

/** G1: a collection that is empty all of a sudden is more likely a fault than the truth, and proves nothing. */
function guardFeed(input: FeedInput): Pick<FeedPlan, 'holds' | 'missing'> {
  const { records, coverage, links, rows, what, missingApproved = 0 } = input;
  const known = rows.filter(({ id }) => links.has(id) && !links.get(id)!.isGone).length;
  if (records.length > 0 || coverage === 'partial' || known < emptyKnownMin) return { holds: [], missing: 0 };
  const reason = `the service lists no ${what}, and ${known} were there before: if that is right, approve it`;
  return { holds: known <= missingApproved ? [] : [{ rule: 'G1', reason, fails: false }], missing: known };
}

/** As for the sides of a sync (G1). */
const emptyKnownMin = 2;

function planRow(
  input: FeedInput,
  record: FeedRecord,
  { row, copies }: { readonly row: FeedRow; readonly copies: readonly string[] },
  plan: Draft,
): void {
  const about = { uuid: record.uuid, row: row.number };
  const control = judgeControl(input, record, row);
  const sets: FieldChange[] = [];
  for (const index of differing(input.fields, record, row)) {
    const field = input.fields[index]!;
    const after = record.values[index]!;
    if (field.name === input.controlled && control.cell === 'kept') continue;
    const open = { ...about, field: field.name };
    if (row.formulas.includes(field.name)) {
      plan.problems.push(problem('held', open, 'V5', `a formula stands in ${field.header}: clear it to see the value`));
    } else if (isTooLong(after)) {
      plan.problems.push(problem('refused', open, 'V6', `${field.header}: ${tooLong}`));
    } else {
      const isAnswer = field.name === input.controlled && control.cell === 'answered';
      const [rule, reason] = isAnswer ? (['E7', 'what the service has'] as const) : (['F1', 'in the service'] as const);
      sets.push({ field: field.name, before: cellReading(row.cells[index]), after, rule, reason });
    }
  }
  const set: Change | undefined =
    sets.length > 0
      ? { side: 'sheet', op: 'set', ...about, fields: sets, rule: sets[0]!.rule, reason: sets[0]!.reason }
      : undefined;
  if (control.wish) plan.changes.push(control.wish);
  if (control.problem) plan.problems.push(control.problem);
  if (set) plan.changes.push(set);
  const isControlWritten = sets.some(({ field }) => field === input.controlled);
  const { copies: _before, ...rest } = control.link;
  const link = copies.length > 0 ? { ...rest, copies } : rest;
  if (link.said !== undefined) plan.said.set(row.number, link.said);
  plan.linkUpdates.push({ uuid: record.uuid, link, ...(set && isControlWritten && { by: set }) });
}

function planNewRow({ fields, controlled }: FeedInput, record: FeedRecord, plan: Draft): void {
  const cells = fields.flatMap(({ name, header }, index): FieldChange[] => {
    const after = record.values[index] ?? null;
    if (isTooLong(after)) {
      plan.problems.push(problem('refused', { uuid: record.uuid, field: name }, 'V6', `${header}: ${tooLong}`));
    }
    return after === null || isTooLong(after)
      ? []
      : [{ field: name, before: null, after, rule: 'F1', reason: 'new in the service' }];
  });
  const change: Change = {
    side: 'sheet',
    op: 'append',
    uuid: record.uuid,
    row: null,
    fields: cells,
    rule: 'F1',
    reason: 'new in the service',
  };
  const agreed = record.values[fields.findIndex(({ name }) => name === controlled)];
  plan.changes.push(change);
  plan.linkUpdates.push({ uuid: record.uuid, link: agreed === undefined ? {} : { agreed }, by: change });
}

/** F3. The keeper stands for its copies too: they are quarantined, and none of them is ever deleted (I4). */
function planAbsent(
  input: FeedInput,
  uuid: string,
  { row, isCopied }: { readonly row: FeedRow; readonly isCopied: boolean },
  plan: Draft,
): void {
  const { coverage, isDrifted, links, onGone, records } = input;
  const link = links.get(uuid);
  const about = { uuid, row: row.number };
  if (coverage === 'partial') return void plan.silent.add(row.number);
  if (isDrifted && !link?.isMissed) {
    plan.silent.add(row.number);
    if (link) plan.linkUpdates.push({ uuid, link: { ...link, isMissed: true } });
    return;
  }
  const why =
    coverage === 'newest' ? `not among the first ${records.length} any more` : 'the service does not list it any more';
  if (!link) {
    plan.problems.push(problem('ignored', about, 'F3', 'the service does not list it, and the feed did not write it'));
  } else if (onGone === 'mark' || isCopied) {
    plan.problems.push(problem('ignored', about, 'F3', isCopied ? `${why}; it was copied here` : why));
    if (!link.isGone) plan.linkUpdates.push({ uuid, link: { ...link, isGone: true } });
  } else {
    plan.silent.add(row.number);
    const change: Change = { side: 'sheet', op: 'remove', ...about, fields: [], rule: 'F3', reason: why };
    plan.changes.push(change);
    plan.linkUpdates.push({ uuid, link: null, by: change });
  }
}

/** What is open about a row, else what the service said last, else that it is in sync. */
function statusTexts({ rows, links }: FeedInput, { problems, said, silent }: Draft): ReadonlyMap<number, string> {
  const isMark = ({ rule, uuid }: Problem) => rule === 'F3' && links.has(uuid ?? '');
  const texts = new Map(statusByRow(problems.filter((each) => !isMark(each) && each.rule !== 'F2')));
  for (const each of problems) if (isMark(each) && each.row !== null) texts.set(each.row, `gone: ${each.reason}`);
  for (const { number, id } of rows) {
    if (id === '' || silent.has(number)) texts.delete(number);
    else if (!texts.has(number)) texts.set(number, said.get(number) ?? inSync);
  }
  return texts;
}

function cellReading(cell: Cell | undefined): Reading {
  return typeof cell === 'object' && cell !== null ? undefined : cell;
}
