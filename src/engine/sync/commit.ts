// Stores the results of a run: the history of its changes, then the base that follows from them, each durable before the next.
import type { Batch, HistoryLine } from '../../state/port.ts';
import type { Facts } from '../stored/facts.ts';
import type { Base, Link, Stray } from '../../sync/record/base.ts';
import type { Change } from '../../sync/change.ts';
import type { Outcome, Outcomes } from '../../sync/outcome.ts';
import { type LedgerEntry, ledgerKey, readLedgerKey } from '../../sync/record/ledger.ts';
import type { RuleId } from '../../sync/rules.ts';
import { settle, type Settled } from '../../sync/settle/settle.ts';
import { pack, unpack } from '../../sync/record/record.ts';
import type { RunLease } from '../decisions-told.ts';
import type { RunContext } from './context.ts';
import type { Decided } from './decide.ts';
import { ofLedger, stepLine } from '../enrolment/history.ts';
import { type LedgerSteps, noSteps } from '../enrolment/ledger.ts';
import { changeLines, interrupted } from '../history.ts';
import { factChanges } from '../facts.ts';
import { mapChanges, replacing } from '../map-changes.ts';
import { withShownDates } from './looked-up.ts';
import type { Memory } from './memory.ts';
import { carriedOut, insufficient, unreadRetries, untriedRetries } from './decisions-left.ts';
import { outdatedResolutions } from './outdated.ts';
import { asStored } from '../stored/json.ts';
import type { AppendedRows, StepNote } from '../stored/records.ts';

/**
 * In the order in which things were done, each field with what both sides agreed on before. `steps` of the ledger that no
 * change tells have lines of their own, after the others.
 */
function historyLines(
  context: RunContext,
  { input, plan }: Decided,
  outcomes: Outcomes,
  steps: LedgerSteps,
): HistoryLine[] {
  const untold = new Map(steps);
  const placeByField = new Map(input.mapping.fields.map(({ name }, place) => [name, place]));
  const rowByContact = new Map<string, number | null>();
  const lines = [...outcomes].flatMap(([change, outcome]) => {
    const link = plan.people.get(change.uuid ?? '')?.link;
    const agreed = link ? unpack(link.agreed) : [];
    const ofFields = changeLines(context, change, outcome, (field) => {
      const before = agreed[placeByField.get(field) ?? -1];
      return { base: before ?? null, ...(before !== undefined && { agreed: true }) };
    });
    const made = outcome.kind === 'done' ? outcome.contact?.uuid : undefined;
    if (change.op === 'create' && made !== undefined) rowByContact.set(made, change.row);
    const ofChange =
      change.op === 'create' ? ofFields.map((line) => ({ ...line, is: createdAs(input, change, outcome) })) : ofFields;
    const entry = entryOf(change, outcome);
    return entry ? ofChange.map((line) => ({ ...line, ...ofLedger(entry) })) : ofChange;
  });
  const { run } = context;
  const own = [...untold].map(([key, entry]) => {
    const { uuid } = readLedgerKey(key);
    return stepLine(context, { key, entry, run, row: rowByContact.get(uuid) ?? null, ...whyStep(entry) });
  });
  return [...lines, ...own];

  /** The entry of the ledger for the one enrolment that the change is about. */
  function entryOf(change: Change, outcome: Outcome): Pick<LedgerEntry, 'name' | 'state'> | undefined {
    if ((change.op !== 'enrol' && change.op !== 'cancel') || change.automation === null) return undefined;
    const key = ledgerKey(change.uuid ?? '', change.automation);
    const step = untold.get(key);
    untold.delete(key);
    if (change.op === 'enrol') return step;
    return outcome.kind === 'done' ? { ...input.ledger.entries.get(key), state: 'cancelling' } : undefined;
  }
}

function whyStep(entry: LedgerEntry): { readonly rule: RuleId; readonly reason: string } {
  const { state, run, name = '', isCancelOpen } = entry;
  if (isCancelOpen) return { rule: 'E5', reason: 'the outcome of its cancel is not known' };
  if (state === 'cancelling') return { rule: 'D1', reason: 'taken out of all automations' };
  if (run === '' && state === 'unknown') return { rule: 'E3', reason: `wished for: ${name}` };
  // Only what a row proves was done by no run that is known.
  if (run === '') return { rule: 'E6', reason: 'the result column of the row says so' };
  return { rule: state === 'unknown' ? 'E3' : 'E2', reason: `created and enrolled in one call, wished for: ${name}` };
}

