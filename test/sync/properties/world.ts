// Two sides as plain data, with what a referee has to know: which row is physically which, and who wrote each value last.
import { compileKeys } from '../../../src/sync/record/keys.ts';
import type { Base } from '../../../src/sync/record/base.ts';
import { isSame } from '../../../src/sync/value/kinds.ts';
import type { Mapping } from '../../../src/sync/record/mapping.ts';
import { type ContactRecord, pack, type Packed, type RowRecord } from '../../../src/sync/record/record.ts';
import type { Reading, Value } from '../../../src/sync/value/value.ts';
import { fieldNames, mappingOf, segment, type Setting } from './setting.ts';

/** A value and whether a person put it there, or the sync. */
export interface Held {
  readonly value: Value;
  readonly isPersons: boolean;
}

export interface Contact {
  readonly uuid: string;
  held: Held[];
  list: 'here' | 'there';
  /** undefined while it exists. */
  gone?: 'by a person' | 'by the sync';
  updatedAt: number;
}

export interface Row {
  /** Stays with the row wherever it is moved. */
  readonly thing: number;
  id: string;
  held: Held[];
  readonly formulas: Set<string>;
}

export interface World {
  readonly setting: Setting;
  readonly mapping: Mapping;
  readonly contacts: Contact[];
  rows: Row[];
  /** Rows that a person deleted, as they were. */
  readonly deletedRows: Row[];
  base: Base;
  /** By uuid: what both sides agreed on, as the base has it. */
  readonly agreed: Map<string, Reading[]>;
  /** Contacts that were sent a column that cannot be read back, without an answer or with one that was lost. */
  readonly unsure: Set<string>;
  now: number;
  made: number;
  watermark: number;
  readonly story: string[];
  readonly violations: string[];
}

export function createWorld(setting: Setting): World {
  return {
    setting,
    mapping: mappingOf(setting),
    contacts: [],
    rows: [],
    deletedRows: [],
    base: { fields: fieldNames, links: new Map(), strays: new Map() },
    agreed: new Map(),
    unsure: new Set(),
    now: Date.UTC(2026, 0, 1),
    made: 0,
    watermark: 0,
    story: [],
    violations: [],
  };
}

export function persons(values: readonly Value[]): Held[] {
  return values.map((value) => ({ value, isPersons: true }));
}

export function addContact(world: World, values: readonly Value[], isPersons: boolean): Contact {
  world.made += 1;
  const uuid = `00000000-0000-4000-8000-${String(world.made).padStart(12, '0')}`;
  const held = values.map((value) => ({ value, isPersons }));
  const contact: Contact = { uuid, held, list: 'here', updatedAt: tick(world) };
  world.contacts.push(contact);
  return contact;
}

export function addRow(world: World, id: string, held: readonly Held[]): Row {
  world.made += 1;
  const row: Row = { thing: world.made, id, held: [...held], formulas: new Set() };
  world.rows.push(row);
  return row;
}

/** The service counts whole seconds. */
export function tick(world: World, secs = 1): number {
  world.now += secs * 1000;
  return world.now;
}

export function existingContacts(world: World): Contact[] {
  return world.contacts.filter(({ gone }) => gone === undefined);
}

export function inScope(world: World): Contact[] {
  return existingContacts(world).filter(({ list }) => list === 'here');
}

export function valuesOf({ held }: { readonly held: readonly Held[] }): Value[] {
  return held.map(({ value }) => value);
}

/** As the service answers: it does not give the segment back. */
export function recordOf(contact: Contact): ContactRecord {
  return { uuid: contact.uuid, values: answered(contact), updatedAt: contact.updatedAt };
}

function answered(contact: Contact): Packed {
  return pack(valuesOf(contact).map((value, index) => (index === segment ? undefined : value)));
}

export function rowRecordOf(row: Row, index: number, unreadable: readonly string[] = []): RowRecord {
  const values = valuesOf(row).map((value, at) => (unreadable.includes(fieldNames[at]!) ? undefined : value));
  return {
    number: index + 2,
    id: row.id,
    values: pack(values),
    ...(unreadable.length > 0 && { unreadable: Object.fromEntries(unreadable.map((name) => [name, '#REF!'])) }),
    ...(row.formulas.size > 0 && { formulas: [...row.formulas] }),
  };
}

export function isSameField(world: World, index: number, a: Reading, b: Reading): boolean {
  return isSame(world.mapping.fields[index]!.kind, a, b);
}

/** Which of these contacts a match key of the values finds. The first key that finds any decides. */
export function findByKey(world: World, contacts: readonly Contact[], values: readonly Reading[]): Contact[] {
  for (const read of compileKeys(world.mapping).readers) {
    const key = read(values);
    const hits = key === undefined ? [] : contacts.filter((contact) => read(valuesOf(contact)) === key);
    if (hits.length > 0) return hits;
  }
  return [];
}
