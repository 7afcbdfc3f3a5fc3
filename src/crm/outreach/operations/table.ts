// The operations table.
import { automations } from './automations.ts';
import { contacts } from './contacts.ts';
import type { Operation } from './define.ts';
import { emails, networkMessages } from './inbox.ts';
import { lists } from './lists.ts';
import { senderProfiles } from './sender-profiles.ts';

/** Every operation of the service, by area. The client, the stand-in and the docs are made from this table. */
export const operations = { contacts, lists, automations, senderProfiles, networkMessages, emails };

export interface NamedOperation {
  /** Area and operation in the spelling of the command line: `contacts.lookup-one`. */
  readonly name: string;
  readonly area: keyof typeof operations;
  readonly operation: Operation;
}

/** The table as one list, in the order of the contract's areas. */
export const operationList: readonly NamedOperation[] = Object.entries(operations).flatMap(([area, table]) =>
  Object.entries(table).map(([key, operation]) => ({
    name: `${kebab(area)}.${kebab(key)}`,
    area: area as keyof typeof operations,
    // Each entry has its own input; a caller that goes by name validates against the entry's schemas.
    operation: operation as Operation,
  })),
);

const nameByRoute = new Map(operationList.map(({ name, operation }) => [route(operation), name]));

/** The name of an operation, or of its variant with another reader. */
export function operationName(operation: Operation): string {
  return nameByRoute.get(route(operation)) ?? route(operation);
}

function route({ method, path }: Operation): string {
  return `${method} ${path}`;
}

function kebab(camel: string): string {
  return camel.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
