// The query parameters that listings share.
import * as z from 'zod';

/** The query of every GET of a collection; the contract shows the defaults 20 and 0 for automations. */
export const paging = {
  limit: z.int().min(1).optional().describe('page size, 20 when left out'),
  offset: z.int().min(0).optional().describe('0 when left out'),
  order_field: z.string().min(1).optional().describe('field to sort by'),
  order_type: z.enum(['asc', 'desc']).optional(),
};

/** Always sent: the service's defaults have differed from the documented ones. */
export const pagingDefaults = { limit: 100, offset: 0, order_field: 'created_at', order_type: 'asc' };

/** Search filters of a collection: equality for each of `keys`. */
export function collectionFilter<const Key extends string>(keys: readonly Key[]) {
  return z.strictObject(
    Object.fromEntries(keys.map((key) => [key, z.string().optional()])) as Record<Key, z.ZodOptional<z.ZodString>>,
  );
}
