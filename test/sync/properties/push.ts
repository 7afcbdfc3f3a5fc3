// Carries changes out on the small world, as the adapters promise. A value that moved since it was read is not
// overwritten (W3). The service may refuse, forget or reshape what it is sent.
import { lastSeen } from '../../../src/sync/record/base.ts';
import type { Change, FieldChange } from '../../../src/sync/change.ts';
import type { PlanInput } from '../../../src/sync/input.ts';
import type { Outcome } from '../../../src/sync/outcome.ts';
import { pack, type Packed, type RowRecord, unpack } from '../../../src/sync/record/record.ts';
import type { Reading, Value } from '../../../src/sync/value/value.ts';
import { act } from './people.ts';
import { judgeCreate, judgeDeletion, judgeWrite } from './referee.ts';
import type { Fault, RunOptions } from './options.ts';
import { alphabet, fieldNames, position, status } from './setting.ts';
import {
  addContact,
  addRow,
  type Contact,
  type Held,
  isSameField,
  existingContacts,
  recordOf,
  type Row,
  rowRecordOf,
  tick,
  valuesOf,
  type World,
} from './world.ts';

export interface Push {
  readonly outcomes: ReadonlyMap<Change, Outcome>;
  /** Changes with any outcome. */
  readonly begun: ReadonlySet<Change>;
  carryOut(change: Change): void;
  isKilled(): boolean;
  /** A change was not begun. */
  hasSkipped(): boolean;
}

type Effect = () => Outcome;

