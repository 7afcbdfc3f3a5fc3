// Carries out updates that pass keys from contact to contact, in turn: all of them, or none (I7).
import { restoreKeys } from '../../sync/keys/handovers.ts';
import { type KeyLookup, keyLookupOf, soleKeyNames } from '../../sync/record/keys.ts';
import type { Field } from '../../sync/record/mapping.ts';
import type { Change } from '../../sync/change.ts';
import { isSame } from '../../sync/value/kinds.ts';
import type { PlanInput } from '../../sync/input.ts';
import type { Outcome, Outcomes } from '../../sync/outcome.ts';
import type { Plan } from '../../sync/plan.ts';
import { unpack } from '../../sync/record/record.ts';
import { hasMovedSince } from './look-again.ts';

type Update = Extract<Change, { op: 'update' }>;

interface PassDep {
  /** Whether the contact changed, by the reading right before the write (W3). */
  readonly isMoved: (change: Update) => boolean;
  readonly send: (change: Update) => Promise<Outcome>;
  /** Carries changes out and keeps their outcomes. Does nothing after a stop (W8). */
  readonly push: (changes: readonly Update[], carryOut: (change: Update) => Promise<Outcome>) => Promise<void>;
  /** The outcomes that `push` has kept so far. */
  readonly outcomes: Outcomes;
  /** The uuid of the contact that the service finds by a key now. Throws what a lookup throws. */
  readonly findHolder: (key: KeyLookup) => Promise<string | undefined>;
}

const waits: Outcome = {
  kind: 'moved',
  message: 'waits for the contact that is to give up the key: planned again',
};

/**
 * `group`: in an order in which each key is free before it is taken (`handovers`). If one update cannot be written, the
 * released keys are put back, and so is every key that was taken since. If it may have been written, or the run was
 * stopped, the next run goes on from the contacts' values: the base shows which blanks are ours.
 */
export async function passKeysOn(input: PlanInput, plan: Plan, group: readonly Update[], dep: PassDep): Promise<void> {
  const { isMoved, send, push, outcomes, findHolder } = dep;
  const own = group.filter(({ releases }) => !releases);
  if (own.some(isMoved)) {
    return push(own, async (change) => (isMoved(change) ? { kind: 'moved' } : waits));
  }
  const done: Update[] = [];
  for (const change of group) {
    await push([change], async () => (await stillHeld(change)) ?? letGo(input, change, await send(change)));
    const outcome = outcomes.get(change);
    // The run was stopped.
    if (!outcome) return;
    const hasGone = outcome.kind === 'done' && hasAllKeys(input, change, outcome);
    // M6: a contact that holds what it held before this call took nothing that could be put back. L1: nor is a key put back over one
    // that was found after a lost answer, which somebody typed.
    if (hasGone || (!isFound(outcome) && holdsOtherKey(input, change, outcome))) done.push(change);
    else done.push(...letGoInVain(change, outcome));
    const isEdited = hasGone && change.releases === true && isEditedSince(change, outcome);
    if (hasGone && !isEdited) continue;
    if (outcome.kind !== 'unknown') await putBack(done);
    const rest = own.filter((other) => !outcomes.has(other));
    await push(rest, async ({ uuid }) => (isEdited && uuid === change.uuid ? { kind: 'moved' } : waits));
    return;
  }

  /**
   * Another contact of the group gave the key up as far as it shows one, and may keep it as its second address. Of a circle
   * the one that lets its key go shows none then (`letGo`), and what it let go of would have to be put back by every run.
   */
  async function stillHeld(change: Update): Promise<Outcome | undefined> {
    if (group.some(({ releases }) => releases)) return undefined;
    for (const { field, after } of change.fields) {
      const of = input.mapping.fields.find(({ name }) => name === field);
      const key = of && soleKeyNames(input.mapping).includes(field) ? keyLookupOf(of, after) : undefined;
      const holder = key && isPassedOn(key, of!) ? await findHolder(key) : undefined;
      if (holder === undefined || holder === change.uuid) continue;
      return { kind: 'moved', message: `another contact still has the key, ${holder}: planned again` };
    }
    return undefined;
  }

  function isPassedOn({ id }: KeyLookup, of: Pick<Field, 'name' | 'kind'>): boolean {
    const befores = group.flatMap(({ fields }) =>
      fields.flatMap((each) => (each.field === of.name ? [each.before] : [])),
    );
    return befores.some((before) => keyLookupOf(of, before)?.id === id);
  }

  /** The answer shows that a person edited the contact after the reading. */
  function isEditedSince(change: Update, outcome: Outcome): boolean {
    const answer = outcome.kind === 'done' ? outcome.contact : undefined;
    return answer !== undefined && hasMovedSince({ change, answer }, input, plan.people.get(change.uuid!));
  }

  /** Puts keys back, last one first, from the first key that was released and not replaced. */
  async function putBack(changes: readonly Update[]): Promise<void> {
    const isOpen = (each: Update) =>
      each.releases === true && !changes.some((other) => other.uuid === each.uuid && !other.releases);
    const first = changes.findIndex(isOpen);
    if (first === -1) return;
    for (const change of changes.slice(first).toReversed()) {
      const back = restoreKeys(input.mapping, change);
      if (!back) continue;
      await push([back], send);
      if (outcomes.get(back)?.kind !== 'done') return;
    }
  }
}

