// One update of a contact: its own fields, then its custom fields, and what a lost answer leaves known of either.
import { AuthenticationError } from '../../crm/errors.ts';
import type { Contact, Misplaced, Refused } from '../../crm/port.ts';
import type { Change } from '../../sync/change.ts';
import type { PlanInput } from '../../sync/input.ts';
import type { Failure, Outcome } from '../../sync/outcome.ts';
import { isReadFromCrm } from '../../sync/record/mapping.ts';
import type { Person } from '../../sync/record/person.ts';
import { type ContactRecord, unpack } from '../../sync/record/record.ts';
import { isSame, isStoredForm } from '../../sync/value/kinds.ts';
import { editCall, isUnbegun } from '../stop.ts';
import type { RunContext } from './context.ts';
import { crmValues } from './look-again.ts';
import { noteLooked } from './looked-up.ts';
import type { Scope } from './pull.ts';
import { arrivedBefore, failureOf } from './push-outcome.ts';
import type { FindOther } from './same-identifier.ts';
import { identify, refusedBy, unlessLost } from './write-calls.ts';

export type Update = Extract<Change, { op: 'update' }>;

export interface UpdateDep {
  readonly context: RunContext;
  readonly scope: Scope;
  readonly input: PlanInput;
  readonly findOther: FindOther;
  /** Outcomes of updates whose first call was carried out, and whose second one ended the run. */
  readonly halves: Map<Change, Outcome>;
}

/**
 * Updates the contact by one call, or by two where custom fields are among others. An error of its first call is thrown, for `outcomeOf`;
 * one of the second ends as an outcome that names what the first one wrote (L12). A refused token is always thrown (W6): `halves` has
 * then what came of the first call.
 */
export async function pushUpdate(
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
    let answered: Contact | Refused | Misplaced;
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
      const refused = answered.kind === 'misplaced' ? misplaced(answered) : refusedBy(context, answered);
      return contact ? onlyFirst(contact, refused) : refused;
    }
    contact = answered;
  }
  return contact
    ? { kind: 'done', contact: shape.toRecord(contact), ...after }
    : { kind: 'failed', message: 'there was nothing to send' };

  function misplaced({ message, shown, mayHaveArrived }: Misplaced): Failure {
    noteLooked(context, shown);
    const to = { uuid: shown.uuid, fields: custom };
    return { kind: mayHaveArrived ? 'unknown' : 'refused', message, misplaced: to };
  }

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