/** S7: whether a later undo may delete the contact. A contact that was there before is not this run's. */
function createdAs(
  { base, sheet }: Decided['input'],
  { moves }: Extract<Change, { op: 'create' }>,
  outcome: Outcome,
): 'new' | 'moved' | 'known' | 'unknown' {
  if (moves !== undefined) return 'moved';
  const uuid = outcome.kind === 'done' ? outcome.contact?.uuid : undefined;
  if (uuid === undefined) return 'unknown';
  return base.links.has(uuid) || sheet.rows.some(({ id }) => id === uuid) ? 'known' : 'new';
}

/** The differences between a settled run and the memory before it, as one batch; and the memory after it. */
export function toBatch(
  memory: Memory,
  settled: Pick<Settled, 'links' | 'strays'>,
  facts: Facts,
  doneRequests: readonly string[],
): { readonly batch: Batch; readonly base: Base; readonly isEmpty: boolean } {
  const links = mapChanges<Link>(memory.base.links, settled.links);
  const strays = replacing<Stray>(memory.base.strays, settled.strays);
  const facted = factChanges(memory.facts, facts);
  // M9, L3: stored values go by the order of the fields, so that with another order every link is stored again.
  const isReordered = memory.facts.fields !== undefined && facted.has('fields');
  const isWhole = isReordered || memory.isReopened === true;
  const put = isWhole ? asStored(links.result) : links.changes.put;
  const batch: Batch = {
    ...((links.isChanged || isWhole) && { links: { ...links.changes, put } }),
    ...(strays.isChanged && { strays: strays.changes }),
    ...(facted.size > 0 && { facts: { put: facted } }),
    ...(doneRequests.length > 0 && { doneRequests }),
  };
  return {
    batch,
    base: { fields: memory.base.fields, links: links.result, strays: strays.result },
    isEmpty: Object.keys(batch).length === 0,
  };
}

/**
 * Keeps what a run does as it does it. Before a step its changes are noted in the outbox, after it they go into the
 * history with their outcomes: should the process end in between, the next run moves the note there (`interrupted.ts`).
 */
export interface Journal {
  readonly intend: (changes: readonly Change[]) => Promise<void>;
  /** Changes of contacts, cells and new rows that were just made; the base of those that are confirmed follows at once. */
  readonly settle: (outcomes: Outcomes, steps?: LedgerSteps) => Promise<void>;
  /** Whether the base has a link of the contact by now, or had one of anybody when the run began. */
  readonly isKnown: (uuid: string) => boolean;
  /** Other changes that were just made: remembered at the end of the run. */
  readonly tell: (outcomes: Outcomes, steps?: LedgerSteps) => Promise<void>;
  /**
   * S7: what the links say once their row or contact is gone, before it goes, and which contacts the service may show for a while after
   * that. `end` takes it back where they did not go.
   */
  readonly mark: (links: ReadonlyMap<string, Link>, leaving: Pick<Facts, 'tombstones'>) => Promise<void>;
  /**
   * `left`: what a run that was stopped did not begin. W9: nothing at all where nothing changed and there is no news; what only
   * passes (`passing`) goes along with a write.
   */
  readonly end: (settled: Settled, passing: Facts, left: readonly Change[]) => Promise<void>;
}

