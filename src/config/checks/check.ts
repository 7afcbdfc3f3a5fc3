// What a check works on: the options that passed by themselves. What did not is left out, and has been named already.
import type { Salvaged } from '../schema-walk.ts';
import type { configFile } from '../schema/file.ts';
import type { Path } from '../source.ts';

export type SalvagedFile = Salvaged<ReturnType<typeof configFile>>;
export type SalvagedSync = NonNullable<NonNullable<SalvagedFile['syncs']>[string]>;
export type SalvagedOutbox = NonNullable<NonNullable<SalvagedFile['outbox']>[string]>;
export type SalvagedFeed = NonNullable<NonNullable<SalvagedFile['feeds']>[string]>;

/** A fault between options, found where one of them stands. */
export interface Fault {
  readonly path: Path;
  readonly part: 'key' | 'value';
  /** As in ConfigProblem; left out: the value as it is written. */
  readonly found?: string;
  readonly allowed: string;
  readonly nearest?: string | undefined;
}

export interface Named<Item> {
  readonly name: string;
  readonly item: Item;
}

export function named<Item>(items: Readonly<Record<string, Item | undefined>> | undefined): readonly Named<Item>[] {
  return Object.entries(items ?? {}).flatMap(([name, item]) => (item === undefined ? [] : [{ name, item }]));
}
