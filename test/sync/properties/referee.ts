// The laws that every single write, and every stored base, must obey. Written from the rules, not from the code.
import type { Change, FieldChange } from '../../../src/sync/change.ts';
import type { PlanInput } from '../../../src/sync/input.ts';
import type { Plan } from '../../../src/sync/plan.ts';
import { type RowRecord, unpack } from '../../../src/sync/record/record.ts';
import type { Reading, Side, Value } from '../../../src/sync/value/value.ts';
import { fieldNames, position } from './setting.ts';
import { type Contact, type Held, isSameField, existingContacts, type World } from './world.ts';

interface Write {
  readonly change: Change;
  readonly field: FieldChange;
  readonly index: number;
  readonly written: { readonly held: readonly Held[] };
  /** What the other side was read to hold, or holds since this run wrote there. */
  readonly source: readonly Reading[];
}

/** L1, L2: which value does this write replace, and where does the new value come from? */
export function judgeWrite(world: World, write: Write): void {
  const { change, field, index, written, source } = write;
  // A value that is taken back comes from the history, and a person asked for it.
  if (field.rule === 'S4') return;
  const lost = written.held[index]!;
  const { side } = change;
  const told = `${field.field} of ${change.uuid}, ${side}: ${JSON.stringify(lost.value)} -> ${JSON.stringify(field.after)}`;
  const isRelease = change.op === 'update' && change.releases === true;
  if (!isRelease && source[index] !== field.after) {
    world.violations.push(`L2: invented: ${told}`);
  }
  // A key that was released a moment ago is reported as it was before (I7).
  const isLetGo = lost.value === null && !lost.isPersons && side === 'crm';
  if (field.before !== undefined && !isLetGo && !isSameField(world, index, field.before, lost.value)) {
    world.violations.push(`L12: told to replace ${JSON.stringify(field.before)}: ${told}`);
  }
  if (isRelease || !lost.isPersons || !isEdit(world, change.uuid ?? '', index, lost.value)) return;
  if (isStoredForm(world, index, lost.value, field.after)) return;
  if (field.rule === 'M5' && isOnlyWrittenOtherwise(lost.value, field.after)) return;
  if (!mayOverwrite(world, side, index, lost.value, field.after)) world.violations.push(`L1: lost: ${told}`);
}

function isEdit(world: World, uuid: string, index: number, value: Value): boolean {
  const known = world.agreed.get(uuid)?.[index];
  // Without a base a blank is no edit: it is filled.
  if (known === undefined) return value !== null;
  return !isSameField(world, index, value, known);
}

/** M5. */
function isStoredForm({ setting }: World, index: number, sent: Value, stored: Value): boolean {
  return index === position && setting.habit === 'lowers' && String(sent).toLowerCase() === stored;
}

/**
 * M5: an answer that differs in case or white space alone passes for the service's form, also if a person typed it
 * between the look and the call. Nothing tells the two apart.
 */
function isOnlyWrittenOtherwise(sent: Value, answered: Value): boolean {
  const plain = (value: Value) => String(value).trim().toLowerCase();
  return sent !== null && answered !== null && plain(sent) === plain(answered);
}

/** Does a declared policy say that an edit of a person on this side loses? */
function mayOverwrite({ mapping }: World, side: Side, index: number, value: Value, by: Value): boolean {
  const { direction, conflict, blank } = mapping.fields[index]!;
  if (direction === 'to_sheet') return side === 'sheet';
  if (direction === 'to_crm') return true;
  if (value === null) return by !== null && (blank === 'ignore' || conflict !== side);
  if (by === null && blank === 'ignore') return false;
  return conflict === 'newest' || (conflict !== 'manual' && conflict !== side);
}

/** L8: the service found no contact for this row. Was it because the row was created before? */
export function judgeCreate(world: World, change: Change, row: RowRecord | undefined): void {
  if (row && row.id !== '' && existingContacts(world).some(({ uuid }) => uuid === row.id)) {
    world.violations.push(`L8: a contact is created for row ${change.row}, which has one: ${row.id}`);
  }
}

