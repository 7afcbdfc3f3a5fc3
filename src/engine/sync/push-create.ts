// One contact made or moved here, and what its answer means: made by this call, there before, or somebody else.
import { ValidationError } from '../../crm/errors.ts';
import type { Contact, Identifiers, Refused } from '../../crm/port.ts';
import type { Change } from '../../sync/change.ts';
import type { PlanInput } from '../../sync/input.ts';
import { soleKeyNames, isOtherName } from '../../sync/record/keys.ts';
import { isSame, isStoredForm } from '../../sync/value/kinds.ts';
import type { Outcome } from '../../sync/outcome.ts';
import type { Person } from '../../sync/record/person.ts';
import { type ContactRecord, unpack } from '../../sync/record/record.ts';
import type { Reading } from '../../sync/value/value.ts';
import { placeholderOnly, setAfterCreate } from './after-create.ts';
import type { RunContext } from './context.ts';
import type { Decided } from './decide.ts';
import { beingDeleted, madeMeanwhile, notMovedHere } from './moved-here.ts';
import { crmValues } from './look-again.ts';
import { findContact, noteShown } from './looked-up.ts';
import { isInScope, type Scope } from './pull.ts';
import { editCall } from '../stop.ts';
import { identify, refusedBy, strongestOf, unlessLost } from './write-calls.ts';

type Create = Extract<Change, { op: 'create' }>;

/** A contact that is older than the call that was to create it was there before; clocks differ by less than this. */
const clockSlackMs = 60_000;

/** Instants of the service are whole seconds. */
const stampMs = 1_000;

/** The contact of a new row, or one that is moved here from another list (I2). One call, and one more for a placeholder (I8). */
export async function pushCreate(
  context: RunContext,
  scope: Scope,
  { input, plan }: Pick<Decided, 'input' | 'plan'>,
  change: Create,
): Promise<Outcome> {
  const { crm, contacts, shape } = context;
  const startedAt = crm.now();
  const isMove = change.moves !== undefined;
  const later = new Set(shape.afterCreate(change.fields));
  const sent = { ...change, fields: change.fields.filter((field) => !later.has(field)) };
  const identifiers = isMove ? identifyMovedHere(context, input, change, plan.people.get(change.moves)) : {};
  const isIdentified = isMove ? Object.keys(identifiers).length > 0 : contacts.isIdentifiedBy(sent.fields);
  if (later.size > 0 && !isIdentified) return { kind: 'refused', message: placeholderOnly };
  const given = { list: scope.listUuid, fields: sent.fields };
  const call = editCall(context);
  const find = () => findContact(context, strongest(context, input, change), call);
  const send = () =>
    change.moves === undefined
      ? contacts.create(given, call)
      : contacts.moveToList({ ...given, uuid: change.moves, identifiers }, call);
  let contact: Contact | Refused | undefined;
  try {
    contact = await unlessLost(send, find);
  } catch (error) {
    // T23: some services refuse where others answer the contact that is there. It is merged in the next run.
    if (isMove || !(error instanceof ValidationError) || !(await find())) throw error;
    return madeMeanwhile;
  }
  if (contact === undefined) return { kind: 'unknown', message: 'the answer is lost, and the contact is not found' };
  if ('kind' in contact) return refusedBy(context, contact);
  // L7, T30: however young it is, it is no new contact, and goes. Its row would count as one whose contact was deleted.
  if (!isMove && contact.uuid in contacts.deletions.all()) return beingDeleted;
  // It may be a contact that was there, which an update of this run is about. Of one that is moved, a lookup showed the old list.
  noteShown(context, contact);
  const record = shape.toRecord(contact);
  if (isMove) return isInScope(contact, scope) ? { kind: 'done', contact: record } : notMovedHere;
  // Known by what was sent, it is found and merged by the next run. Anybody else is somebody else, and told to be (I3):
  // the next run would not find them, and send the same again.
  if (wasThere(contact, record, input, sent, startedAt)) {
    return isKnownBy(record, input, sent) ? madeMeanwhile : { kind: 'done', contact: record };
  }
  if (later.size === 0 || !isKnownBy(record, input, sent)) return { kind: 'done', contact: record };
  return setAfterCreate(context, contact, change.fields);
}

/**
 * By the keys of the contact: it may have been found by one key of the row while the row has another that nobody has, by
 * which the service would make a second contact (L8).
 */
function identifyMovedHere(
  context: RunContext,
  input: PlanInput,
  change: Create,
  person: Person | undefined,
): Identifiers {
  const own = identify(context, crmValues(person));
  return Object.keys(own).length > 0 ? own : identify(context, rowValues(input, change));
}

/** No key that was sent is another one in the answer. */
function isKnownBy({ values }: ContactRecord, { mapping }: PlanInput, change: Create): boolean {
  const keys = new Set(soleKeyNames(mapping));
  const answered = unpack(values);
  return mapping.fields.every((field, index) => {
    const sent = keys.has(field.name) ? change.fields.find((each) => each.field === field.name) : undefined;
    const value = answered[index];
    return (
      !sent || value === undefined || isSame(field.kind, sent.after, value) || isOtherName(field, sent.after, value)
    );
  });
}

/**
 * The same contact was made by others since it was looked up: the values of the row are merged, and not taken for stored.
 * The age tells; where it is too close to, so does a value that is no form of the one sent (M5).
 */
function wasThere(
  contact: Contact,
  record: ContactRecord,
  { mapping }: PlanInput,
  change: Create,
  startedAt: number,
): boolean {
  const ageMs = startedAt - (contact.createdAt ?? NaN);
  if (ageMs > clockSlackMs) return true;
  const values = unpack(record.values);
  return change.fields.some(({ field, after }) => {
    const index = mapping.fields.findIndex(({ name }) => name === field);
    const { [index]: stored } = values;
    // A blank may be a field that the service did not store (M6), unless the contact is the older one.
    if (stored === undefined || (stored === null && !(ageMs > stampMs))) return false;
    return !isStoredForm(mapping.fields[index]!.kind, stored, after);
  });
}

function strongest({ shape }: RunContext, input: PlanInput, change: Create): Identifiers {
  return strongestOf(shape.identifiers(rowValues(input, change)));
}

function rowValues({ sheet }: PlanInput, change: Create): readonly Reading[] {
  const row = sheet.rows.find(({ number }) => number === change.row);
  return row ? unpack(row.values) : [];
}
