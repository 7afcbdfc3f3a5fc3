// Finds the enrolment or message that a cancel means, and says what speaks against it.
import type { DecisionRequest } from '../engine/decision.ts';
import { type Standing, standingOf } from '../engine/standing.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { Message } from '../sync/outbox/message.ts';
import type { SyncState } from '../state/port.ts';
import { enrolmentId, enrolmentIdToKey, type LedgerEntry, readLedgerKey } from '../sync/record/ledger.ts';
import { OperatorError } from './errors.ts';
import type { Operator } from './operator.ts';
import { contactsOf, isUuid, readMeant, rowNumber } from './records.ts';
import { ownRows } from './rows-by-id.ts';
import type { NamedJob } from './select.ts';

export interface Cancellable {
  readonly job: string;
  readonly kind: 'sync' | 'outbox';
  /** As the decision has it: `UUID/AUTOMATION`, or the ID of the row of an outbox. */
  readonly id: string;
  /** `none`: the ledger has forgotten it. */
  readonly state: LedgerEntry['state'] | Message['state'] | 'none';
  /** Epoch milliseconds: since when, or when. */
  readonly at: number;
  /** The enrolment or message, with the person, for sentences. */
  readonly what: string;
  /** Name and e-mail address, as far as they are known. */
  readonly person: string | null;
  readonly row: number | null;
  /** A cancel of it that no run has taken up yet. */
  readonly decision: DecisionRequest | undefined;
  /** A retry of it that no run has taken up yet, and that no cancel has ended. */
  readonly retry: DecisionRequest | undefined;
  /** The state before a person asked for it again, if it was done or may have been. A cancel leaves it as that. */
  readonly earlier: { readonly state: string; readonly at: number } | undefined;
}

/** Throws OperatorError if it is none, or several, and StateError. */
export async function findCancellable(
  operator: Operator,
  jobs: readonly NamedJob[],
  given: string,
): Promise<Cancellable> {
  const found: Cancellable[] = [];
  const near: string[] = [];
  for (const { name, kind } of jobs) {
    if (kind === 'outbox') found.push(...(await messagesOf(operator, name, given)));
    else if (kind === 'sync') {
      const { meant, known } = await enrolmentsOf(operator, name, given);
      found.push(...meant);
      near.push(...known);
    }
  }
  const waiting = found.filter(({ state, retry }) => state === 'waiting' || state === 'refused' || retry !== undefined);
  const hits = waiting.length > 0 ? waiting : found;
  if (hits.length === 1) return hits[0]!;
  if (hits.length > 1) {
    const each = hits.map(({ job, id, what }) => `leadsheet cancel ${id} --sync ${job} (${what})`);
    throw new OperatorError('ambiguous', `${given} is ${hits.length} things: name one of ${each.join(', ')}`);
  }
  const isRow = rowNumber(given) !== undefined;
  const hint = isRow ? '' : didYouMean(given, near);
  const advice = isRow
    ? '; a row without a contact has nothing to cancel yet: empty its cell'
    : '; leadsheet explain shows the wishes and messages of a contact';
  throw new OperatorError('unknown', `no enrolment and no message is known of ${given}${hint || advice}`);
}

/** The same one as it is now. Throws StateError. */
export async function readAgain(operator: Operator, { job, kind, id, row }: Cancellable): Promise<Cancellable> {
  const state = operator.store.sync(job);
  if (kind === 'outbox') return ofMessage(job, standingOf(await state.loadSome({ keys: [id] })), { id, row });
  const { uuid } = readLedgerKey(enrolmentIdToKey(id));
  return ofEnrolment(job, standingOf(await state.loadSome({ keys: [uuid] })), { id, row });
}

/** As a list shows it. */
export interface CancelSubject {
  readonly job: string;
  /** `UUID/AUTOMATION`, or the ID of the row of an outbox. */
  readonly id: string;
  readonly row: number | null;
}

