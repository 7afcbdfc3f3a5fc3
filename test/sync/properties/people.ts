// What people do to either side. A number picks a thing, modulo the number of things there are.
import { type Arbitrary, constant, constantFrom, nat, oneof, record, tuple } from 'fast-check';
import { alphabet, fieldNames, segment } from './setting.ts';
import { addContact, addRow, existingContacts, persons, type Row, tick, valuesOf, type World } from './world.ts';

export type Act =
  | {
      readonly kind: 'edits a cell' | 'edits a contact';
      readonly who: number;
      readonly field: number;
      readonly to: number;
    }
  | { readonly kind: 'types a formula'; readonly who: number; readonly field: number }
  | { readonly kind: OneArgument; readonly who: number }
  | {
      readonly kind: 'swaps cells' | 'pastes an id';
      readonly who: number;
      readonly other: number;
      readonly field: number;
    }
  | { readonly kind: 'types a row' | 'adds a contact'; readonly values: readonly number[] }
  | { readonly kind: 'sorts' | 'reverses rows' | 'clears all ids' };

const oneArgument = [
  'deletes a row',
  'puts a row back',
  'deletes a contact',
  'makes a contact anew',
  'copies a row',
  'types a row again',
  'clears an id',
  'garbles an id',
  'moves to another list or back',
  'cuts and pastes a row',
] as const;
type OneArgument = (typeof oneArgument)[number];

const who = nat({ max: 7 });
const anyField = nat({ max: fieldNames.length - 1 });
const letter = nat({ max: 5 });
export const someValues = tuple(...alphabet.map(() => nat({ max: 5 })));

export const anyAct: Arbitrary<Act> = oneof(
  { weight: 8, arbitrary: record({ kind: constant('edits a cell'), who, field: anyField, to: letter }) },
  { weight: 8, arbitrary: record({ kind: constant('edits a contact'), who, field: anyField, to: letter }) },
  { weight: 6, arbitrary: record({ kind: constantFrom(...oneArgument), who }) },
  { weight: 1, arbitrary: record({ kind: constantFrom('sorts', 'reverses rows', 'clears all ids') }) },
  { weight: 2, arbitrary: record({ kind: constantFrom('types a row', 'adds a contact'), values: someValues }) },
  {
    weight: 2,
    arbitrary: record({ kind: constantFrom('swaps cells', 'pastes an id'), who, other: who, field: anyField }),
  },
  { weight: 1, arbitrary: record({ kind: constant('types a formula'), who, field: anyField }) },
);

/**
 * Edits of values alone: which row is whose stays plain. `position` and the fields after it, so that keys stay as they
 * are.
 */
export const anyPlainEdit: Arbitrary<Act> = record({
  kind: constantFrom('edits a cell', 'edits a contact'),
  who,
  field: constantFrom(3, 4, 5),
  to: letter,
});

export function letterToValues(letters: readonly number[]) {
  return alphabet.map((values, index) => values[(letters[index] ?? 0) % values.length]!);
}

export function act(world: World, what: Act): void {
  world.story.push(`somebody ${JSON.stringify(what)}`);
  tick(world);
  perform(world, what);
}

function perform(world: World, what: Act): void {
  const { rows } = world;
  const pick = <Item>(items: readonly Item[], index: number): Item | undefined => items[index % (items.length || 1)];
  switch (what.kind) {
    case 'edits a cell': {
      const row = pick(rows, what.who);
      if (row) setCell(row, what.field, what.to);
      return;
    }
    case 'edits a contact': {
      const contact = pick(existingContacts(world), what.who);
      if (!contact || what.field === segment) return;
      const typed = personal(what.field, what.to);
      // Emptying an empty field is no visible edit.
      if (typed.value !== null || contact.held[what.field]!.value !== null) contact.held[what.field] = typed;
      contact.updatedAt = world.now;
      return;
    }
    case 'types a formula': {
      const row = pick(rows, what.who);
      row?.formulas.add(fieldNames[what.field]!);
      return;
    }
    case 'swaps cells': {
      const [one, other] = [pick(rows, what.who), pick(rows, what.other)];
      if (!one || !other || one === other) return;
      const kept = one.held[what.field]!;
      one.held[what.field] = { value: other.held[what.field]!.value, isPersons: true };
      other.held[what.field] = { value: kept.value, isPersons: true };
      one.formulas.delete(fieldNames[what.field]!);
      other.formulas.delete(fieldNames[what.field]!);
      return;
    }
    case 'pastes an id': {
      const [from, into] = [pick(rows, what.who), pick(rows, what.other)];
      if (from && into) into.id = from.id;
      return;
    }
    case 'types a row':
      addRow(world, '', persons(letterToValues(what.values)));
      return;
    case 'adds a contact':
      addContact(world, letterToValues(what.values), true);
      return;
    case 'sorts':
      world.rows = rows.toSorted((a, b) => (JSON.stringify(valuesOf(a)) < JSON.stringify(valuesOf(b)) ? -1 : 1));
      return;
    case 'reverses rows':
      world.rows = rows.toReversed();
      return;
    case 'clears all ids':
      for (const row of rows) row.id = '';
      return;
    default:
      performOn(world, what.kind, what.who);
  }
}

function performOn(world: World, kind: OneArgument, index: number): void {
  const { rows } = world;
  const row = rows[index % (rows.length || 1)];
  switch (kind) {
    case 'deletes a row':
      if (row) takeRow(world, row);
      return;
    case 'puts a row back': {
      const back = world.deletedRows.splice(index % (world.deletedRows.length || 1), 1)[0];
      if (back) addRow(world, back.id, persons(valuesOf(back)));
      return;
    }
    case 'deletes a contact': {
      const contact = existingContacts(world)[index % (existingContacts(world).length || 1)];
      if (contact) contact.gone = 'by a person';
      return;
    }
    case 'makes a contact anew': {
      const gone = world.contacts.filter((contact) => contact.gone !== undefined);
      const model = gone[index % (gone.length || 1)];
      if (model) addContact(world, valuesOf(model), true);
      return;
    }
    case 'copies a row':
      if (row) addRow(world, row.id, row.held);
      return;
    case 'types a row again':
      if (row) addRow(world, '', persons(valuesOf(row)));
      return;
    case 'clears an id':
      if (row) row.id = '';
      return;
    case 'garbles an id':
      if (row) row.id = index % 2 ? 'zzz' : '99999999-0000-4000-8000-000000000000';
      return;
    case 'moves to another list or back': {
      const contact = existingContacts(world)[index % (existingContacts(world).length || 1)];
      if (!contact) return;
      contact.list = contact.list === 'here' ? 'there' : 'here';
      contact.updatedAt = world.now;
      return;
    }
    case 'cuts and pastes a row':
      if (row) world.rows = [...rows.filter((each) => each !== row), row];
  }
}

function takeRow(world: World, row: Row): void {
  world.rows = world.rows.filter((each) => each !== row);
  world.deletedRows.push(row);
}

function setCell(row: Row, field: number, to: number): void {
  row.held[field] = personal(field, to);
  row.formulas.delete(fieldNames[field]!);
}

function personal(field: number, to: number) {
  const values = alphabet[field]!;
  return { value: values[to % values.length]!, isPersons: true };
}
