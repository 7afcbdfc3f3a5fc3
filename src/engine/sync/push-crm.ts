// The plan's changes of the CRM, carried out. Every change ends as an outcome; only a refused token ends the run (W6).
import {
  AuthenticationError,
  isRefusal,
  mayHaveArrived,
  NotFoundError,
  refusalText,
  ServiceError,
} from '../../crm/errors.ts';
import { automationsOf } from './context.ts';
import type { Contact, Refused } from '../../crm/port.ts';
import type { Change } from '../../sync/change.ts';
import { groupHandOvers } from '../../sync/keys/handovers.ts';
import type { PlanInput } from '../../sync/input.ts';
import type { KeyLookup } from '../../sync/record/keys.ts';
import { isSame, isStoredForm } from '../../sync/value/kinds.ts';
import { isReadFromCrm } from '../../sync/record/mapping.ts';
import type { Failure, Outcome } from '../../sync/outcome.ts';
import type { Person } from '../../sync/record/person.ts';
import { type ContactRecord, unpack } from '../../sync/record/record.ts';
import type { LedgerBook } from '../enrolment/ledger.ts';
import type { RunContext } from './context.ts';
import { pushCreate } from './push-create.ts';
import type { Decided } from './decide.ts';
import { contactsMovedHere } from './moved-here.ts';
import { crmValues, hasMoved, hasMovedSince, isTouched, lookAgain } from './look-again.ts';
import { findContact, noteLooked } from './looked-up.ts';
import { passKeysOn } from './pass-keys-on.ts';
import type { Journal } from './commit.ts';
import { isInScope, type Scope } from './pull.ts';
import { tellDone } from '../events.ts';
import { editCall, isUnbegun } from '../stop.ts';
import type { KeptBack } from './rows-back.ts';
import { createFindOther, type FindOther } from './same-identifier.ts';
import { contactNow, identify, refusedBy, unlessLost } from './write-calls.ts';

type Update = Extract<Change, { op: 'update' }>;
type Results = Map<Change, Outcome>;

/** W3: contacts looked at again in one search, and so the changes between two commits of their results. */
const batchSize = 100;

/** Creates, then updates (W1). The journal has each batch's results before the next one is begun (L10). */
export async function pushToCrm(
  context: RunContext,
  scope: Scope,
  { input, plan }: Decided,
  journal: Journal,
): Promise<Results> {
  const all: Results = new Map();
  const halves: Results = new Map();
  // Those that are enrolled by the same call come with the enrolments (E2).
  const creates = plan.changes.filter((change) => change.op === 'create').filter(({ enrol }) => enrol === undefined);
  const updates = plan.changes.filter((change) => change.op === 'update');
  const total = creates.length + updates.length;
  let done = 0;
  const findOther = createFindOther(context, input);
  const findHolder = async ({ by, value }: KeyLookup) =>
    (await findContact(context, { [by]: value }, editCall(context)))?.uuid;
  for (const batch of inBatches(creates))
    await pushBatch(batch, (change) => pushCreate(context, scope, { input, plan }, change));
  const movedHere = contactsMovedHere(creates, all);
  const ofThoseHere = updates.filter(({ uuid }) => movedHere.get(uuid!) !== 'not here');
  for (const groups of inBatchesOfGroups(groupHandOvers(input.mapping, ofThoseHere))) {
    if (context.request.signal.aborted) break;
    const look = await lookAgain(context, uuidsOf(groups.flat()));
    const isMoved = ({ uuid }: Update) => {
      const person = plan.people.get(uuid!);
      const answered = movedHere.get(uuid!);
      // The answer to the move shows the contact as it is now; a search may lag behind it.
      if (answered !== undefined && answered !== 'not here') return hasMovedSince(answered, input, person);
      if (look.kind !== 'seen') return false;
      const contact = look.contacts.get(uuid!);
      const isOther = hasMoved(context, scope, input, person, contact);
      if (isOther && contact) noteLooked(context, contact);
      return isOther;
    };
    const send = (change: Update) =>
      update({ context, scope, input, findOther, halves }, change, plan.people.get(change.uuid!));
    const alone = groups.flatMap((group) => (group.length === 1 ? group : []));
    await pushBatch(alone, async (change) => {
      if (look.kind === 'failed') return look;
      if (!isMoved(change)) return send(change);
      const seen = look.contacts.get(change.uuid!);
      // D4: the next run finds it the same, until one reads all contacts.
      if (!seen || isInScope(seen, scope)) return { kind: 'moved' };
      return {
        kind: 'moved',
        message: `no longer in ${scope.text}, or its filter leaves the contact out: nothing is sent, and the next full scan says which`,
      };
    });
    for (const group of groups) {
      if (group.length === 1) continue;
      if (look.kind === 'failed') await pushBatch(group, async () => look);
      else await passKeysOn(input, plan, group, { isMoved, send, push: pushBatch, outcomes: all, findHolder });
    }
  }
  return all;

  async function pushBatch<Some extends Change>(
    batch: readonly Some[],
    push: (change: Some) => Promise<Outcome>,
  ): Promise<void> {
    if (batch.length === 0 || context.request.signal.aborted) return;
    await journal.intend(batch);
    const outcomes = new Map<Change, Outcome>();
    const pushed = await Promise.allSettled(
      batch.map(async (change) => {
        // W8: nothing new is begun once the end was asked for.
        if (context.request.signal.aborted) return;
        const keep = (outcome: Outcome): void => {
          outcomes.set(change, outcome);
          note(change, outcome);
        };
        const outcome = await outcomeOf(context, () => push(change)).catch((error: unknown) => {
          // W6, L12: the note of the batch goes with the results of the others.
          const made = halves.get(change) ?? arrivedBefore(error);
          if (made) keep(made);
          throw error;
        });
        if (outcome) keep(outcome);
      }),
    );
    // In the order of the plan, whatever answered first.
    const results: Results = new Map(
      batch.flatMap((change) => (outcomes.has(change) ? [[change, outcomes.get(change)!]] : [])),
    );
    for (const [change, outcome] of results) all.set(change, outcome);
    // Also when the token was refused meanwhile (W6): what came through before did happen. Where the stop kept all of the
    // batch from beginning, the note of it goes: the next run would take it for calls whose outcome is unknown.
    if (results.size > 0 || context.request.signal.aborted) await journal.settle(results);
    for (const one of pushed) if (one.status === 'rejected') throw one.reason;
  }

  function note(change: Change, outcome: Outcome): void {
    tellDone(context, change, outcome);
    context.emit({ type: 'progress', sync: context.config.name, step: 'crm', done: (done += 1), total });
  }
}

