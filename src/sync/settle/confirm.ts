// The values that the service confirmed after the CRM push. The sheet push and the base follow from it.
import { type FieldNote, lastSeen, type Stray, wrongAnswerReason } from '../record/base.ts';
import { type Change, type Problem, problem } from '../change.ts';
import {
  copiesOf,
  confirmReleased,
  confirmRestored,
  confirmStored,
  type RecordState,
  stateOf,
} from './record-state.ts';
import { soleKeyNames, isNoKey, isOtherName } from '../record/keys.ts';
import type { PlanInput } from '../input.ts';
import { isSame, isStoredForm } from '../value/kinds.ts';
import { isReadFromCrm } from '../record/mapping.ts';
import { type Failure, failureProblem, type Outcome, type Outcomes } from '../outcome.ts';
import type { Person } from '../record/person.ts';
import { nextRefusal } from '../record/refusal.ts';
import type { Plan } from '../plan.ts';
import { type ContactRecord, type RowRecord, unpack } from '../record/record.ts';
import { isMerged, withSentNotes } from '../record/sent.ts';
import type { Reading } from '../value/value.ts';

type Create = Extract<Change, { op: 'create' }>;
type Update = Extract<Change, { op: 'update' }>;

export interface Confirmed {
  /** By uuid: the records that were created or updated, or should have been. */
  readonly states: Map<string, RecordState>;
  readonly strays: Map<string, Stray>;
  readonly problems: readonly Problem[];
}

export function confirmCrm(input: PlanInput, plan: Plan, outcomes: Outcomes): Confirmed {
  const states = new Map<string, RecordState>();
  const strays = new Map(plan.strays);
  const problems: Problem[] = [];
  // Only a create needs the indexes over all rows: most runs create nothing.
  const rows = [...outcomes.keys()].some(({ op }) => op === 'create') ? input.sheet.rows : [];
  const rowByNumber = new Map(rows.map((row) => [row.number, row]));
  const takenIds = new Set(rows.map(({ id }) => id));
  /** I7: the contact that let its key go first is told why it did not get the other one. */
  const releasing = new Set([...outcomes.keys()].flatMap((change) => (isRelease(change) ? [change.uuid] : [])));
  for (const [change, outcome] of outcomes) {
    if (change.op === 'create') settleCreate(change, outcome);
    if (change.op === 'update') settleUpdate(change, outcome);
  }
  return { states, strays, problems };

  function settleCreate(change: Create, outcome: Outcome): void {
    const row = rowByNumber.get(change.row ?? 0);
    if (!row) return;
    if (outcome.kind !== 'done') return createFailed(change, row, outcome);
    // E2: the call that creates and enrols does not answer the contact. The next run finds it by its key.
    if (!outcome.contact) return;
    const { contact } = outcome;
    const mistake = mistakeOf(change, contact);
    if (mistake !== undefined) {
      strays.set(change.key, { ...strayOf(change), mistakenFor: contact.uuid, mistake });
      problems.push(problem('quarantined', { row: change.row }, 'I3', wrongAnswerReason(contact.uuid, mistake)));
      return;
    }
    strays.delete(change.key);
    // I2: a contact that was moved here may have a link, and then a base. A contact that was created has none.
    const link = input.base.links.get(contact.uuid);
    const state = stateOf(input, { uuid: contact.uuid, link, contact, row }, row);
    const isOther = outcome.isFound === true && holdsOtherValue(change, contact);
    const { unsent = [] } = outcome;
    const sent = change.fields.filter(({ field }) => !unsent.includes(field) && !(isOther && isSentOnly(field)));
    const held = link ? unpack(lastSeen(link, 'crm')) : input.mapping.fields.map(() => null);
    const stored = confirmStored(input.mapping, state, sent, contact, held);
    // I8: of what was not sent nothing is agreed on, and when the contact got its value is not known.
    const apart = { updatedAt: undefined, replaced: [...stored.replaced, ...unsent] };
    states.set(contact.uuid, unsent.length > 0 ? { ...stored, ...apart } : stored);
  }

  /** E2: somebody deleted the contact that was made, and entered the person again, or edited it. */
  function holdsOtherValue({ fields }: Create, { values }: ContactRecord): boolean {
    const found = unpack(values);
    return input.mapping.fields.some(({ name, kind }, index) => {
      const sent = fields.find(({ field }) => field === name);
      const { [index]: value } = found;
      return sent !== undefined && value !== undefined && !isStoredForm(kind, value, sent.after);
    });
  }

  /** M4: what a field holds that is only sent is never read, and so it is sent once more where it may be missing. */
  function isSentOnly(name: string): boolean {
    return input.mapping.fields.some((field) => field.name === name && !isReadFromCrm(field));
  }

  /** I3: why the answered contact is not the person that was sent; undefined: it is. */
  function mistakeOf(change: Create, contact: ContactRecord): string | undefined {
    const isKnown = input.base.links.has(contact.uuid) || plan.people.has(contact.uuid);
    const isTaken = takenIds.has(contact.uuid) || (isKnown && change.moves !== contact.uuid);
    if (isTaken || states.has(contact.uuid)) return whyTaken(contact.uuid);
    if (change.moves !== undefined && change.moves !== contact.uuid) return 'not the one that was to be moved here';
    const values = unpack(contact.values);
    const names = soleKeyNames(input.mapping);
    const other = input.mapping.fields.find((field, index) => {
      const sent = change.fields.find((each) => each.field === field.name);
      const answered = values[index];
      if (!names.includes(field.name) || !sent || isNoKey(field, sent.after)) return false;
      return (
        answered !== undefined && !isSame(field.kind, sent.after, answered) && !isOtherName(field, sent.after, answered)
      );
    });
    return other && `another ${other.header} than was sent`;
  }

  /** L7: the contact of which a row is missing may be the one of this row. */
  function whyTaken(uuid: string): string {
    const isMissing = input.base.links.has(uuid) && !takenIds.has(uuid) && plan.people.get(uuid)?.row === undefined;
    return isMissing ? 'its row is not found, and may be this one: write that ID into it' : 'it has a row already';
  }

  function createFailed(change: Create, row: RowRecord, failure: Failure): void {
    const stray = strayOf(change);
    const isApart = change.enrol !== undefined && (failure.kind === 'moved' || failure.kind === 'refused');
    if (isApart) strays.set(change.key, { ...stray, isApart });
    else if (failure.kind === 'refused') {
      strays.set(change.key, { ...stray, refusal: nextRefusal(stray.refusal, failure.message, row, input.now) });
    }
    if (failure.kind === 'unknown') strays.set(change.key, { ...stray, isUnknown: true });
    problems.push(failureProblem({ row: change.row }, failure));
  }

  function strayOf({ key }: Create): Stray {
    return strays.get(key) ?? { since: input.now };
  }

  function withoutSent(crm: readonly Reading[], { fields }: Update): readonly Reading[] {
    const sent = new Set(fields.map(({ field }) => field));
    return crm.map((value, index) => (sent.has(input.mapping.fields[index]!.name) ? undefined : value));
  }

  /** I7: emptying a key is half of a write. The other half decides what becomes of the field. */
  function confirmed(change: Update, contact: ContactRecord, person: Person, state: RecordState): RecordState {
    const { mapping } = input;
    if (change.restores) {
      const before = stateOf(input, person, state.row);
      const restored = confirmRestored(mapping, state, change.fields, { contact, before });
      const isTold = state.problems.length > 0 || releasing.has(change.uuid);
      return isTold ? restored : { ...restored, problems: [putBackProblem(change)] };
    }
    const confirm = change.releases ? confirmReleased : confirmStored;
    return confirm(mapping, { ...state, refusal: undefined }, change.fields, contact);
  }

  function settleUpdate(change: Update, outcome: Outcome): void {
    const person = plan.people.get(change.uuid ?? '');
    if (!person?.row) return;
    const state = states.get(person.uuid) ?? stateOf(input, person, person.row, copiesOf(plan, input, person.uuid));
    if (outcome.kind === 'done') {
      if (!outcome.contact) return;
      states.set(person.uuid, confirmed(change, outcome.contact, person, state));
      return;
    }
    const written = 'written' in outcome ? outcome.written : undefined;
    const [first, second] = halves(change, written?.fields ?? []);
    const before = written ? confirmed(first, written.contact, person, state) : state;
    // The service holds what it held or what was sent. Nothing follows from either until the contact is read.
    const crm = outcome.kind === 'unknown' ? withoutSent(before.crm, second) : before.crm;
    const isUnsure = outcome.kind === 'unknown' || before.isUnsure;
    const isRefused = outcome.kind === 'refused';
    // W5: a run is one try, also if it refuses both halves of a swap (I7).
    const known = person.link?.refusal;
    const refusal = isRefused ? nextRefusal(known, outcome.message, person.row, input.now) : state.refusal;
    const told = failureProblem({ uuid: person.uuid, row: change.row }, outcome);
    const notes = outcome.kind === 'unknown' ? withSentOf(before.notes, second) : before.notes;
    states.set(person.uuid, { ...before, crm, isUnsure, refusal, notes, problems: [...before.problems, told] });
  }
}

