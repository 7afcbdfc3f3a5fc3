// Reads the collections of the service for feeds: builds the queries of its listings and returns their records.
import type { CollectionQuery, CollectionRecord, Collections } from '../port.ts';
import { readCollection } from './listing.ts';
import { type ListingQuery, type ResourceName, resourceListing } from './resources.ts';
import type { ServiceClient } from './service-client.ts';

export function createCollections(client: ServiceClient): Collections {
  return {
    list(name, query, call) {
      const { recordsMax, filter } = query;
      return readCollection(client, resourceListing(name as ResourceName), listingQuery(query), {
        ...call,
        ...(recordsMax !== undefined && { recordsMax }),
        isWanted: (record) => isWanted(filter, record),
      });
    },
    async count(name, query, call) {
      const first = { ...listingQuery(query), limit: 1 };
      return (await client.call(resourceListing(name as ResourceName), first, call)).total;
    },
    /** Only automations: `outreachDescription` says so. */
    control(_name, uuid, isOn, call) {
      const { start, stop } = client.automations;
      return (isOn ? start : stop)({ flowUuid: uuid }, call);
    },
  };
}

/** Filter and order in the form of the listing. */
function listingQuery({ filter, order }: CollectionQuery): ListingQuery {
  return { order_field: order.field, order_type: order.type, filter };
}

/** Removes the other records if the service ignores a filter (docs/service.md). */
function isWanted(filter: CollectionQuery['filter'], record: CollectionRecord): boolean {
  return Object.entries(filter).every(([field, wanted]) => {
    const value = record[field];
    if (typeof wanted !== 'string' || typeof value !== 'string' || field === 'q') return true;
    return value.toLowerCase() === wanted.toLowerCase();
  });
}
