// Messages and e-mails: the operations that send them, and their payload fields.
import * as z from 'zod';
import type { PayloadField } from '../port.ts';
import { operations } from './operations/table.ts';

/** The things an outbox can send, each with its operation. */
const sends = { emails: operations.emails.send, network_messages: operations.networkMessages.send } as const;

export type OutgoingName = keyof typeof sends;
export const outgoingNames = Object.keys(sends) as [OutgoingName, ...OutgoingName[]];

interface Property {
  readonly type?: string;
  readonly maxLength?: number;
  readonly items?: { readonly type?: string };
}

/**
 * The payload fields a cell can hold, by name, from the table of operations. Attachments are no text and are left out.
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

/** One of each group has to be mapped: the contract requires sender, contact and text. */
export function neededFields(resource: OutgoingName): readonly (readonly string[])[] {
  const texts = resource === 'emails' ? ['body'] : ['text', 'template_uuid'];
  return [['lead_uuid'], ['sender_profile_uuid'], texts];
}