export function openJournal(
  context: RunContext,
  lease: RunLease,
  memory: Memory,
  decided: Decided,
  facts: Facts,
): Journal {
  let known = memory;
  let steps = 0;
  /** Notes in the outbox: of the step under way, and of those that the history has by now. */
  let open: string[] = [];
  let done: string[] = [];
  let hasWritten = false;
  /** Contacts that the service took out of an automation, or refused to. */
  const cancelled = new Set<string>();
  /** L3: rows that may have been appended, and notes of such rows of earlier runs, which this one looks at. */
  const unseen: Change[] = [];
  const looked = [...memory.interrupted.notes].flatMap(([key, { appends }]) => (appends ? [key] : []));
  /** By uuid: what was done to contacts so far. */
  const ofContact = new Map<string, Outcomes>();
  const commit = async (batch: Batch, base: Base, learnt: Facts): Promise<void> => {
    const outbox = done.length > 0 && { outbox: { ...batch.outbox, delete: done } };
    await lease.commit({ ...batch, ...outbox });
    hasWritten = true;
    done = [];
    known = { ...known, base, facts: { ...known.facts, ...learnt }, isReopened: false };
  };
  const isLinked = (uuid: string) => known.base.links.has(uuid);
  const appendsOf = (changes: readonly Change[]) => toAppended(changes, decided.input.mapping.fields);
  const tell = async (outcomes: Outcomes, ledgerSteps = noSteps): Promise<void> => {
    const lines = historyLines(context, decided, outcomes, ledgerSteps);
    if (lines.length > 0) await lease.appendHistory(lines);
    for (const [change, { kind }] of outcomes) {
      const { op, uuid } = change;
      if (op === 'cancel' && uuid !== null && (kind === 'done' || kind === 'refused')) cancelled.add(uuid);
      if (op === 'append' && kind === 'unknown' && !isLinked(uuid ?? '')) unseen.push(change);
    }
    done = [...done, ...open];
    open = [];
  };
  const dated = (links: Settled['links']) =>
    withShownDates(context, { known: known.base.links, before: memory.base.links }, links, decided.input.now);
  return {
    isKnown: (uuid) => memory.base.links.size > 0 || isLinked(uuid),
    tell,
    async mark(links, leaving) {
      if (links.size === 0) return;
      const learnt = { ...facts, ...leaving };
      const { batch, base } = toBatch(known, { links, strays: known.base.strays }, learnt, []);
      await commit(batch, base, learnt);
    },
    async intend(changes) {
      if (changes.length === 0) return;
      steps += 1;
      const note = `${context.run} ${steps}`;
      const lines = historyLines(
        context,
        decided,
        new Map(changes.map((change) => [isLinked(change.uuid ?? '') ? change : brief(change), interrupted])),
        noSteps,
      );
      const creates = changes.flatMap((change) => (change.op === 'create' ? [change.key] : []));
      const appends = appendsOf(changes.filter(({ uuid }) => !isLinked(uuid ?? '')));
      const step: StepNote = { lines, ...(creates.length > 0 && { creates }), ...(appends && { appends }) };
      await lease.commit({ outbox: { put: new Map([[note, step]]), delete: done } });
      done = [];
      open = [note];
    },
    async settle(outcomes, ledgerSteps) {
      await tell(outcomes, ledgerSteps);
      const nothing = { ...decided.plan, links: new Map(), problems: [] };
      // A contact that lets go of a key is written twice (I7), and its cells come later: what follows of the last follows of all.
      const whole = joined(...[...outcomes.keys()].map(({ uuid }) => ofContact.get(uuid ?? '') ?? new Map()), outcomes);
      for (const [change, outcome] of outcomes) {
        const made = outcome.kind === 'done' ? outcome.contact?.uuid : undefined;
        const uuid = change.uuid ?? made;
        if (uuid !== undefined) ofContact.set(uuid, new Map([...(ofContact.get(uuid) ?? []), [change, outcome]]));
      }
      const settled = settle(decided.input, nothing, whole);
      // I10, L10: the link that it continues ends with the same commit. Its own ID may not be in the row yet either.
      const rowIds = new Set([...settled.links.values()].flatMap((link) => link?.rowId || []));
      const isContinued = (uuid: string) => rowIds.has(uuid) || rowIds.has(known.base.links.get(uuid)?.rowId ?? '');
      const ended = [...decided.plan.links].flatMap(([uuid, link]) =>
        link === null && isContinued(uuid) ? [uuid] : [],
      );
      const links = new Map([...settled.links, ...ended.map((uuid) => [uuid, null] as const)]);
      const strays = withCreated(known.base.strays, settled.strays, outcomes);
      const { batch, base } = toBatch(known, { links: dated(links), strays }, facts, []);
      await commit(batch, base, facts);
    },
    async end(ended, passing, left) {
      const settled = { ...ended, links: dated(ended.links) };
      const { mapping } = decided.input;
      const unread = unreadRetries(memory, settled, decided);
      const undone = { left, unchosen: unchosenOf(decided) };
      const untried = untriedRetries(memory, settled, decided, cancelled);
      const finished = carriedOut(memory, settled, mapping, undone).filter(
        (id) => !unread.waiting.has(id) && !untried.has(id),
      );
      const outdated = outdatedResolutions(memory, settled, mapping, finished);
      lease.makesVoid([...outdated, ...unread.over, ...insufficient(memory, decided.plan)]);
      const doneRequests = [...new Set([...finished, ...outdated])];
      const mayLack = appendsOf(unseen);
      const over = context.undoes === undefined ? looked : [];
      const isNoted = mayLack !== undefined || over.length > 0;
      const mayBeQuiet = done.length === 0 && !hasWritten && !isNoted && !isNews(memory.facts, passing);
      if (mayBeQuiet && toBatch(known, settled, facts, doneRequests).isEmpty) return;
      const learnt = { ...facts, ...passing };
      const { batch, base } = toBatch(known, settled, learnt, doneRequests);
      done = [...done, ...over];
      const note = mayLack && new Map([[`${context.run} appended`, { lines: [], appends: mayLack }]]);
      await commit({ ...batch, ...(note && { outbox: { put: note } }) }, base, learnt);
    },
  };
}

