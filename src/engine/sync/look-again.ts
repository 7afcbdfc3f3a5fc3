// Reads contacts again before a write: a person's change since the plan is not overwritten, but planned again (W3).
import { AuthenticationError, ServiceError } from '../../crm/errors.ts';
import type { Contact } from '../../crm/port.ts';
import { lastSeen } from '../../sync/record/base.ts';
import type { Change } from '../../sync/change.ts';
import type { PlanInput } from '../../sync/input.ts';
import { isBeforeShown } from '../../sync/record/shown.ts';
import { isSame } from '../../sync/value/kinds.ts';
import { type Field, isReadFromCrm, isWritable } from '../../sync/record/mapping.ts';
import type { Outcome } from '../../sync/outcome.ts';
import type { Person } from '../../sync/record/person.ts';
import { type ContactRecord, unpack } from '../../sync/record/record.ts';
import type { Reading } from '../../sync/value/value.ts';
import type { RunContext } from './context.ts';
import { readingsOf } from './looked-up.ts';
import type { Scope } from './pull.ts';
import { isInScope } from './pull.ts';
import { editCall } from '../stop.ts';

export type Look =
  | { readonly kind: 'seen'; readonly contacts: ReadonlyMap<string, Contact> }
  | Extract<Outcome, { kind: 'failed' }>;

/** One search for up to a hundred contacts. If it fails, their changes fail and the run goes on (L4). */
export async function lookAgain(context: RunContext, uuids: readonly string[]): Promise<Look> {
  try {
    return { kind: 'seen', contacts: await context.contacts.get(uuids, editCall(context)) };
  } catch (error) {
    if (error instanceof AuthenticationError || !(error instanceof ServiceError)) throw error;
    return { kind: 'failed', message: error.message };
  }
}

/**
 * Whether the contact differs from the plan's reading. A contact that left the list counts as moved and is left alone (D4).
 */
export function hasMoved(
  context: RunContext,
  scope: Scope,
  input: PlanInput,
  person: Person | undefined,
  contact: Contact | undefined,
  differ: Differ = differs,
): boolean {
  if (!contact) return true;
  return readingsOf(context, contact).some(
    (each) =>
      !isInScope(each, scope) ||
      isBeforeShown(person?.link ?? {}, each, input.now) ||
      differ(input, person, context.shape.toRecord(each)),
  );
}

type Differ = (input: PlanInput, person: Person | undefined, now: ContactRecord) => boolean;

/**
 * S7: whether a contact that is to be deleted is another one than the undo planned for, in any field that the service shows. A
 * field that is only sent counts, because a person may have written there, and so does one that cannot be read any more.
 */
export const isTouched: Differ = ({ mapping }, person, now) => {
  const before = crmValues(person);
  return unpack(now.values).some((value, index) => {
    const { kind, isHidden } = mapping.fields[index]!;
    return !(isHidden && value === undefined) && !isSame(kind, value, before[index]);
  });
};

/**
 * The first of two writes (I7), or the move to this list (I2), with the service's answer, which is newer than any reading.
 */
export interface Written {
  readonly change: Pick<Change, 'fields'>;
  readonly answer: ContactRecord;
}

/**
 * Of a column that is only shown the write may have changed the value itself, as the time of the last change or the whole name. No call
 * of ours writes such a field over.
 */
export function hasMovedSince({ change, answer }: Written, input: PlanInput, person: Person | undefined): boolean {
  const written = new Set(change.fields.map(({ field }) => field));
  return differs(input, person, answer, (field) => written.has(field.name) || !isWritable(field, 'crm'));
}

function differs(
  { mapping }: PlanInput,
  person: Person | undefined,
  now: ContactRecord,
  isOurs: (field: Field) => boolean = () => false,
): boolean {
  const before = crmValues(person);
  return unpack(now.values).some((value, index) => {
    const field = mapping.fields[index]!;
    if (!isReadFromCrm(field) || isOurs(field)) return false;
    if (value === undefined || before[index] === undefined) return false;
    return !isSame(field.kind, value, before[index]);
  });
}

/** The values that the plan was made from. */
export function crmValues(person: Person | undefined): readonly Reading[] {
  if (typeof person?.contact === 'object') return unpack(person.contact.values);
  return person?.link ? unpack(lastSeen(person.link, 'crm')) : [];
}
