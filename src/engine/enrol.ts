// E1 to E5, carried out: who is due is looked at once more, the intent is written down, the call is made, and what came of
// it is written down. Calls are made two at a time, so that a crash leaves two of unknown outcome and not a hundred.
import { contactsByUuid } from '../crm/contacts-by-uuid.ts';
import {
  AuthenticationError,
  InvalidInputError,
  NotFoundError,
  OutcomeUnknownError,
  PermissionError,
  PlanLimitError,
  ServiceError,
  ValidationError,
} from '../crm/errors.ts';
import { matches } from '../crm/operations/filter.ts';
import type { Contact } from '../crm/operations/records.ts';
import { SheetsError } from '../sheets/errors.ts';
import type { Row, Snapshot } from '../sheets/port.ts';
import { type Change, type Problem, problem } from '../sync/change.ts';
import { callsOf, enrolmentId, type LedgerEntry, ledgerKey } from '../sync/ledger.ts';
import { vetoOf } from '../sync/veto.ts';
import { readWish } from '../sync/wish.ts';
import { resultText, type WishResult } from '../sync/wish-result.ts';
import type { PlanInput } from '../sync/input.ts';
import { failureProblem, type Outcome, type Outcomes } from '../sync/outcome.ts';
import { type RowRecord, unpack } from '../sync/record.ts';
import type { RuleId } from '../sync/rules.ts';
import { editCall, type RunContext, sheetCall } from './context.ts';
import type { Decided } from './decide.ts';
import { findNewcomer } from './in-flight.ts';
import type { LedgerBook, Newcomer } from './ledger.ts';
import type { Memory } from './memory.ts';
import type { Pulled } from './pull.ts';
import type { Journal } from './save.ts';

type Enrol = Extract<Change, { op: 'enrol' }>;
type CreateEnrolled = Extract<Change, { op: 'create' }> & { readonly enrol: string };
type Due = Enrol | CreateEnrolled;

export interface Enrolled {
  readonly outcomes: Map<Change, Outcome>;
  readonly problems: readonly Problem[];
  /** The result column after it, by row number. */
  readonly results: ReadonlyMap<number, string>;
}

/** Looked at once more in one go: as many as one search shows. */
const batchSize = 100;
/** Calls between two lines of the history: a crash loses no more of it; the ledger has them all. */
const journalSize = 10;
/** An hour ago is when the cap forgets; older instants are of no use to anybody. */
const callsKeptMs = 3_600_000;

/**
 * `cancelled`: what became of the cancels of this run. A changed wish is cancelled first, and waits while that did not
 * succeed (E5). The ledger has each call before and after it, the journal every few (L10, L12).
 */