/** D5: deletes come last. Each contact is asked for right before: a search may show it as it was half a minute ago. */
export async function deleteFromCrm(
  context: RunContext,
  scope: Scope,
  { input, plan }: Decided,
  { deletes, keptBack }: { readonly deletes: readonly Change[]; readonly keptBack: KeptBack },
  journal: Journal,
): Promise<Results> {
  const all: Results = new Map();
  const remove = async (uuid: string): Promise<Outcome> => {
    await context.contacts.remove(uuid, editCall(context));
    return { kind: 'done' };
  };
  for (const batch of inBatches(deletes)) {
    if (context.request.signal.aborted) break;
    const results: Results = new Map();
    await journal.intend(batch.filter((change) => !isCovered(keptBack(change))));
    for (const change of batch) {
      if (context.request.signal.aborted) break;
      const outcome = keptBack(change) ?? (await outcomeOf(context, () => lookAndRemove(change)));
      if (!outcome) break;
      results.set(change, outcome);
      all.set(change, outcome);
      if (!isCovered(outcome)) tellDone(context, change, outcome);
    }
    await journal.tell(withoutCovered(results));
  }
  return all;

  /** Gone is what was wanted, whoever did it. */
  async function lookAndRemove({ uuid, rule }: Change): Promise<Outcome> {
    const contact = await contactNow(context, uuid!);
    const differ = rule === 'S7' ? isTouched : undefined;
    const isMoved = contact !== undefined && hasMoved(context, scope, input, plan.people.get(uuid!), contact, differ);
    return isMoved ? { kind: 'moved' } : remove(uuid!);
  }
}

/**
 * E5: out of one automation; D1: out of all. A repeat is harmless. The ledger has each one before its call, so that what a
 * person types after a call without an answer does not find the contact enrolled.
 */
