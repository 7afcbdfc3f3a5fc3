// The listings of the service that feeds read.
import type { CollectionRecord } from '../port.ts';
import { operations } from './operations/table.ts';
import { automation, email, list, networkMessage, senderProfile } from './operations/records.ts';
import type { Fields } from './operations/shape.ts';
import type { Page } from './operations/answers.ts';
import type { Operation } from './operations/define.ts';
import * as z from 'zod';

/** The collections of the service that a feed can mirror: the fields of a record, and the operation that lists them. */
export const resources = {
  automations: { record: automation, list: operations.automations.list },
  lists: { record: list, list: operations.lists.list },
  sender_profiles: { record: senderProfile, list: operations.senderProfiles.list },
  network_messages: { record: networkMessage, list: operations.networkMessages.list },
  emails: { record: email, list: operations.emails.list },
} as const;

export type ResourceName = keyof typeof resources;
export const resourceNames = Object.keys(resources) as [ResourceName, ...ResourceName[]];

/** The known fields of a record of a resource. */
export function resourceFields(resource: ResourceName): Fields {
  return resources[resource].record.fields;
}

/** A record of any resource, after reading. */
export type ResourceRecord = CollectionRecord;

/** The query of every listing; `resourceQuery` checks `filter` and `order_field`. */
export interface ListingQuery {
  readonly limit?: number;
  readonly offset?: number;
  readonly order_field?: string;
  readonly order_type?: 'asc' | 'desc';
  readonly filter?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

/** The listing of a resource, as one type; its query's schema has the parts that are not common. */
export function resourceListing(resource: ResourceName): Operation<ListingQuery, Page<ResourceRecord>> {
  return resources[resource].list as unknown as Operation<ListingQuery, Page<ResourceRecord>>;
}

/** The fields that the listing of a resource can filter and sort by, as the table of operations has them. */
export function resourceQuery(resource: ResourceName): {
  readonly filters: readonly string[];
  readonly orders: readonly string[];
} {
  const { order_field: order } = querySchema(resource).shape;
  const orders = order instanceof z.ZodOptional && order.unwrap() instanceof z.ZodEnum ? order.unwrap() : undefined;
  return {
    filters: Object.keys(filterSchema(resource).shape),
    orders: (orders as z.ZodEnum | undefined)?.options.map(String) ?? Object.keys(resourceFields(resource)),
  };
}

/** Whether a filter takes comparisons as well as a value. */
export function takesRange(resource: ResourceName, filter: string): boolean {
  return filterSchema(resource).shape[filter]?.safeParse({ '>=': '' }).success ?? false;
}

function querySchema(resource: ResourceName): z.ZodObject {
  return resources[resource].list.query!;
}

function filterSchema(resource: ResourceName): z.ZodObject {
  const { filter } = querySchema(resource).shape;
  return (filter as z.ZodOptional<z.ZodObject>).unwrap();
}
