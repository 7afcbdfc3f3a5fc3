// The plan of a feed: one collection of the service is mirrored one way into a tab. Pure, like `plan`.
//
// The state of a feed is small. It lists the records that the feed wrote into the tab: a row with an ID that the feed did
// not write is never deleted (F3). For controlled automations it also has the status that both sides were last seen to
// agree on: only if a cell differs from that is its `off` a wish (E7).
import { type Change, type FieldChange, type Problem, problem } from '../change.ts';
import { judgeControl, wishOfAbsent, withoutAbsence } from './control.ts';
import type { Hold } from '../guard/guard.ts';
import { type Cell, isTooLong, tooLong } from '../value/kinds.ts';
import { inSync, statusByRow } from '../status.ts';
import { differing, sortFeedRows } from './rows.ts';
import type { Outcomes } from '../outcome.ts';
import type { Reading } from '../value/value.ts';
import type { ControlAnswer, FeedInput, FeedLink, FeedRecord, FeedRow } from './input.ts';

/** The note to store about a record: once `by` is done, or at once if there is no `by`. null: forget the record. */
export interface FeedLinkUpdate {
  readonly uuid: string;
  readonly link: FeedLink | null;
  readonly by?: Change;
}

export interface FeedPlan {
  /** In the order of work: `update` starts or stops an automation, then `set`, `append`, `remove`. */
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
  readonly holds: readonly Hold[];
  /** G1: the rows that would lose their record, if the collection is suddenly empty. */
  readonly missing: number;
  /** The sentence for the status column, by row number. A row without one keeps its status. */
  readonly statuses: ReadonlyMap<number, string>;
  readonly linkUpdates: readonly FeedLinkUpdate[];
  /** Rows of records that were listed. */
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
    const link = input.links.get(record.uuid);
    // That it was missed is over, whatever becomes of its cells: two listings that miss it are in a row only without this one.
    if (link?.isMissed || link?.isGone) plan.linkUpdates.push({ uuid: record.uuid, link: withoutAbsence(link) });
    if (row) {
      linked += 1;
      planRow(input, record, { row, copies: copies ?? [] }, plan);
    } else if (!copies) planNewRow(input, record, plan);
    else if (link) {
      const held = copiesToKeep(input, record.uuid, copies);
      plan.linkUpdates.push({ uuid: record.uuid, link: { ...withoutAbsence(link), copies: held, isInDoubt: true } });
    }
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

/** The links after a run. What was not done is stored as before. */
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

/** E7: the links to store before the calls of these wishes, each before its call. If no end of a call is noted, the next run knows what was asked for. */
export function wishIntents(
  { links }: Pick<FeedInput, 'links'>,
  changes: readonly Change[],
): ReadonlyMap<string, FeedLink> {
  return new Map(
    changes.flatMap(({ op, uuid, fields }): [string, FeedLink][] => {
      const link = links.get(uuid ?? '');
      if (op !== 'update' || !link) return [];
      const { isRefused: _before, writing: _over, ...rest } = link;
      return [[uuid!, { ...rest, asked: fields[0]?.after === 'on' ? 'on' : 'off' }]];
    }),
  );
}

/**
 * E7: the link to store once the call of a wish is over. Should the process end before the run has come to its cell, the next run
 * asks for nothing again that was carried out or refused. What did not arrive was not asked for. `record`: as the service
 * answered it.
 */
export function linkOnceOver(
  input: FeedInput,
  change: Change,
  answer: ControlAnswer,
  record?: FeedRecord,
): FeedLink | undefined {
  const uuid = change.uuid ?? '';
  if (answer.kind === 'failed') return input.links.get(uuid);
  const row = input.rows.find(({ number }) => number === change.row);
  const known = record ?? input.records.find((each) => each.uuid === uuid);
  if (!row || !known) return undefined;
  const links = wishIntents(input, [change]);
  const { link, meanwhile } = judgeControl({ ...input, links, answers: new Map([[uuid, answer]]) }, known, row);
  const { copies, isInDoubt } = links.get(uuid) ?? {};
  return { ...(meanwhile ?? link), ...(copies && { copies }), ...(isInDoubt && { isInDoubt }) };
}

/**
 * L10: the links to store before cells of the controlled field are written, also into new rows. If a crash follows, the next
 * run finds such a value in a cell and must not take it for a wish; what else it finds in a new row was typed there.
 */
export function controlIntents(
  { controlled, links }: Pick<FeedInput, 'controlled' | 'links'>,
  changes: readonly Change[],
): ReadonlyMap<string, FeedLink> {
  const intents = new Map<string, FeedLink>();
  for (const { op, uuid, fields } of changes) {
    const written = fields.find(({ field }) => field === controlled);
    const link = links.get(uuid ?? '');
    if (op === 'append' && written && !link) intents.set(uuid!, { agreed: written.after });
    if ((op !== 'set' && op !== 'append') || !written || !link) continue;
    // The cell that is replaced holds no wish. The next run has to know that if this write fails.
    const isKnown = op === 'set' && written.rule === 'F1' && written.before !== undefined;
    intents.set(uuid!, { ...link, ...(isKnown && { agreed: written.before }), writing: written.after });
  }
  return intents;
}

/**
 * The links after a push that did not reach these changes: nothing of them is in the tab. So what is found in their cells
 * later was typed, also where it is what was to be written. `before`: the links before the intents.
 */
export function withoutIntents(
  before: ReadonlyMap<string, FeedLink>,
  intents: ReadonlyMap<string, FeedLink>,
  unreached: readonly Change[],
): ReadonlyMap<string, FeedLink> {
  const links = new Map([...before, ...intents]);
  for (const { op, uuid } of unreached) {
    const intent = intents.get(uuid ?? '');
    if (uuid === null || !intent) continue;
    const { writing: _unwritten, ...rest } = intent;
    // The feed wrote no row of it (F3).
    if (op === 'append' && !before.has(uuid)) links.delete(uuid);
    else if (op === 'append') links.set(uuid, before.get(uuid)!);
    else if (op === 'set') links.set(uuid, rest);
  }
  return links;
}

interface Draft {
  readonly changes: Change[];
  readonly problems: Problem[];
  readonly linkUpdates: FeedLinkUpdate[];
  /** The answers of the service, for rows without a problem. */
  readonly said: Map<number, string>;
  /** Rows whose status stays as it is. */
  readonly silent: Set<number>;
}

/** G1: a collection that is suddenly empty is more likely a fault than the truth. */
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
  const held = copiesToKeep(input, record.uuid, copies);
  const withCopies = ({ copies: _before, isInDoubt: _doubt, ...rest }: FeedLink) =>
    held.length > 0 ? { ...rest, copies: held } : rest;
  const link = withCopies(control.link);
  if (link.said !== undefined) plan.said.set(row.number, link.said);
  if (control.meanwhile) plan.linkUpdates.push({ uuid: record.uuid, link: withCopies(control.meanwhile) });
  plan.linkUpdates.push({ uuid: record.uuid, link, ...(set && isControlWritten && { by: set }) });
}

