import { RateLimitError } from '../../errors.ts';
import type { CallOptions } from '../service-client.ts';

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
