// Sets, after a create, the fields that the create must not send because the service would match a contact by them (I8).
import { mayHaveArrived, ServiceError } from '../../crm/errors.ts';
import type { Contact } from '../../crm/port.ts';
import type { FieldChange } from '../../sync/change.ts';
import type { Done } from '../../sync/outcome.ts';
import { isReadFromCrm } from '../../sync/record/mapping.ts';
import { unpack } from '../../sync/record/record.ts';
import { isSame } from '../../sync/value/kinds.ts';
import { isBlank } from '../../sync/value/value.ts';
import type { RunContext } from './context.ts';
import { editCall } from '../stop.ts';

/**
 * Returns the contact with these fields. What `made` shows in one of them somebody typed since the create: that field is
 * not sent, and is named (L1). If a call fails, the contact stays as it was created: the field counts as not stored, the
 * failure names it, and the next run sends it again (M6). Throws errors that are not the service's.
 */
export async function setAfterCreate(
  context: Pick<RunContext, 'contacts' | 'shape' | 'request'>,
  made: Contact,
  fields: readonly FieldChange[],
): Promise<Done> {
  const { contacts, shape } = context;
  const { uuid } = made;
  const later = shape.afterCreate(fields);
  const filled = later.filter(isFilled);
  const isNews = later.length > filled.length;
  const contact = shape.toRecord(isNews ? await set(later.filter((field) => !filled.includes(field))) : made);
  return { kind: 'done', contact, ...(filled.length > 0 && { unsent: filled.map(({ field }) => field) }) };

  /** M4: of a field that is only sent no value counts but the cell's. */
  function isFilled({ field, after }: FieldChange): boolean {
    const index = shape.mapping.fields.findIndex(({ name }) => name === field);
    const mapped = shape.mapping.fields[index]!;
    const value = unpack(shape.toRecord(made).values)[index] ?? null;
    return isReadFromCrm(mapped) && !isBlank(value) && !isSame(mapped.kind, value, after);
  }

  async function set(blank: readonly FieldChange[]): Promise<Contact> {
    try {
      return await contacts.update(uuid, blank, editCall(context));
    } catch (error) {
      if (mayHaveArrived(error)) return await readAgain();
      if (!(error instanceof ServiceError)) throw error;
      return made;
    }
  }

  async function readAgain(): Promise<Contact> {
    try {
      return await contacts.getNow(uuid, editCall(context));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return made;
    }
  }
}

export const placeholderOnly =
  'an address at example.com and the like, or a text that is no address or profile, is no identifier, and the row has no other: give it one, or a name and a company';