/**
 * W11, I4: while the controlled column is lost, no row shows what it held there. So what earlier runs saw of copies stays known,
 * also if they went meanwhile: the row that is left may be one of them.
 */
function copiesToKeep(
  { links, controlled, missing = [] }: FeedInput,
  uuid: string,
  copies: readonly string[],
): readonly string[] {
  if (controlled === undefined || !missing.includes(controlled)) return copies;
  return [...new Set([...(links.get(uuid)?.copies ?? []), ...copies])].toSorted();
}

/** L4: a column that is lost keeps no record from its row. */
function planNewRow({ fields, controlled, missing = [] }: FeedInput, record: FeedRecord, plan: Draft): void {
  const cells = fields.flatMap(({ name, header }, index): FieldChange[] => {
    const after = missing.includes(name) ? null : (record.values[index] ?? null);
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
  const isShown = controlled !== undefined && !missing.includes(controlled);
  const agreed = isShown ? record.values[fields.findIndex(({ name }) => name === controlled)] : undefined;
  plan.changes.push(change);
  plan.linkUpdates.push({ uuid: record.uuid, link: agreed === undefined ? {} : { agreed }, by: change });
}

/** F3. If the row was copied, it is not deleted: the copies are quarantined, and none of them is ever deleted (I4). */
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
  const wanted = link && wishOfAbsent(input, link, row);
  if (wanted) {
    const open = { ...about, field: input.controlled ?? null };
    plan.problems.push(problem('held', open, 'E7', `${wanted} is not carried out: ${why}`));
  }
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

/** The status of each row: its problem, else what the service said last, else in sync. */
function statusTexts({ rows, links }: FeedInput, { problems, said, silent }: Draft): ReadonlyMap<number, string> {
  const isMark = ({ rule, uuid }: Problem) => rule === 'F3' && links.has(uuid ?? '');
  const texts = new Map(statusByRow(problems.filter((each) => !isMark(each) && each.rule !== 'F2')));
  for (const each of problems) {
    // A wish of a person that nobody carries out says why, too.
    if (isMark(each) && each.row !== null && !texts.has(each.row)) texts.set(each.row, `gone: ${each.reason}`);
  }
  for (const { number, id } of rows) {
    if (id === '' || silent.has(number)) texts.delete(number);
    else if (!texts.has(number)) texts.set(number, said.get(number) ?? inSync);
  }
  return texts;
}

function cellReading(cell: Cell | undefined): Reading {
  return typeof cell === 'object' && cell !== null ? undefined : cell;
}
