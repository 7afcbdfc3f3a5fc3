// The input of a check: the options that passed by themselves. Options that failed are left out; their problems are
// reported already.
import type { Salvaged } from '../schema-walk.ts';
import type { configFile } from '../schema/file.ts';
import type { Path } from '../problems.ts';

export type SalvagedFile = Salvaged<ReturnType<typeof configFile>>;
export type SalvagedSync = NonNullable<NonNullable<SalvagedFile['syncs']>[string]>;
export type SalvagedOutbox = NonNullable<NonNullable<SalvagedFile['outbox']>[string]>;
export type SalvagedFeed = NonNullable<NonNullable<SalvagedFile['feeds']>[string]>;

/** A fault between options, reported at one of them. */
export interface Fault {
  readonly path: Path;
  readonly part: 'key' | 'value';
  /** As in ConfigProblem. */
  readonly also?: readonly Path[];
  /** As in ConfigProblem; left out: the value in the file. */
  readonly found?: string;
  readonly allowed: string;
  readonly nearest?: string | undefined;
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface Named<Item> {
  readonly name: string;
  readonly item: Item;
}

export function named<Item>(items: Readonly<Record<string, Item | undefined>> | undefined): readonly Named<Item>[] {
  return Object.entries(items ?? {}).flatMap(([name, item]) => (item === undefined ? [] : [{ name, item }]));
}
