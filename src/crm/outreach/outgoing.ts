import * as z from 'zod';
import type { PayloadField } from '../port.ts';
import { operations } from './operations/table.ts';

/** What can be sent from a tab, each with the operation that sends it. */
const sends = { emails: operations.emails.send, network_messages: operations.networkMessages.send } as const;

export type OutgoingName = keyof typeof sends;
export const outgoingNames = Object.keys(sends) as [OutgoingName, ...OutgoingName[]];

interface Property {
  readonly type?: string;
  readonly maxLength?: number;
  readonly items?: { readonly type?: string };
}

/**
 * The payload fields that a cell can hold, by name, as the table of operations has them. Attachments are no text, so they
 * are not among them.
 */
export function payloadFields(resource: OutgoingName): ReadonlyMap<string, PayloadField> {
  const { properties = {} } = z.toJSONSchema(sends[resource].body!, { io: 'input' });
  return new Map(
    Object.entries(properties as Readonly<Record<string, Property>>).flatMap(([name, { type, maxLength, items }]) => {
      const isList = type === 'array' && items?.type === 'string';
      if (type !== 'string' && !isList) return [];
      return [[name, { name, isList, ...(maxLength !== undefined && { lengthMax: maxLength }) }] as const];
    }),
  );
}

/** One of each group has to be mapped, or nothing could ever be sent: the contract wants sender, contact and text. */
export function neededFields(resource: OutgoingName): readonly (readonly string[])[] {
  const texts = resource === 'emails' ? ['body'] : ['text', 'template_uuid'];
  return [['lead_uuid'], ['sender_profile_uuid'], texts];
}
