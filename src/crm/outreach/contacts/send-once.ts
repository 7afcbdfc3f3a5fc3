// Sends a write at most once; only a 429 is followed by another try.
import { RateLimitError } from '../../errors.ts';
import type { CallOptions } from '../service-client.ts';

/** A 429 was surely not carried out. After this many the next run tries again. */
const rateLimitsMax = 5;

/**
 * L8: sends once. By the contract a second upsert finds the contact of the first. But a service has answered an
 * existing contact with a second one, and a call without an answer may still be on its way.
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
