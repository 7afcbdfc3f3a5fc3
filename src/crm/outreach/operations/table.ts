import { automations } from './automations.ts';
import { contacts } from './contacts.ts';
import type { Operation } from './define.ts';
import { emails, networkMessages } from './inbox.ts';
import { lists } from './lists.ts';
import { senderProfiles } from './sender-profiles.ts';

/** Every operation of the service, by area. Everything that speaks with the service, or plays it, is made from this. */
export const operations = { contacts, lists, automations, senderProfiles, networkMessages, emails };

export interface NamedOperation {
  /** Area and operation as the command line spells them: `contacts.lookup-one`. */
  readonly name: string;
  readonly area: keyof typeof operations;
  readonly operation: Operation;
}

/** The table as one list, in the order of the contract's areas. */
export const operationList: readonly NamedOperation[] = Object.entries(operations).flatMap(([area, table]) =>
  Object.entries(table).map(([key, operation]) => ({
    name: `${kebab(area)}.${kebab(key)}`,
    area: area as keyof typeof operations,
    // Each entry takes an input of its own; whoever goes by name validates against its schemas.
    operation: operation as Operation,
  })),
);

const nameByRoute = new Map(operationList.map(({ name, operation }) => [route(operation), name]));

/** The name of an operation, also of one that reads its answer in another way than the table's. */
export function operationName(operation: Operation): string {
  return nameByRoute.get(route(operation)) ?? route(operation);
}

function route({ method, path }: Operation): string {
  return `${method} ${path}`;
}

function kebab(camel: string): string {
  return camel.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