/** One for each of `subjects`, in their order, from one look at each job. Jobs that are no sync and no outbox are left out. */
export async function readCancellables(
  operator: Operator,
  jobs: readonly NamedJob[],
  subjects: readonly CancelSubject[],
): Promise<readonly (Cancellable | undefined)[]> {
  const standings = new Map<string, Standing>();
  for (const [job, ofJob] of Map.groupBy(subjects, (each) => each.job)) {
    const keys = ofJob.flatMap(({ id }) => [id, readLedgerKey(enrolmentIdToKey(id)).uuid]);
    standings.set(job, standingOf(await operator.store.sync(job).loadSome({ keys })));
  }
  return subjects.map((subject) => {
    const kind = jobs.find(({ name }) => name === subject.job)?.kind;
    const standing = standings.get(subject.job)!;
    if (kind === 'outbox') return ofMessage(subject.job, standing, subject);
    return kind === 'sync' ? ofEnrolment(subject.job, standing, subject) : undefined;
  });
}

interface Place {
  readonly id: string;
  readonly row: number | null;
}

async function messagesOf({ store }: Operator, job: string, given: string): Promise<readonly Cancellable[]> {
  const state = store.sync(job);
  const number = rowNumber(given);
  const rows = await readOwnRows(state);
  const id = number === undefined ? given.trim().toLowerCase() : rows.get(number);
  if (id === undefined) return [];
  const standing = standingOf(await state.loadSome({ keys: [id] }));
  return standing.messages.has(id) ? [ofMessage(job, standing, { id, row: number ?? rowOf(rows, id) })] : [];
}

/** I4: a copied row names the contact or message of another row, and is not meant by its number. */
async function readOwnRows(state: SyncState): Promise<ReadonlyMap<number, string>> {
  const { lastRun } = standingOf(await state.loadSome({}));
  return ownRows((await state.readRows()) ?? new Map(), lastRun?.problems);
}

function rowOf(rows: ReadonlyMap<number, string>, wanted: string): number | null {
  for (const [row, id] of rows) if (id === wanted) return row;
  return null;
}

/** `known`: the names of the automations of the contact, for a hint. */
async function enrolmentsOf(
  { store }: Operator,
  job: string,
  given: string,
): Promise<{ readonly meant: readonly Cancellable[]; readonly known: readonly string[] }> {
  const [, person = given, automation] = /^([^/]+)\/(.+)$/.exec(given.trim()) ?? [];
  const state = store.sync(job);
  const rows = await readOwnRows(state);
  const number = rowNumber(person);
  const reference = number === undefined ? person : (rows.get(number) ?? '');
  if (reference === '') return { meant: [], known: [] };
  const standing = await readMeant(state, reference);
  const uuids = contactsOf(standing, reference);
  if (uuids.length > 1) {
    const each = uuids.map((uuid) => `${uuid} (${standing.personText(uuid)})`);
    throw new OperatorError(
      'ambiguous',
      `${person} is ${uuids.length} contacts of ${job}: name one of ${each.join(', ')}`,
    );
  }
  // Links forget a contact that was deleted, and the ledger does not.
  const uuid = uuids[0] ?? (isUuid(reference) ? reference.toLowerCase() : undefined);
  const entries = [...standing.ledger].filter(([key]) => readLedgerKey(key).uuid === uuid);
  const wanted = automation?.trim().toLowerCase();
  const meant = entries.filter(
    ([key, { name }]) =>
      wanted === undefined || readLedgerKey(key).automation === wanted || name?.toLowerCase() === wanted,
  );
  return {
    meant: meant.map(([key]) => {
      const { uuid: contact, automation: which } = readLedgerKey(key);
      return ofEnrolment(job, standing, { id: enrolmentId(contact, which), row: rowOf(rows, contact) });
    }),
    known: entries.flatMap(([, { name }]) => (name === undefined ? [] : [`${person}/${name}`])),
  };
}