/** W5: of several keys the service let only some go: the release of those. */
function letGoInVain(change: Update, outcome: Outcome): readonly Update[] {
  const names = change.releases && 'written' in outcome ? outcome.written?.fields : undefined;
  return names?.length ? [{ ...change, fields: change.fields.filter(({ field }) => names.includes(field)) }] : [];
}

/**
 * W5: a key that the service does not release cannot be given to another contact. I8: what the answer shows counts, also if that
 * is an edit, as a search of the next run may lag behind it.
 */
function letGo(input: PlanInput, change: Update, outcome: Outcome): Outcome {
  if (!change.releases || outcome.kind !== 'done' || hasAllKeys(input, change, outcome)) return outcome;
  const { contact } = outcome;
  const isGone = (each: Update['fields'][number]) => hasAllKeys(input, { ...change, fields: [each] }, outcome);
  const fields = change.fields.filter(isGone).map(({ field }) => field);
  const answered = contact && { written: { fields, contact } };
  if (isFound(outcome) && holdsOtherKey(input, change, outcome)) {
    const message = 'the answer was lost, and somebody has given it another key since';
    return { kind: 'unknown', message, ...answered };
  }
  const message = 'the service does not let a contact be without the key that another is to get';
  return { kind: 'refused', message, ...answered };
}

/** The answer was lost, and this is what the contact was found to hold after it. */
function isFound(outcome: Outcome): boolean {
  return outcome.kind === 'done' && outcome.isFound === true;
}

/** The answer shows a key that is neither the one sent nor the one before nor blank. */
function holdsOtherKey({ mapping }: PlanInput, { fields }: Update, outcome: Outcome): boolean {
  if (outcome.kind !== 'done' || !outcome.contact) return false;
  const names = soleKeyNames(mapping);
  const values = unpack(outcome.contact.values);
  return fields.some(({ field, before, after }) => {
    const index = mapping.fields.findIndex(({ name }) => name === field);
    const { [index]: answered } = values;
    if (!names.includes(field) || answered === undefined || answered === null) return false;
    return [before ?? null, after].every((value) => !isSame(mapping.fields[index]!.kind, answered, value));
  });
}

/** Whether the answer shows each key as sent. Only then may another contact take the earlier key. */
function hasAllKeys({ mapping }: PlanInput, { fields }: Update, outcome: Outcome): boolean {
  if (outcome.kind !== 'done' || !outcome.contact) return outcome.kind === 'done';
  const names = soleKeyNames(mapping);
  const values = unpack(outcome.contact.values);
  return fields.every(({ field, after }) => {
    const index = mapping.fields.findIndex(({ name }) => name === field);
    const { [index]: answered } = values;
    return !names.includes(field) || answered === undefined || isSame(mapping.fields[index]!.kind, answered, after);
  });
}
