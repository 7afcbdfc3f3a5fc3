// The two calls that enrol (E2, E3). The intent is stored before each call, and the outcome after it.
import { AuthenticationError, isRefusal, OutcomeUnknownError, refusalText, ServiceError } from '../../crm/errors.ts';
import { automationsOf } from '../sync/context.ts';
import type { Contact, CreatedEnrolled } from '../../crm/port.ts';
import { type Problem, problem } from '../../sync/change.ts';
import {
  callsOf,
  cancelledEntry,
  enrolmentId,
  type LedgerEntry,
  ledgerKey,
  withFoundCall,
} from '../../sync/record/ledger.ts';
import { failureProblem, type Outcome } from '../../sync/outcome.ts';
import { type RowRecord, unpack } from '../../sync/record/record.ts';
import type { RuleId } from '../../sync/rules.ts';
import { resultText } from '../../sync/enrolment/wish-result.ts';
import { setAfterCreate } from '../sync/after-create.ts';
import type { RunContext } from '../sync/context.ts';
import { findNewcomer } from '../sync/in-flight.ts';
import type { Pulled } from '../sync/pull.ts';
import { isUnbegun, type UrgentCall, urgentCallUntil } from '../stop.ts';
import type { CreateEnrolled, Due, Enrol } from './due.ts';
import type { LedgerBook, Newcomer } from './ledger.ts';

/** A person cancelled the wish before the call (E8): it was not made. */
export interface CalledOff {
  /** The sentence for the row. */
  readonly calledOff: string;
}

/** The result of a call. */
export interface Called {
  readonly outcome: Outcome;
  /** The sentence for the row. */
  readonly text: string;
  readonly problem?: Problem;
  /** The service refused the token: no further call can succeed (W6). */
  readonly stop?: AuthenticationError;
}

interface CallsDep {
  readonly book: LedgerBook;
  readonly scope: Pulled['scope'];
  readonly rowByNumber: ReadonlyMap<number, RowRecord>;
  /** The name of an automation, by its uuid. */
  readonly nameOf: (automation: string) => string;
}

/** The cap counts one hour; older instants have no use. */
const callsKeptMs = 3_600_000;

