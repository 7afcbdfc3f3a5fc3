// What calls that write to the service have in common: by what a contact is named, and what becomes of a lost answer.
import { AuthenticationError, OutcomeUnknownError, RateLimitError } from '../../crm/errors.ts';
import type { CallOptions } from '../../crm/port.ts';
import type { Reading } from '../../sync/value/value.ts';
import type { RunContext } from './context.ts';

/** A 429 was surely not carried out. After so many of them the next run tries again. */
const rateLimitsMax = 5;

/**
 * L8: sent once. A second upsert finds the contact of the first, says the contract; but a service that answers an existing
 * contact with a second one was seen, and a call that got no answer may still be on its way.
 */
export async function sendOnce<Result>(
  call: CallOptions,
  send: (options: CallOptions) => Promise<Result>,
): Promise<Result> {
  for (let refusals = 0; ; refusals += 1) {
    try {
      return await send({ ...call, repeat: false });
    } catch (error) {
      if (!(error instanceof RateLimitError) || refusals === rateLimitsMax) throw error;
    }
  }
}

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
export function identify({ shape }: RunContext, values: readonly Reading[]) {
  const { network_id, email } = shape.identifiers(values);
  return network_id !== undefined ? { network_id } : email !== undefined ? { email } : {};
}
