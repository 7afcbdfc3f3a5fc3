// Sets, after a create, the fields that the create must not send because the service would match a contact by them (I8).
import { mayHaveArrived, ServiceError } from '../../crm/errors.ts';
import type { Contact } from '../../crm/port.ts';
import type { FieldChange } from '../../sync/change.ts';
import type { RunContext } from './context.ts';
import { editCall } from '../stop.ts';

/**
 * Returns the contact with these fields. If a call fails, the contact stays as it was created: the field counts as not
 * stored, the failure names it, and the next run sends it again (M6). Throws errors that are not the service's.
 */
export async function setAfterCreate(
  context: Pick<RunContext, 'contacts' | 'shape' | 'request'>,
  made: Contact,
  fields: readonly FieldChange[],
): Promise<Contact> {
  const { contacts, shape } = context;
  const { uuid } = made;
  const later = shape.afterCreate(fields);
  if (later.length === 0) return made;
  try {
    return await contacts.update(uuid, later, editCall(context));
  } catch (error) {
    if (mayHaveArrived(error)) return await readAgain();
    if (!(error instanceof ServiceError)) throw error;
    return made;
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