/** undefined: none of them appends a row. */
function toAppended(
  changes: readonly Change[],
  fields: Decided['input']['mapping']['fields'],
): AppendedRows | undefined {
  const rows = changes.flatMap((change): AppendedRows['rows'] => {
    if (change.op !== 'append' || change.uuid === null) return [];
    const given = new Map(change.fields.map(({ field, after }) => [field, after]));
    return [[change.uuid, pack(fields.map(({ name }) => given.get(name)))]];
  });
  return rows.length === 0 ? undefined : { fields: fields.map(({ name }) => name), rows };
}

/**
 * `status` tells what is open. What only waits differs in every run, and so may how much of a pull is missing: that a pull
 * is not whole is news, how many contacts it lacks today is not (W9). That fewer records wait is news, or one would be told to wait
 * for ever. Which columns are there is known to the next run (W11).
 */
function isNews({ lastRun: before }: Facts, { lastRun: now, columns }: Facts): boolean {
  if (columns !== undefined) return true;
  const openIn = (run: Facts['lastRun']) =>
    JSON.stringify(
      run?.problems.flatMap((each) => (each.kind === 'waiting' ? [] : [each.kind === 'incomplete' ? each.id : each])) ??
        [],
    );
  // A row that waits and was moved has another id.
  const isOver = (before?.counts.waiting ?? 0) > (now?.counts.waiting ?? 0);
  return (before?.status ?? 'succeeded') !== now?.status || isOver || openIn(before) !== openIn(now);
}

/** I3, W5: what came of the rows that were to become contacts. Other rows follow at the end of the run. */
function withCreated(
  known: ReadonlyMap<string, Stray>,
  settled: ReadonlyMap<string, Stray>,
  outcomes: Outcomes,
): ReadonlyMap<string, Stray> {
  const created = [...outcomes.keys()].flatMap((change) => (change.op === 'create' ? [change.key] : []));
  if (created.length === 0) return known;
  const strays = new Map(known);
  for (const key of created) {
    const stray = settled.get(key);
    if (stray) strays.set(key, stray);
    else strays.delete(key);
  }
  return strays;
}

/** A new record replaces no value: the note says only that it was begun. Of a row that is made again the base has to know the cells. */
function brief(change: Change): Change {
  return change.op === 'create' || change.op === 'append' ? { ...change, fields: [] } : change;
}

/** W3, G6: changes that this run was not to make: the saved plan does not have them, or nobody approved their record. */
export function unchosenOf({ plan, whole }: Pick<Decided, 'plan' | 'whole'>): readonly Change[] {
  if (plan === whole) return [];
  const chosen = new Set(plan.changes);
  return whole.changes.filter((change) => !chosen.has(change));
}

/** For `Change` keyed results of several pushes. */
export function joined(...parts: readonly Outcomes[]): Outcomes {
  return new Map(
    parts.flatMap((part) => [...part] as [Change, typeof part extends ReadonlyMap<Change, infer O> ? O : never][]),
  );
}