/** Throws errors that are not the service's. Throws an AuthenticationError if the call left nothing to report. */
export function createCalls(context: RunContext, { book, scope, rowByNumber, nameOf }: CallsDep) {
  const { crm, contacts, shape, run, config } = context;
  return {
    /**
     * Undefined: the call did not begin because the run was stopped (W8), or because the look was older than `outdatedAt` when its
     * turn in the budget came (E4). The ledger is as it was before.
     */
    make: (change: Due, outdatedAt: number): Promise<Called | CalledOff | undefined> =>
      change.op === 'create'
        ? createEnrolled(change, urgentCallUntil(context, outdatedAt))
        : addContact(change, urgentCallUntil(context, outdatedAt)),
  };

  /** E2: enrols an existing contact. */
  async function addContact(change: Enrol, call: UrgentCall): Promise<Called | CalledOff | undefined> {
    const { uuid, automation } = change;
    const key = ledgerKey(uuid!, automation);
    const known = book.entry(uuid!, automation);
    // E1: asked for again, it keeps the name by which its cell has it: another automation may have that name by now.
    const name = (known?.before && known.name) ?? nameOf(automation);
    // E8: a person cancelled it by the uuid that its contact had before (I10).
    if (known && known.state !== 'waiting') return { calledOff: resultText(known, name) };
    const at = crm.now();
    const earlier = known ? callsOf(known).filter((each) => each > at - callsKeptMs) : [];
    const kept = {
      ...(known?.before && { before: known.before }),
      ...(known?.isOurs && { isOurs: known.isOurs }),
    };
    await book.put(new Map([[key, { state: 'intended', at, run, name, calls: [...earlier, at] }]]));
    const cancels = await book.cancelsOf(uuid!, automation);
    if (cancels.length > 0) {
      const waited: LedgerEntry = known ?? { state: 'waiting', at, run, name };
      const entry = cancelledEntry(waited, at) ?? waited;
      await book.put(new Map([[key, entry]]), cancels);
      return { calledOff: resultText(entry, name) };
    }
    const settle = async (entry: LedgerEntry, outcome: Outcome): Promise<Called> => {
      await book.put(new Map([[key, entry]]));
      const text = resultText(entry, name);
      if (outcome.kind === 'done') return { outcome, text };
      const said = failureProblem({ uuid: uuid!, row: change.row }, outcome);
      return { outcome, text, problem: { ...said, rule: ruleOf(outcome), id: enrolmentId(uuid!, automation) } };
    };
    let answer: 'added' | 'already';
    try {
      answer = await automationsOf(context).enrol(uuid!, automation, call);
    } catch (error) {
      if (isUnbegun(error, context)) {
        await book.put(new Map([[key, known ?? null]]));
        return undefined;
      }
      if (!(error instanceof ServiceError)) throw error;
      const now = crm.now();
      const { message } = error;
      if (error instanceof OutcomeUnknownError) {
        return settle({ state: 'unknown', at: now, run, name, calls: [...earlier, now] }, { kind: 'unknown', message });
      }
      if (isRefusal(error)) {
        const said = refusalText(error);
        const refused: LedgerEntry = { state: 'refused', at: now, run, name, message: said, calls: earlier, ...kept };
        return settle(refused, { kind: 'refused', message: said });
      }
      // The call was certainly not carried out: the wish keeps its place.
      const since = known?.state === 'waiting' ? known.at : at;
      const called = await settle(
        { state: 'waiting', at: since, run, name, calls: earlier, ...kept },
        { kind: 'failed', message },
      );
      return error instanceof AuthenticationError ? { ...called, stop: error } : called;
    }
    // The call was made: when its outcome cannot be stored, the intent stays (E3).
    const now = crm.now();
    return answer === 'added'
      ? settle({ state: 'enrolled', at: now, run, name, calls: [...earlier, now] }, { kind: 'done' })
      : settle({ state: 'skipped', at: now, run, name, calls: earlier }, { kind: 'done' });
  }

  /** E2: creates and enrols a contact in one call, then finds it. */
  async function createEnrolled(change: CreateEnrolled, call: UrgentCall): Promise<Called | undefined> {
    const { key, enrol: automation } = change;
    const row = rowByNumber.get(change.row ?? 0)!;
    const known = book.newcomer(key);
    const newcomer: Newcomer = {
      automation,
      name: nameOf(automation),
      at: crm.now(),
      run,
      state: 'intended',
      identifiers: shape.identifiers(unpack(row.values)),
      ...(known && { isRepeated: true as const }),
    };
    await book.intend(key, newcomer);
    const later = new Set(shape.afterCreate(change.fields));
    const given = {
      list: scope.listUuid,
      fields: change.fields.filter((field) => !later.has(field)),
      automation,
      segment: config.automation!.segment,
      movesToList: config.contacts.moveToList,
    };
    let answer: CreatedEnrolled;
    try {
      answer = await contacts.createEnrolled!(given, call);
    } catch (error) {
      if (isUnbegun(error, context)) {
        await withdraw(change, known);
        return undefined;
      }
      if (!(error instanceof ServiceError)) throw error;
      const { message } = error;
      if (error instanceof OutcomeUnknownError) return unknown(change, newcomer, message);
      await withdraw(change, known);
      if (error instanceof AuthenticationError) throw error;
      return isRefusal(error)
        ? { outcome: { kind: 'refused', message: refusalText(error) }, text: `refused: ${refusalText(error)}` }
        : { outcome: { kind: 'failed', message }, text: `waiting: ${message}` };
    }
    // As above: what fails from here on is no failure of the call.
    switch (answer.outcome) {
      case 'added':
        return added(change, newcomer, answer.contact);
      case 'skipped':
        return skipped(change, newcomer);
      case 'unknown':
        return unknown(change, newcomer, 'the answer says neither yes nor no');
    }
  }

  /** Restores the ledger: the call was certainly not carried out. */
  async function withdraw({ key }: CreateEnrolled, known: Newcomer | undefined): Promise<void> {
    await (known ? book.intend(key, known) : book.close(key));
  }

  async function added(change: CreateEnrolled, newcomer: Newcomer, answered: Contact | undefined): Promise<Called> {
    const { key, enrol: automation } = change;
    const at = crm.now();
    const entry: LedgerEntry = { state: 'enrolled', at, run, name: newcomer.name, calls: [at] };
    await book.intend(key, { ...newcomer, at, state: 'added' });
    const contact = answered ?? (await findOrNone(newcomer));
    const text = resultText(entry, nameOf(automation));
    if (!contact) {
      const reason = 'was created and enrolled, and its ID is not known yet: the next run looks it up';
      return { outcome: { kind: 'done' }, text, problem: problem('waiting', { row: change.row }, 'E2', reason) };
    }
    await book.close(key, foundEntry(contact.uuid, automation, entry));
    const done = await setAfterCreate(context, contact, change.fields);
    return { outcome: answered ? done : { ...done, isFound: true }, text };
  }

  async function skipped(change: CreateEnrolled, newcomer: Newcomer): Promise<Called> {
    // The call before this one may have succeeded late, and may have created the contact.
    if (newcomer.isRepeated) {
      const called = await unknown(change, newcomer, 'an earlier call may have been carried out');
      // No contact has these identifiers: the service matched another contact by another key.
      if (called.outcome.kind !== 'failed') return called;
    }
    await book.close(change.key);
    const message = 'is a contact already: the next run links it, and then enrols it';
    return { outcome: { kind: 'moved', message }, text: 'skipped: already a contact' };
  }

  /** W4, E3: a call of unknown outcome. Only a contact that does not exist proves that nothing happened. */
  async function unknown(change: CreateEnrolled, newcomer: Newcomer, message: string): Promise<Called> {
    const { key, enrol: automation } = change;
    const entry: LedgerEntry = {
      state: 'unknown',
      at: newcomer.at,
      run,
      name: newcomer.name,
      calls: [crm.now()],
    };
    const open: Called = { outcome: { kind: 'unknown', message }, text: resultText(entry, nameOf(automation)) };
    let contact: Contact | undefined;
    try {
      contact = await findNewcomer(context, newcomer.identifiers);
    } catch (error) {
      if (error instanceof AuthenticationError || !(error instanceof ServiceError)) throw error;
      return open;
    }
    if (contact) {
      await book.close(key, foundEntry(contact.uuid, automation, entry));
      return open;
    }
    await book.intend(key, { ...newcomer, state: 'absent' });
    return {
      outcome: { kind: 'failed', message: `${message}; the contact does not exist, so it is tried again` },
      text: 'waiting: no answer came and nothing happened, is tried in the next run',
    };
  }

  /** The contact that is found may be one that the ledger knows: then it was there before the call. */
  function foundEntry(uuid: string, automation: string, entry: LedgerEntry): readonly [string, LedgerEntry] {
    return [ledgerKey(uuid, automation), withFoundCall(book.entry(uuid, automation), entry)];
  }

  async function findOrNone({ identifiers }: Newcomer): Promise<Contact | undefined> {
    try {
      return await findNewcomer(context, identifiers);
    } catch (error) {
      if (error instanceof AuthenticationError || !(error instanceof ServiceError)) throw error;
      return undefined;
    }
  }
}

function ruleOf({ kind }: Outcome): RuleId {
  return kind === 'unknown' ? 'E3' : 'E4';
}
