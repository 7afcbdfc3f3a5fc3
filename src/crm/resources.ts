import { operations } from './operations/table.ts';
import { automation, email, list, networkMessage, senderProfile } from './operations/records.ts';
import type { Fields } from './operations/shape.ts';

/** The collections of the service that can be mirrored: what a record looks like, and the operation that lists them. */
export const resources = {
  automations: { record: automation, list: operations.automations.list },
  lists: { record: list, list: operations.lists.list },
  sender_profiles: { record: senderProfile, list: operations.senderProfiles.list },
  network_messages: { record: networkMessage, list: operations.networkMessages.list },
  emails: { record: email, list: operations.emails.list },
} as const;

export type ResourceName = keyof typeof resources;
export const resourceNames = Object.keys(resources) as [ResourceName, ...ResourceName[]];

/** The fields a record of a resource is known to have. */
export function resourceFields(resource: ResourceName): Fields {
  return resources[resource].record.fields;
}