export function createPush(world: World, input: PlanInput, { faults, meanwhile, edits = [] }: RunOptions): Push {
  const outcomes = new Map<Change, Outcome>();
  const rowByNumber = new Map(world.rows.map((row, index) => [index + 2, row]));
  const readByRow = new Map(input.sheet.rows.map((read) => [rowByNumber.get(read.number)!, read]));
  // A contact that was not read counts as last seen.
  const readByUuid = new Map<string, Packed>(
    [...input.base.links].map(([uuid, link]) => [uuid, lastSeen(link, 'crm')]),
  );
  for (const { uuid, values } of input.crm.contacts) readByUuid.set(uuid, values);
  for (const found of input.answers.lookups.values()) {
    if (found.kind === 'here') readByUuid.set(found.contact.uuid, found.contact.values);
  }
  for (const found of input.answers.contacts.values()) {
    // A contact that was asked for by another rule (I10) and was not read is planned as last seen.
    const isPlanned =
      found.kind === 'here' &&
      (input.crm.coverage === 'whole' ||
        !readByUuid.has(found.contact.uuid) ||
        isRowGone(found.contact.uuid) ||
        input.base.links.get(found.contact.uuid)?.isUnsure === true);
    if (isPlanned) readByUuid.set(found.contact.uuid, found.contact.values);
  }
  const begun = new Set<Change>();
  /** I2: contacts that were to be moved here and were not. A run sends no update of them. */
  const notHere = new Set<string>();
  let number = 0;
  let isKilled = false;
  let hasSkipped = false;
  return {
    outcomes,
    begun,
    carryOut(change) {
      if (isKilled) return;
      if (change.op === 'update' && notHere.has(change.uuid ?? '')) {
        hasSkipped = true;
        return;
      }
      begun.add(change);
      for (const { at, act: what } of meanwhile) if (at === number) act(world, what);
      const fault = faults[number] ?? 'fine';
      number += 1;
      const outcome = meet(fault, () => effectOf(change));
      const isAnswered = outcome !== undefined && outcome.kind !== 'unknown';
      if (!isAnswered && change.uuid !== null && change.op === 'update') world.unsure.add(change.uuid);
      world.story.push(`  ${change.op} ${change.uuid} row ${change.row}: ${fault} ${JSON.stringify(outcome)}`);
      if (outcome) outcomes.set(change, outcome);
      else hasSkipped = true;
      if (change.op === 'create' && change.moves !== undefined && outcome?.kind !== 'done') notHere.add(change.moves);
    },
    isKilled: () => isKilled,
    hasSkipped: () => hasSkipped,
  };

  /**
   * D5, D6, I5: the present answer of the service counts before it is deleted, before its row is made again, and before a row without an ID
   * counts as its own.
   */
  function isRowGone(uuid: string): boolean {
    const { rows } = input.sheet;
    const { onRowDeleted } = input.mapping;
    const isAskedFor =
      onRowDeleted === 'delete_contact' || onRowDeleted === 'restore' || rows.some(({ id }) => id === '');
    return isAskedFor && !rows.some(({ id }) => id === uuid);
  }

  function meet(fault: Fault, effect: Effect): Outcome | undefined {
    switch (fault) {
      case 'fine':
        return effect();
      case 'refused':
        return { kind: 'refused', message: 'not today' };
      case 'failed':
        return { kind: 'failed', message: 'it went wrong' };
      case 'unknown, done':
        effect();
        return { kind: 'unknown', message: 'no answer' };
      case 'unknown, not done':
        return { kind: 'unknown', message: 'no answer' };
      case 'not begun':
        return undefined;
      case 'crash after':
        effect();
        isKilled = true;
        return undefined;
      case 'crash before':
        isKilled = true;
        return undefined;
    }
  }

  function effectOf(change: Change): Outcome {
    tick(world);
    switch (change.op) {
      case 'create':
        return create(change);
      case 'update':
        return update(change);
      case 'delete':
        return deleteContact(change);
      case 'set':
        return set(change);
      case 'append':
        return append(change);
      case 'remove':
        return remove(change);
      case 'cancel':
      case 'enrol':
      case 'send':
        return { kind: 'done' };
    }
  }

  function create(change: Extract<Change, { op: 'create' }>): Outcome {
    const moved = world.contacts.find(({ uuid }) => uuid === change.moves);
    if (change.moves !== undefined) {
      if (!moved || moved.gone) return { kind: 'refused', message: 'no such contact' };
      moved.list = 'here';
      moved.updatedAt = world.now;
      readByUuid.set(moved.uuid, recordOf(moved).values);
      return { kind: 'done', contact: recordOf(moved) };
    }
    const values = alphabet.map((_, index): Value => (index === status ? 'ok' : null));
    for (const { field, after } of change.fields) values[fieldNames.indexOf(field as never)] = after;
    if (refuses(values)) return { kind: 'refused', message: 'not valid' };
    const row = rowByNumber.get(change.row ?? 0);
    const known = holderOf(values);
    if (known) {
      // Another client created the contact a moment ago. The create finds it and changes nothing: planned again.
      const isUnknown = known.held.every(({ isPersons }) => isPersons) && !world.base.links.has(known.uuid);
      if (isUnknown) return { kind: 'moved' };
      return { kind: 'done', contact: recordOf(known) };
    }
    judgeCreate(world, change, row && readByRow.get(row));
    const made = addContact(
      world,
      values.map((value, index) => stored(value, index)),
      false,
    );
    readByUuid.set(made.uuid, recordOf(made).values);
    return { kind: 'done', contact: recordOf(made) };
  }

  function update(change: Extract<Change, { op: 'update' }>): Outcome {
    const contact = existingContacts(world).find(({ uuid }) => uuid === change.uuid);
    if (!contact) return { kind: 'refused', message: 'no such contact' };
    const read = readByUuid.get(contact.uuid);
    if (read !== undefined && recordOf(contact).values !== read) return { kind: 'moved' };
    const after = valuesOf(contact);
    for (const { field, after: value } of change.fields) after[fieldNames.indexOf(field as never)] = value;
    if (refuses(after)) return { kind: 'refused', message: 'not valid' };
    const taken = change.releases ? undefined : takenBy(contact, change.fields);
    if (taken) return { kind: 'refused', message: `taken by ${taken.uuid}` };
    const row = readByRow.get(rowByNumber.get(change.row ?? 0)!);
    for (const each of change.fields) {
      const index = fieldNames.indexOf(each.field as never);
      judgeWrite(world, {
        change,
        field: each,
        index,
        written: contact,
        source: row ? unpack(row.values) : [],
      });
      contact.held[index] = { value: stored(each.after, index, contact.held[index]!.value), isPersons: false };
    }
    editMeanwhile(contact, change);
    contact.updatedAt = world.now;
    readByUuid.set(contact.uuid, recordOf(contact).values);
    return { kind: 'done', contact: recordOf(contact) };
  }

  /** M5: the answer shows what another person wrote at the moment of the update. Other acts edit keys. */
  function editMeanwhile({ uuid, held }: Contact, { fields }: Change): void {
    const index = fields.map(({ field }) => fieldNames.indexOf(field as never)).find((each) => isPlainField(each));
    // The number of a change is taken before the change has its effect.
    for (const { at, value } of edits) {
      if (at !== number - 1 || index === undefined) continue;
      const values = alphabet[index]!;
      const theirs = values[value % values.length]!;
      // A value that differs only in case or white space passes for a form of what was sent.
      if (folded(theirs) === folded(held[index]!.value)) continue;
      held[index] = { value: theirs, isPersons: true };
      world.story.push(`  meanwhile ${fieldNames[index]} of ${uuid} becomes ${JSON.stringify(held[index].value)}`);
    }
  }

  function takenBy(contact: Contact, fields: readonly FieldChange[]): Contact | undefined {
    return existingContacts(world).find(
      (other) =>
        other !== contact &&
        fields.some(({ field, after }) => {
          const index = fieldNames.indexOf(field as never);
          return (
            index < 2 &&
            after !== null &&
            isSameField(world, index, after, other.held[index]!.value) &&
            !isPlaceholder(after)
          );
        }),
    );
  }

  function holderOf(values: readonly Value[]): Contact | undefined {
    return existingContacts(world).find(({ held }) =>
      [0, 1].some(
        (index) =>
          values[index] !== null &&
          !isPlaceholder(values[index]!) &&
          isSameField(world, index, values[index], held[index]!.value),
      ),
    );
  }

  function refuses(values: readonly Value[]): boolean {
    return world.setting.habit === 'refuses' && values[position] === 'R';
  }

  function stored(value: Value, index: number, before: Value = null): Value {
    if (index !== position) return value;
    if (world.setting.habit === 'lowers') return typeof value === 'string' ? value.toLowerCase() : value;
    return world.setting.habit === 'ignores' ? before : value;
  }

  function deleteContact(change: Change): Outcome {
    const contact = existingContacts(world).find(({ uuid }) => uuid === change.uuid);
    if (!contact) return { kind: 'done' };
    const read = readByUuid.get(contact.uuid);
    if (read !== undefined && recordOf(contact).values !== read) return { kind: 'moved' };
    judgeDeletion(world, input, contact);
    contact.gone = 'by the sync';
    return { kind: 'done' };
  }

  function set(change: Extract<Change, { op: 'set' }>): Outcome {
    const row = rowByNumber.get(change.row ?? 0);
    if (!row || hasMoved(row)) return { kind: 'moved' };
    if (row.id !== '' && row.id !== change.uuid && change.id === undefined) {
      world.violations.push(`L9: ${change.uuid} is written into the row of ${row.id}`);
    }
    const read = readByUuid.get(change.uuid ?? '');
    for (const each of change.fields) {
      const index = fieldNames.indexOf(each.field as never);
      if (row.formulas.has(each.field)) world.violations.push(`V5: a formula is written over in row ${change.row}`);
      judgeWrite(world, { change, field: each, index, written: row, source: unpack(read ?? pack([])) });
      row.held[index] = { value: each.after, isPersons: false };
    }
    if (change.id !== undefined) row.id = change.id;
    readByRow.set(row, readOf(row, readByRow.get(row)!));
    return { kind: 'done', stored: storedCells(row, change) };
  }

  function hasMoved(row: Row): boolean {
    const read = readByRow.get(row);
    if (!world.rows.includes(row) || !read) return true;
    const now = readOf(row, read);
    return now.values !== read.values || now.id !== read.id || String(now.formulas) !== String(read.formulas);
  }

  /** As it was read, with the same cells unreadable. */
  function readOf(row: Row, read: RowRecord): RowRecord {
    return rowRecordOf(row, read.number - 2, Object.keys(read.unreadable ?? {}));
  }

  function storedCells(row: Row, { fields }: Change): Record<string, Reading> {
    return Object.fromEntries(
      fields.map(({ field }): [string, Value] => [field, row.held[fieldNames.indexOf(field as never)]!.value]),
    );
  }

  function append(change: Extract<Change, { op: 'append' }>): Outcome {
    if (change.uuid !== null && world.rows.some(({ id }) => id === change.uuid) && meanwhile.length === 0) {
      world.violations.push(`L8: a second row is appended for ${change.uuid}`);
    }
    const read = unpack(readByUuid.get(change.uuid ?? '') ?? pack([]));
    const held = alphabet.map((): Held => ({ value: null, isPersons: false }));
    for (const { field, after } of change.fields) {
      const index = fieldNames.indexOf(field as never);
      if (after !== read[index]) {
        world.violations.push(`L2: ${field} of ${change.uuid} is appended as ${JSON.stringify(after)}`);
      }
      held[index] = { value: after, isPersons: false };
    }
    const row = addRow(world, change.uuid ?? '', held);
    return { kind: 'done', stored: storedCells(row, change) };
  }

  function remove(change: Change): Outcome {
    const row = rowByNumber.get(change.row ?? 0);
    if (!row || hasMoved(row)) return { kind: 'moved' };
    const contact = world.contacts.find(({ uuid }) => uuid === change.uuid);
    if (!contact?.gone) world.violations.push(`L7: the row of ${change.uuid} is removed, and the contact lives`);
    if (row.held.some(({ isPersons }) => isPersons) && contact?.gone && isEditedSince(row, contact)) {
      world.violations.push(`L1: the row of ${change.uuid} is removed with what a person typed there`);
    }
    world.rows = world.rows.filter((each) => each !== row);
    return { kind: 'done' };
  }

  function isEditedSince(row: Row, { uuid }: Contact): boolean {
    const agreed = world.agreed.get(uuid);
    return row.held.some(({ value, isPersons }, index) => {
      const known = agreed?.[index];
      return isPersons && known !== undefined && !isSameField(world, index, value, known);
    });
  }
}

function isPlaceholder(value: Value): boolean {
  return String(value).endsWith('@example.com');
}

function isPlainField(index: number): boolean {
  return ['name', 'company_name', 'position'].includes(fieldNames[index]!);
}

function folded(value: Value): string {
  return String(value ?? '')
    .trim()
    .toLowerCase();
}
