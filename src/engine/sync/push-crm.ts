// The plan's changes of the CRM, carried out. Every change ends as an outcome; only a refused token ends the run (W6).
import { AuthenticationError, mayHaveArrived } from '../../crm/errors.ts';
import { automationsOf } from './context.ts';
import type { Change } from '../../sync/change.ts';
import { groupHandOvers } from '../../sync/keys/handovers.ts';
import type { KeyLookup } from '../../sync/record/keys.ts';
import type { Outcome } from '../../sync/outcome.ts';
import type { LedgerBook } from '../enrolment/ledger.ts';
import type { RunContext } from './context.ts';
import { pushCreate } from './push-create.ts';
import { arrivedBefore, outcomeOf } from './push-outcome.ts';
import { pushUpdate, type Update } from './push-update.ts';
import type { Decided } from './decide.ts';
import { contactsMovedHere } from './moved-here.ts';
import { hasMoved, hasMovedSince, isTouched, lookAgain } from './look-again.ts';
import { findContact, noteLooked } from './looked-up.ts';
import { passKeysOn } from './pass-keys-on.ts';
import type { Journal } from './commit.ts';
import { isInScope, type Scope } from './pull.ts';
import { tellDone } from '../events.ts';
import { editCall } from '../stop.ts';
import type { KeptBack } from './rows-back.ts';
import { createFindOther } from './same-identifier.ts';
import { contactNow } from './write-calls.ts';

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
      pushUpdate({ context, scope, input, findOther, halves }, change, plan.people.get(change.uuid!));
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