/** L7: a contact is deleted only because a person deleted its row, and only under that policy. */
export function judgeDeletion(world: World, { sheet }: PlanInput, { uuid }: Contact): void {
  const isAsked = world.mapping.onRowDeleted === 'delete_contact';
  const isLiving = sheet.rows.some(({ id }) => id === uuid);
  if (!isAsked || isLiving) world.violations.push(`L7: ${uuid} is deleted, and nobody asked for it`);
}

/** What can be judged of a plan before any of it is done. */
export function judgePlan(world: World, { sheet }: PlanInput, planned: Plan): void {
  const writers = new Set<string>();
  for (const change of planned.changes) {
    if (change.op === 'update' && change.releases) continue;
    const key = `${change.side} ${change.op} ${change.uuid} ${change.uuid === null || change.op === 'set' ? change.row : ''}`;
    if (writers.has(key)) world.violations.push(`two changes of one record: ${key}`);
    writers.add(key);
    for (const { before, after, field } of change.fields) {
      if (before === after) world.violations.push(`W9: ${field} of ${change.uuid} is written as it is`);
    }
    if (change.op === 'set') {
      const row = sheet.rows.find(({ number }) => number === change.row);
      const isOthers = row && row.id !== '' && row.id !== change.uuid && change.id === undefined;
      if (!row || isOthers) world.violations.push(`L9: ${change.uuid} goes to row ${change.row} of ${row?.id}`);
    }
  }
  const ids = planned.problems.map(({ id, kind, rule }) => `${id} ${kind} ${rule}`);
  const doubled = ids.filter((id, index) => ids.indexOf(id) !== index);
  if (doubled.length > 0) world.violations.push(`L12: named twice: ${doubled.join(', ')}`);
}

/** L3: a new value of the base was seen on both sides. */
export function judgeBase(world: World, { base }: PlanInput): void {
  for (const [uuid, link] of world.base.links) {
    if (base.links.get(uuid)?.agreed === link.agreed) continue;
    const before = base.links.get(uuid);
    const contact = world.contacts.find((each) => each.uuid === uuid);
    const had = before && unpack(before.agreed);
    for (const [index, value] of unpack(link.agreed).entries()) {
      if (value === undefined || (had && isSameField(world, index, had[index], value))) continue;
      const field = world.mapping.fields[index]!;
      // A key that was released, and whose second half did not succeed: the sync itself made the blank (I7).
      const isLetGo = value === null && contact?.held[index]!.isPersons === false;
      const isCrmsToo =
        field.direction === 'to_crm' ||
        contact?.held[index]!.value === undefined ||
        wasHeld(world, uuid, 'crm', index, value);
      if (!isLetGo && !isCrmsToo)
        world.violations.push(
          `L3: the base of ${fieldNames[index]} of ${uuid} is ${JSON.stringify(value)}, which the CRM never held`,
        );
      if (!isLetGo && !wasHeld(world, uuid, 'sheet', index, value)) {
        world.violations.push(
          `L3: the base of ${fieldNames[index]} of ${uuid} is ${JSON.stringify(value)}, which its row never held`,
        );
      }
    }
  }
}

function wasHeld(world: World, uuid: string, side: Side, index: number, value: Value): boolean {
  const holders: readonly { readonly held: readonly Held[] }[] =
    side === 'crm'
      ? world.contacts.filter((each) => each.uuid === uuid)
      : // IDs are pasted about: any row will do.
        [...world.rows, ...world.deletedRows];
  // A person may have edited it right after it was confirmed, and the service's form may differ from what it was sent
  // (M5).
  return (
    holders.length === 0 ||
    (index === position && world.setting.habit === 'lowers') ||
    holders.some(({ held }) => held[index]!.isPersons || isSameField(world, index, held[index]!.value, value))
  );
}
