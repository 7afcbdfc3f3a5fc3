// Helpers for calls that write to the service: identifying the contact, asking for it, and recovering from a lost answer.
import { AuthenticationError, mayHaveArrived, NotFoundError, ServiceError } from '../../crm/errors.ts';
import type { Contact, Identifiers, Refused } from '../../crm/port.ts';
import type { Outcome } from '../../sync/outcome.ts';
import { normalEmail, normalHandle } from '../../sync/value/same.ts';
import type { Reading } from '../../sync/value/value.ts';
import { editCall } from '../stop.ts';
import type { RunContext } from './context.ts';
import { noteLooked } from './looked-up.ts';

/** W4: if the answer is lost, reads the result. The outcome is unknown only if reading fails too. */
export async function unlessLost<Result>(
  call: () => Promise<Result>,
  read: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ServiceError) || error instanceof AuthenticationError || !mayHaveArrived(error)) throw error;
    try {
      return await read();
    } catch (second) {
      // W6: it ends the run, and says of the call that was sent, not of the reading, that it may have been carried out (L12).
      if (second instanceof AuthenticationError) throw refusedAfter(error, second);
      throw error;
    }
  }
}

function refusedAfter({ call: { operation, attempts } }: ServiceError, { call, said, repeated }: AuthenticationError) {
  return new AuthenticationError({ ...call, operation, attempts, mayHaveArrived: true }, said, repeated);
}

/** The strongest identifier of the contact; none if it has neither handle nor address. */
export function identify({ shape }: RunContext, values: readonly Reading[]): Identifiers {
  const { network_id, email } = shape.identifiers(values);
  return network_id !== undefined ? { network_id } : email !== undefined ? { email } : {};
}

/** The strongest identifier alone: another value of the row may be another contact's. */
export function strongestOf({ network_id, email, name, company_name }: Identifiers): Identifiers {
  if (network_id !== undefined) return { network_id };
  if (email !== undefined) return { email };
  return { ...(name !== undefined && { name }), ...(company_name !== undefined && { company_name }) };
}

/** One text for each identifier that names a single person by itself. Two spellings of one give one text (V2). */
export function keysOf({ network_id, email }: Identifiers): readonly string[] {
  return [
    ...(network_id === undefined ? [] : [`network_id:${normalHandle(network_id)}`]),
    ...(email === undefined ? [] : [`email:${normalEmail(email)}`]),
  ];
}

/** I8: keeps what the answer shows of another contact. */
export function refusedBy(
  context: RunContext,
  { kind, message, shown }: Refused,
): Extract<Outcome, { kind: 'refused' }> {
  if (shown) noteLooked(context, shown);
  return { kind, message };
}

/** I8: keeps what the answer shows. Undefined: it is gone. Throws as `Contacts.getNow` otherwise. */
export async function contactNow(context: RunContext, uuid: string): Promise<Contact | undefined> {
  try {
    const contact = await context.contacts.getNow(uuid, editCall(context));
    noteLooked(context, contact);
    return contact;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