function isRelease(change: Change): boolean {
  return change.op === 'update' && change.releases === true;
}

/** L12: nothing else tells the row why its key is not sent. */
function putBackProblem({ uuid, row, fields: [first] }: Update): Problem {
  const reason = 'put back: not all keys could change hands: planned again';
  return problem('waiting', { uuid, row, field: first?.field ?? null }, 'I7', reason);
}

/** What the first of its two calls wrote, and the rest. */
function halves(change: Update, written: readonly string[]): readonly [Update, Update] {
  const [first, second] = [true, false].map((isFirst) => ({
    ...change,
    fields: change.fields.filter(({ field }) => written.includes(field) === isFirst),
  }));
  return [first!, second!];
}

/** W4: what was sent, for the merge after a later edit. */
function withSentOf(notes: RecordState['notes'], change: Update): RecordState['notes'] {
  if (change.releases || change.restores) return withPassedOn(notes, change);
  const sent = change.fields.filter(({ rule }) => isMerged(rule, 'crm'));
  return withSentNotes(
    notes,
    sent.map(({ field, before, after }) => ({ side: 'crm', field, before, after })),
  );
}

/**
 * I7: it is unknown whether the key was emptied or put back. Both values are stored, so that neither looks like an edit
 * when the contact is read.
 */
function withPassedOn(notes: RecordState['notes'], { fields, releases, restores }: Update): RecordState['notes'] {
  if (!releases && !restores) return notes;
  const passedOn = fields.map(({ field, before, after }): [string, FieldNote] => {
    return [field, { ...notes[field], passedOn: [before ?? null, after] }];
  });
  return { ...notes, ...Object.fromEntries(passedOn) };
}