function ofEnrolment(job: string, standing: Standing, { id, row }: Place): Cancellable {
  const key = enrolmentIdToKey(id);
  const { uuid, automation } = readLedgerKey(key);
  const entry = standing.ledger.get(key);
  const person = standing.personText(uuid);
  return {
    job,
    kind: 'sync',
    id,
    state: entry?.state ?? 'none',
    at: entry?.at ?? 0,
    what: `the enrolment of ${person} in ${entry?.name ?? automation}`,
    person: person === uuid ? null : person,
    row,
    decision: pendingCancel(standing, id),
    retry: pendingRetry(standing, id),
    earlier: entry?.before,
  };
}

function ofMessage(job: string, standing: Standing, { id, row }: Place): Cancellable {
  const message = standing.messages.get(id);
  const place = row === null ? `with the ID ${id}` : `in row ${row}`;
  return {
    job,
    kind: 'outbox',
    id,
    state: message?.state ?? 'none',
    at: message?.at ?? 0,
    what: `the message ${place} of ${job}${message?.name === undefined ? '' : ` to ${message.name}`}`,
    person: message?.name ?? null,
    row,
    decision: pendingCancel(standing, id),
    retry: pendingRetry(standing, id),
    earlier: message?.was,
  };
}

function pendingCancel({ requests }: Standing, id: string): DecisionRequest | undefined {
  return requests.findLast((each) => each.kind === 'cancel' && each.id === id);
}

/** E8: the later of `cancel` and `retry` counts. */
function pendingRetry({ requests }: Standing, id: string): DecisionRequest | undefined {
  const last = requests.findLast((each) => (each.kind === 'retry' || each.kind === 'cancel') && each.id === id);
  return last?.kind === 'retry' ? last : undefined;
}

/** Why it is not cancelled, with what does end it; undefined: it can be. */
export function whyNotCancelled({ config }: Pick<Operator, 'config'>, each: Cancellable): string | undefined {
  const { job, kind, state, at, what, decision, id } = each;
  // E8: the second try is cancelled, whatever came of the first one.
  if (each.retry) return undefined;
  const instant = new Date(at).toISOString();
  const retry = `leadsheet retry ${id}${kind === 'outbox' ? ` --sync ${job}` : ''}`;
  switch (state) {
    case 'waiting':
      return decision ? `${what} is cancelled already: the next run tells its row` : undefined;
    case 'refused':
      if (kind === 'outbox') return whyNotCancelled({ config }, { ...each, state: 'waiting' });
      return `nothing to cancel: ${what} was refused, and is not tried again by itself`;
    case 'cancelled':
      return `${what} is cancelled already; to take it up again: ${retry}`;
    case 'none':
      return `nothing to cancel: ${what} is not wished for any more`;
    case 'intended':
      return `too late: a call for ${what} began at ${instant}. Once its run has ended, leadsheet explain tells what came of it`;
    case 'unknown':
      return `too late: a call for ${what} was made at ${instant}, and what came of it is unknown. It is not made again by itself: look in the service`;
    case 'sent':
      return `too late: ${what} was sent at ${instant}`;
    case 'enrolled':
      return `too late: ${what} was done at ${instant}; ${howToStop(config, job)}`;
    case 'skipped':
      return `too late: ${what} was there already at ${instant}; ${howToStop(config, job)}`;
    case 'cancelling':
      return `nothing to cancel: ${what} is being ended in the service since ${instant}`;
  }
}

/** E5. */
function howToStop({ syncs }: Operator['config'], job: string): string {
  const onClear = syncs.find(({ name }) => name === job)?.automation?.onClear;
  return onClear === 'cancel'
    ? 'to end it, take the automation out of its cell: on_clear is cancel, and the next run takes the contact out of it'
    : 'to end it, take the contact out of the automation in the service: on_clear is ignore, so that an emptied cell ends nothing';
}