export async function enrolInCrm(
  context: RunContext,
  book: LedgerBook,
  { retryRequestIds }: Pick<Memory, 'retryRequestIds'>,
  { scope, snapshot }: Pulled,
  { input, plan }: Decided,
  cancelled: Outcomes,
  journal: Pick<Journal, 'crm'>,
): Promise<Enrolled> {
  const { client, shape, request, run, emit, config } = context;
  const outcomes = new Map<Change, Outcome>();
  const problems: Problem[] = [];
  const told = new Map<number, WishResult[]>();
  const nameByUuid = new Map(input.automations?.map(({ uuid, name }) => [uuid, name]));
  await book.put(
    plan.wishes,
    [...plan.wishes.keys()].flatMap((key) => retryRequestIds.get(key.replace(' ', '/')) ?? []),
  );
  await noteCancels();
  const uncancelled = new Set(
    plan.changes.flatMap((change) =>
      change.op === 'cancel' && cancelled.get(change)?.kind !== 'done' ? [change.uuid] : [],
    ),
  );
  const due = plan.changes.filter(isDue).filter((change) => change.op === 'create' || !uncancelled.has(change.uuid));
  const rowByNumber = new Map(due.length === 0 ? [] : input.sheet.rows.map((row) => [row.number, row]));
  for (let start = 0; start < due.length && !request.signal.aborted; start += batchSize) {
    await enrolBatch(due.slice(start, start + batchSize));
  }
  return { outcomes, problems, results: withTold(plan.wishResults, told) };

  async function noteCancels(): Promise<void> {
    for (const change of plan.changes) {
      if (change.op !== 'cancel') continue;
      const outcome = cancelled.get(change);
      if (outcome?.kind === 'done') {
        await book.cancelled(change.uuid!, change.automation, client.serviceNow(), run);
      } else if (change.automation !== null) {
        const why = outcome && 'message' in outcome ? `: ${outcome.message}` : '';
        tell(change, change.automation, `waiting: is cancelled in the next run${why}`);
      }
    }
  }

  async function enrolBatch(batch: readonly Due[]): Promise<void> {
    const look = await lookAgain(context, snapshot, batch);
    for (let start = 0; start < batch.length && !request.signal.aborted; start += journalSize) {
      await enrolFew(batch.slice(start, start + journalSize), look);
    }
  }

  async function enrolFew(few: readonly Due[], look: Look): Promise<void> {
    const queue = [...few];
    const work = async () => {
      for (let change = queue.shift(); change && !request.signal.aborted; change = queue.shift()) {
        await enrolOne(change, look);
      }
    };
    const workers = await Promise.allSettled([work(), work()]);
    // Also when the token was refused meanwhile (W6): what came through before did happen.
    const results = few.flatMap((change) => (outcomes.has(change) ? [[change, outcomes.get(change)!] as const] : []));
    if (results.length > 0) await journal.crm(new Map(results));
    for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  }

  async function enrolOne(change: Due, look: Look): Promise<void> {
    const why = whyNot(change, look);
    if (why) return hold(change, why);
    const outcome = change.op === 'create' ? await createEnrolled(change) : await addContact(change);
    outcomes.set(change, outcome);
    emit({ type: 'change-done', sync: config.name, run, change, outcome });
    emit({ type: 'progress', sync: config.name, step: 'crm', done: outcomes.size, total: due.length });
  }

  /** E4, W3: does anything that was not known when this was planned speak against it? */
  function whyNot(change: Due, look: Look): Hold | undefined {
    if (look.kind === 'failed') return { kind: 'failed', rule: 'W3', reason: look.message };
    const planned = rowByNumber.get(change.row ?? 0);
    const row = planned && look.rowOf(change, planned);
    const automation = automationOf(change);
    const isWished = readWish(row?.wish ?? '', input.automations ?? []).automations.some(
      ({ uuid }) => uuid === automation,
    );
    if (!row || !isWished) return moved;
    const contact = change.op === 'enrol' ? look.contacts.get(change.uuid!) : undefined;
    const isHere = contact !== undefined && matches(contact, scope.filter) !== false;
    if (change.op === 'enrol' && !isHere) return moved;
    const values = [row.values, ...(contact ? [shape.fromContact(contact).values] : [])];
    const veto = values.map((each) => vetoOf(input.mapping, unpack(each))).find((each) => each !== undefined);
    return veto === undefined ? undefined : { kind: 'held', rule: 'E4', reason: `vetoed: ${veto}` };
  }

  function hold(change: Due, { kind, rule, reason }: Hold): void {
    const sentence = kind === 'held' ? reason : `waiting: ${reason}`;
    problems.push(problem(kind, { uuid: change.uuid, row: change.row }, rule, `enrolment ${sentence}`));
    tell(change, automationOf(change), sentence);
    // A contact that is not to be enrolled is one all the same: the next run makes it.
  }

  /** E2: an existing contact. */
  async function addContact(change: Enrol): Promise<Outcome> {
    const { uuid, automation } = change;
    const name = nameOf(automation);
    const key = ledgerKey(uuid!, automation);
    const known = book.entry(uuid!, automation);
    const at = client.serviceNow();
    const earlier = known ? callsOf(known).filter((each) => each > at - callsKeptMs) : [];
    await book.put(new Map([[key, { state: 'intended', at, run, name, calls: [...earlier, at] }]]));
    const settle = async (entry: LedgerEntry, outcome: Outcome): Promise<Outcome> => {
      await book.put(new Map([[key, entry]]));
      tell(change, automation, resultText(entry, name));
      if (outcome.kind !== 'done') {
        const said = failureProblem({ uuid: uuid!, row: change.row }, outcome);
        problems.push({ ...said, rule: ruleOf(outcome), id: enrolmentId(uuid!, automation) });
      }
      return outcome;
    };
    try {
      const answer = await client.automations.addContact({ flowUuid: automation, leadUuid: uuid! }, editCall);
      const now = client.serviceNow();
      return answer === 'added'
        ? await settle({ state: 'enrolled', at: now, run, name, calls: [...earlier, now] }, { kind: 'done' })
        : await settle({ state: 'skipped', at: now, run, name, calls: earlier }, { kind: 'done' });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const now = client.serviceNow();
      const { message } = error;
      if (error instanceof OutcomeUnknownError) {
        return settle({ state: 'unknown', at: now, run, name, calls: [...earlier, now] }, { kind: 'unknown', message });
      }
      if (isRefusal(error)) {
        return settle({ state: 'refused', at: now, run, name, message, calls: earlier }, { kind: 'refused', message });
      }
      // Surely not carried out: it keeps its place.
      const since = known?.state === 'waiting' ? known.at : at;
      const outcome = await settle(
        { state: 'waiting', at: since, run, name, calls: earlier },
        { kind: 'failed', message },
      );
      if (error instanceof AuthenticationError) throw error;
      return outcome;
    }
  }

  /** E2: created and enrolled in one call, and then found. */
  async function createEnrolled(change: CreateEnrolled): Promise<Outcome> {
    const { key, enrol: automation } = change;
    const row = rowByNumber.get(change.row ?? 0)!;
    const known = book.newcomer(key);
    const newcomer: Newcomer = {
      automation,
      name: nameOf(automation),
      at: client.serviceNow(),
      run,
      state: 'intended',
      identifiers: shape.identifiers(unpack(row.values)),
      ...(known && { isRepeated: true as const }),
    };
    await book.intend(key, newcomer);
    const custom_fields = shape.toCustomFields(change.fields);
    const body = {
      lead: shape.toLead(change.fields),
      list_uuid: scope.listUuid,
      update_lead_if_exists: false,
      move_to_list: config.contacts.moveToList,
      flow_segment_id: config.automation!.segment,
      // Who is there already is spared: found, linked, and then enrolled as an existing contact.
      skip_if_lead_exists: true,
      ...(Object.keys(custom_fields).length > 0 && { custom_fields }),
    };
    try {
      const answer = await client.automations.addNewLead({ flowUuid: automation, ...body }, editCall);
      switch (answer.outcome) {
        case 'added':
          return await added(change, newcomer, answer.contact);
        case 'skipped':
          return await skipped(change, newcomer);
        case 'unknown':
          return await unknown(change, newcomer, 'the answer says neither yes nor no');
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { message } = error;
      if (error instanceof OutcomeUnknownError) return unknown(change, newcomer, message);
      await withdraw(change, known);
      if (error instanceof AuthenticationError) throw error;
      const refused = isRefusal(error);
      tell(change, automation, refused ? `refused: ${message}` : `waiting: ${message}`);
      return { kind: refused ? 'refused' : 'failed', message };
    }
  }

  /** Surely not carried out: as it was before. */
  async function withdraw({ key }: CreateEnrolled, known: Newcomer | undefined): Promise<void> {
    await (known ? book.intend(key, known) : book.close(key));
  }

  async function added(change: CreateEnrolled, newcomer: Newcomer, answered: Contact | undefined): Promise<Outcome> {
    const { key, enrol: automation } = change;
    const at = client.serviceNow();
    const entry: LedgerEntry = { state: 'enrolled', at, run, name: newcomer.name, calls: [at] };
    await book.intend(key, { ...newcomer, at, state: 'added' });
    const contact = answered ?? (await findOrNone(newcomer));
    tell(change, automation, resultText(entry, nameOf(automation)));
    if (!contact) return { kind: 'done' };
    await book.close(key, [ledgerKey(contact.uuid, automation), entry]);
    return { kind: 'done', contact: shape.fromContact(contact) };
  }

  async function skipped(change: CreateEnrolled, newcomer: Newcomer): Promise<Outcome> {
    // The call before this one may have come through late: then it was that one that made the contact.
    if (newcomer.isRepeated) {
      const outcome = await unknown(change, newcomer, 'an earlier call may have been carried out');
      // Nobody is there by what was sent: the service goes by another key, and means somebody else.
      if (outcome.kind !== 'failed') return outcome;
    }
    await book.close(change.key);
    tell(change, change.enrol, 'skipped: already a contact');
    return { kind: 'moved' };
  }

  /** W4, E3: only that the contact does not exist proves that nothing happened. */
  async function unknown(change: CreateEnrolled, newcomer: Newcomer, message: string): Promise<Outcome> {
    const { key, enrol: automation } = change;
    const entry: LedgerEntry = {
      state: 'unknown',
      at: newcomer.at,
      run,
      name: newcomer.name,
      calls: [client.serviceNow()],
    };
    let contact: Contact | undefined;
    try {
      contact = await findNewcomer(context, newcomer.identifiers);
    } catch (error) {
      if (error instanceof AuthenticationError || !(error instanceof ServiceError)) throw error;
      tell(change, automation, resultText(entry, nameOf(automation)));
      return { kind: 'unknown', message };
    }
    if (contact) {
      await book.close(key, [ledgerKey(contact.uuid, automation), entry]);
      tell(change, automation, resultText(entry, nameOf(automation)));
      return { kind: 'unknown', message };
    }
    await book.intend(key, { ...newcomer, state: 'absent' });
    tell(change, automation, 'waiting: no answer came and nothing happened, is tried in the next run');
    return { kind: 'failed', message: `${message}; the contact does not exist, so it is tried again` };
  }

  async function findOrNone({ identifiers }: Newcomer): Promise<Contact | undefined> {
    try {
      return await findNewcomer(context, identifiers);
    } catch (error) {
      if (error instanceof AuthenticationError || !(error instanceof ServiceError)) throw error;
      return undefined;
    }
  }

  function tell({ row }: Change, automation: string, text: string): void {
    if (row !== null) told.set(row, [...(told.get(row) ?? []), { automation, text }]);
  }

  function nameOf(automation: string): string {
    return nameByUuid.get(automation) ?? automation;
  }
}

interface Hold {
  readonly kind: 'held' | 'waiting' | 'failed';
  readonly rule: RuleId;
  readonly reason: string;
}

const moved: Hold = { kind: 'waiting', rule: 'W3', reason: 'changed meanwhile, is looked at in the next run' };

function isDue(change: Change): change is Due {
  return change.op === 'enrol' || (change.op === 'create' && change.enrol !== undefined);
}

function automationOf(change: Due): string {
  return change.op === 'create' ? change.enrol : change.automation;
}

function isRefusal(error: ServiceError): boolean {
  return (
    error instanceof ValidationError ||
    error instanceof NotFoundError ||
    error instanceof PermissionError ||
    error instanceof PlanLimitError ||
    error instanceof InvalidInputError
  );
}

function ruleOf({ kind }: Outcome): RuleId {
  return kind === 'unknown' ? 'E3' : 'E4';
}

type Look =
  | {
      readonly kind: 'seen';
      readonly contacts: ReadonlyMap<string, Contact>;
      /** The row of a change as it is now; undefined: it is gone, or no longer what was planned for. */
      readonly rowOf: (change: Due, planned: RowRecord) => RowRecord | undefined;
    }
  | { readonly kind: 'failed'; readonly message: string };

/** E4: both sides, just before the calls. A look that fails holds these, and not the run (L4). */
async function lookAgain(context: RunContext, snapshot: Snapshot, batch: readonly Due[]): Promise<Look> {
  const uuids = batch.flatMap((change) => (change.op === 'enrol' ? [change.uuid!] : []));
  try {
    const seen = await context.table.read({ ...sheetCall(context), unless: snapshot.fingerprint });
    const contacts = await contactsByUuid(context.client, context.capabilities, uuids, editCall);
    return {
      kind: 'seen',
      contacts,
      rowOf: seen === 'unchanged' ? (_change, planned) => planned : finderIn(seen.rows),
    };
  } catch (error) {
    const isExpected = error instanceof ServiceError || error instanceof SheetsError;
    if (error instanceof AuthenticationError || !isExpected) throw error;
    return { kind: 'failed', message: error.message };
  }

  function finderIn(rows: readonly Row[]): Extract<Look, { kind: 'seen' }>['rowOf'] {
    const records = rows.map((row) => context.shape.fromRow(row, new Set()));
    const byId = new Map(records.map((row) => [row.id, row]));
    const byValues = new Map(records.map((row) => [row.values, row]));
    return (change, planned) => {
      if (planned.id !== '') return byId.get(planned.id);
      // Without an ID a row is known by what it holds.
      const row = byValues.get(planned.values);
      return row?.id === '' || row?.id === change.uuid ? row : undefined;
    };
  }
}

/** What was planned to be told, with what became of it in its place. */
function withTold(
  planned: ReadonlyMap<number, readonly WishResult[]>,
  told: ReadonlyMap<number, readonly WishResult[]>,
): ReadonlyMap<number, string> {
  const rows = new Set([...planned.keys(), ...told.keys()]);
  return new Map(
    [...rows].map((row) => {
      const textByAutomation = new Map((told.get(row) ?? []).map(({ automation, text }) => [automation, text]));
      const texts = (planned.get(row) ?? []).map(({ automation, text }) => textByAutomation.get(automation) ?? text);
      return [row, texts.join('; ')];
    }),
  );
}

/** E6: what `approve` lets through, and whether the ledger is to be relied on from now on. */
export function wishFacts(
  { run }: Pick<RunContext, 'run'>,
  known: HeldPlan | null | undefined,
  { counts, isLedgerTrusted }: Decided['plan'],
): { readonly isLedgerTrusted: boolean; readonly held?: HeldPlan | null } {
  // What was held goes on by itself once its cause went away (G4).
  const { enrolments } = counts;
  if (isLedgerTrusted || enrolments === 0) return { isLedgerTrusted, ...(known && { held: null }) };
  const planned = { creates: 0, changes: 0, blanks: 0, deletes: 0, missing: 0, enrolments };
  const isSame = known && JSON.stringify(known.planned) === JSON.stringify(planned);
  const reasons = [`${enrolments} wishes of contacts that were there before the state (E6)`];
  return { isLedgerTrusted, held: isSame ? known : { run, planned, reasons } };
}

export interface HeldPlan {
  readonly run: string;
  readonly planned: PlanInput['requests']['approved'] & {};
  readonly reasons?: readonly string[];
}
