// What calls that write to the service have in common: by what a contact is named, and what becomes of a lost answer.
import { AuthenticationError, OutcomeUnknownError } from '../../crm/errors.ts';
import type { Identifiers } from '../../crm/port.ts';
import type { Reading } from '../../sync/value/value.ts';
import type { RunContext } from './context.ts';

/** W4: an answer that is lost is looked for; only when reading fails too is the outcome unknown. */
export async function unlessLost<Result>(
  call: () => Promise<Result>,
  read: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error;
    try {
      return await read();
    } catch (second) {
      if (second instanceof AuthenticationError) throw second;
      throw error;
    }
  }
}

/** By the strongest identifier of the contact; none, where it has neither handle nor address. */
export function identify({ shape }: RunContext, values: readonly Reading[]): Identifiers {
  const { network_id, email } = shape.identifiers(values);
  return network_id !== undefined ? { network_id } : email !== undefined ? { email } : {};
}

/** The strongest alone: what else a row says may be another person's. */
export function strongestOf({ network_id, email, name, company_name }: Identifiers): Identifiers {
  if (network_id !== undefined) return { network_id };
  if (email !== undefined) return { email };
  return { ...(name !== undefined && { name }), ...(company_name !== undefined && { company_name }) };
}
