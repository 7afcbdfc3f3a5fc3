// I8: what a create must not send, because the service would take it for an identifier, is set once the contact is there.
import { OutcomeUnknownError, ServiceError } from '../../crm/errors.ts';
import type { Contact } from '../../crm/port.ts';
import type { FieldChange } from '../../sync/change.ts';
import type { RunContext } from './context.ts';
import { editCall } from '../stop.ts';

/**
 * The contact as it is after that. A call that fails leaves it as it was made: the field then counts as not stored, is
 * named, and is sent again by the next run (M6). Throws what is not of the service.
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
    if (error instanceof OutcomeUnknownError) return await readAgain();
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
  'an address at example.com and the like is no identifier, and the row has no other: give it one, or a name and a company';