export async function cancelInCrm(
  context: RunContext,
  { cancels, keptBack }: { readonly cancels: readonly Change[]; readonly keptBack: KeptBack },
  journal: Journal,
  book: Pick<LedgerBook, 'intendCancel' | 'withdrawCancel'>,
): Promise<Results> {
  const results: Results = new Map();
  await journal.intend(cancels.filter((change) => !isCovered(keptBack(change))));
  for (const change of cancels) {
    if (context.request.signal.aborted) break;
    const kept = keptBack(change);
    if (kept) {
      results.set(change, kept);
      if (!isCovered(kept)) tellDone(context, change, kept);
      continue;
    }
    const automation = change.op === 'cancel' ? change.automation : null;
    await book.intendCancel(change.uuid!, automation);
    let outcome: Outcome | undefined;
    try {
      outcome = await outcomeOf(context, async () => {
        await automationsOf(context).cancel(change.uuid!, automation, editCall(context));
        return { kind: 'done' };
      });
    } catch (error) {
      // The token was refused. If that was for a repeat, the attempt before may have taken the contact out.
      if (error instanceof AuthenticationError && !mayHaveArrived(error)) await book.withdrawCancel();
      throw error;
    }
    if (outcome?.kind !== 'done' && outcome?.kind !== 'unknown') await book.withdrawCancel();
    if (!outcome) break;
    results.set(change, outcome);
    tellDone(context, change, outcome);
  }
  await journal.tell(withoutCovered(results));
  return results;
}

/**
 * V3: nothing is begun while merged cells cover what a change follows from. Each run finds that anew until somebody unmerges them: its
 * problem says so, and neither the history nor the log has it of each run (W9).
 */
function isCovered(outcome: Outcome | undefined): boolean {
  return outcome?.kind === 'failed' && outcome.isCovered === true;
}

function withoutCovered(results: Results): Results {
  return new Map([...results].filter(([, outcome]) => !isCovered(outcome)));
}

interface UpdateDep {
  readonly context: RunContext;
  readonly scope: Scope;
  readonly input: PlanInput;
  readonly findOther: FindOther;
  /** Outcomes of updates whose first call was carried out, and whose second one ended the run. */
  readonly halves: Results;
}

async function update(
  { context, scope, input, findOther, halves }: UpdateDep,
  change: Update,
  person: Person | undefined,
): Promise<Outcome> {
  const { contacts, shape } = context;
  const uuid = change.uuid!;
  const fields = change.fields.filter(({ field }) => !shape.isCustom(field));
  const custom = change.fields.filter(({ field }) => shape.isCustom(field));
  const call = editCall(context);
  let contact: Contact | undefined;
  const after: { isFound?: true } = {};
  if (fields.length > 0) {
    contact = await unlessLost(
      () => contacts.update(uuid, fields, call),
      // Harmless to repeat, and the client did: reading says what came of it.
      async () => {
        const now = await contacts.getNow(uuid, call);
        after.isFound = true;
        if (!isAsBefore(shape.toRecord(now), change, input.mapping)) return now;
        noteLooked(context, now);
        return undefined;
      },
    );
    const unseen = after.isFound ? sentUnseen(contact && shape.toRecord(contact), fields, input.mapping) : [];
    if (unseen.length > 0) {
      const what = contact
        ? `the contact does not show ${unseen.join(' and ')} as sent`
        : 'nothing shows that it arrived';
      const failure = { kind: 'unknown', message: `the answer was lost, and ${what}` } as const;
      return contact ? onlyFirst(contact, failure, unseen) : failure;
    }
    if (!contact) return { kind: 'failed', message: 'no answer came, and nothing was stored: it is tried again' };
  }
  if (custom.length > 0) {
    const identifiers = identify(context, contact ? unpack(shape.toRecord(contact).values) : crmValues(person));
    let answered: Contact | Refused;
    try {
      const other = await findOther(uuid, identifiers);
      answered = other
        ? {
            kind: 'refused',
            message: `custom fields go by ${Object.keys(identifiers)[0]}, and ${other} has it, too: make it unique`,
          }
        : await contacts.setCustomFields({ uuid, list: scope.listUuid, identifiers, fields: custom }, call);
    } catch (error) {
      if (!contact) throw error;
      // The next run reads the contact before it sends anything (W4).
      if (isUnbegun(error, context))
        return onlyFirst(contact, { kind: 'unknown', message: 'the end was asked for between its two calls' });
      if (error instanceof AuthenticationError) {
        halves.set(change, onlyFirst(contact, arrivedBefore(error) ?? { kind: 'failed', message: error.message }));
      }
      return onlyFirst(contact, failureOf(error));
    }
    if ('kind' in answered) {
      const refused = refusedBy(context, answered);
      return contact ? onlyFirst(contact, refused) : refused;
    }
    contact = answered;
  }
  return contact
    ? { kind: 'done', contact: shape.toRecord(contact), ...after }
    : { kind: 'failed', message: 'there was nothing to send' };

  /** L12: the first of two calls was carried out, and the second was not. `without`: fields of which that is not known. */
  function onlyFirst(answer: Contact, failure: Failure, without: readonly string[] = []): Outcome {
    if (failure.kind === 'moved') return failure;
    const names = fields.flatMap(({ field }) => (without.includes(field) ? [] : [field]));
    if (names.length === 0) return failure;
    const message = `${failure.message}; written before it: ${names.join(', ')}`;
    return { ...failure, message, written: { fields: names, contact: shape.toRecord(answer) } };
  }
}

/**
 * Nothing shows that the call was carried out. The fields that are read decide: the contact may have had the value of one that is
 * only sent before (M4). Those tell only where there is nothing else to compare.
 */
function isAsBefore(now: ContactRecord, { fields }: Update, mapping: PlanInput['mapping']): boolean {
  const values = unpack(now.values);
  const compared = fields.flatMap(({ field: name, before }) => {
    const index = mapping.fields.findIndex((field) => field.name === name);
    const { [index]: field } = mapping.fields;
    const { [index]: value } = values;
    return isReadFromCrm(field!) && value !== undefined ? [isSame(field!.kind, value, before ?? null)] : [];
  });
  if (compared.length > 0) return compared.every(Boolean);
  const sent = fields.filter(({ field: name }) => !isReadFromCrm(mapping.fields.find((field) => field.name === name)!));
  return sentUnseen(now, fields, mapping).length === sent.length;
}

/**
 * M4: names of fields that are only sent, and that the contact does not show as sent. What such a field held before is not known:
 * another value does not show that the call was carried out.
 */
function sentUnseen(
  now: ContactRecord | undefined,
  fields: Update['fields'],
  mapping: PlanInput['mapping'],
): readonly string[] {
  const values = now && unpack(now.values);
  return fields.flatMap(({ field: name, after }) => {
    const index = mapping.fields.findIndex((field) => field.name === name);
    const field = mapping.fields[index]!;
    if (isReadFromCrm(field)) return [];
    const value = values?.[index];
    return value !== undefined && isStoredForm(field.kind, value, after) ? [] : [name];
  });
}

/** Undefined: not begun, because the end was asked for (W8). */
async function outcomeOf(context: RunContext, push: () => Promise<Outcome>): Promise<Outcome | undefined> {
  try {
    return await push();
  } catch (error) {
    if (isUnbegun(error, context)) return undefined;
    return failureOf(error);
  }
}

/** W6: of a call for whose repeat the token was refused; undefined: it was refused at once, so that nothing came of the call. */
function arrivedBefore(error: unknown): Failure | undefined {
  const mayBeDone = error instanceof AuthenticationError && mayHaveArrived(error);
  return mayBeDone ? { kind: 'unknown', message: error.message } : undefined;
}

/** Throws what ends the run. */
function failureOf(error: unknown): Failure {
  if (error instanceof AuthenticationError || !(error instanceof ServiceError)) throw error;
  // L12: what an attempt without an answer did stays done, also where the next one was refused.
  if (mayHaveArrived(error)) return { kind: 'unknown', message: error.message };
  if (error instanceof NotFoundError)
    return { kind: 'moved', message: 'the service has it no more: the next run looks at it again' };
  return isRefusal(error)
    ? { kind: 'refused', message: refusalText(error) }
    : { kind: 'failed', message: error.message };
}

function uuidsOf(changes: readonly Change[]): string[] {
  return [...new Set(changes.map(({ uuid }) => uuid!))];
}

/** As many groups as make up a batch; what passes keys on among itself is looked at and carried out together. */
function* inBatchesOfGroups(groups: readonly (readonly Update[])[]): Generator<readonly (readonly Update[])[]> {
  let batch: (readonly Update[])[] = [];
  let size = 0;
  for (const group of groups) {
    if (size > 0 && size + group.length > batchSize) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(group);
    size += group.length;
  }
  if (batch.length > 0) yield batch;
}

function* inBatches<Some>(items: readonly Some[]): Generator<readonly Some[]> {
  for (let start = 0; start < items.length; start += batchSize) yield items.slice(start, start + batchSize);
}
