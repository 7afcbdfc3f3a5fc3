// Takes back the fields that a run wrote (S4): each goes back on both sides, or is listed with the reason.
import { type Change, type FieldChange, type Problem, problem } from '../change.ts';
import type { PlanInput } from '../input.ts';
import { lastSeen } from '../record/base.ts';
import { type Field, isWritable } from '../record/mapping.ts';
import type { Person } from '../record/person.ts';
import { unpack } from '../record/record.ts';
import { isSame } from '../value/kinds.ts';
import type { Reading, Side } from '../value/value.ts';
import type { PastEnrolment, PastWrite } from './past.ts';

export interface Undo {
  readonly changes: readonly Change[];
  readonly people: ReadonlyMap<string, Person>;
  /** What cannot be taken back, and why. */
  readonly problems: readonly Problem[];
}

/** `people`: the contacts of the writes, as both sides show them now. Enrolments are listed and never taken back. */
export function planUndo(
  { mapping }: Pick<PlanInput, 'mapping'>,
  people: ReadonlyMap<string, Person>,
  writes: readonly PastWrite[],
  enrolments: readonly PastEnrolment[] = [],
): Undo {
  const changes: Change[] = [];
  const problems: Problem[] = [];
  for (const [uuid, ofPerson] of groupByUuid(writes)) {
    const person = people.get(uuid);
    const fields: Record<Side, FieldChange[]> = { crm: [], sheet: [] };
    for (const write of ofPerson.values()) {
      const field = mapping.fields.find(({ name }) => name === write.field);
      const why = field ? whyNotTakenBack(mapping.fields, field, person, write) : 'it is not synced any more';
      if (why === isBackAlready) {
        // Without the row: its status says how it stands, and nothing of it is left to do.
        const about = { uuid, field: write.field };
        problems.push(problem('ignored', about, 'S4', `${field?.header ?? write.field}: nothing to take back: ${why}`));
        continue;
      }
      if (why !== undefined) {
        const about = { uuid, row: person?.row?.number ?? null, field: write.field };
        problems.push(problem('held', about, 'S4', `${field?.header ?? write.field}: not taken back: ${why}`));
        continue;
      }
      const { agreedBefore } = write;
      for (const side of ['crm', 'sheet'] as const) {
        const before = readingOf(mapping.fields, person!, side, write.field);
        if (isSame(field!.kind, before, agreedBefore)) continue;
        // Not undefined: `whyNotTakenBack` refuses such a write.
        fields[side].push({ field: write.field, before, after: agreedBefore!, rule: 'S4', reason: 'taken back' });
      }
    }
    const about = { uuid, row: person?.row?.number ?? null, rule: 'S4', reason: 'taken back' } as const;
    if (fields.crm.length > 0) changes.push({ side: 'crm', op: 'update', ...about, fields: fields.crm });
    if (fields.sheet.length > 0) changes.push({ side: 'sheet', op: 'set', ...about, fields: fields.sheet });
  }
  for (const { uuid, op, automation } of enrolments) {
    const why =
      op === 'enrol'
        ? `put into ${automation}: what it has sent is sent; to end it, empty its cell if on_clear is cancel, else take the contact out in the service`
        : `taken out of ${automation}: name it in its cell again, and the next run says how to put the contact back`;
    const row = people.get(uuid)?.row?.number ?? null;
    problems.push(problem('held', { uuid, row }, 'S4', `not taken back: ${why}`));
  }
  const sides: readonly Side[] = ['crm', 'sheet'];
  return { changes: sides.flatMap((side) => changes.filter((change) => change.side === side)), people, problems };
}

/** Why nothing of this person can be written now; undefined: both sides are there. */
export function whyNobody(person: Person | undefined): string | undefined {
  if (!person) return 'its contact and its row are not linked any more';
  if (person.link?.standing === 'left') return 'its contact is in another list now';
  if (person.contact === 'absent' || person.link?.standing === 'contact-gone')
    return 'its contact is gone or in another list';
  if (!person.row) return 'its row is gone';
  if (person.link?.copies && person.link.copies.length > 0) return 'several rows have its ID';
  return undefined;
}

/** The present values of a side; a contact that was not read counts as last seen. */
export function readingOf(fields: readonly Field[], { link, contact, row }: Person, side: Side, name: string): Reading {
  const index = fields.findIndex((field) => field.name === name);
  if (side === 'sheet') return row && unpack(row.values)[index];
  if (typeof contact === 'object') return unpack(contact.values)[index];
  return link && unpack(lastSeen(link, 'crm'))[index];
}

/**
 * One entry for each field: a run may have written both of its sides, and one side twice. The last value stands, and what
 * was agreed before the first write.
 */
function groupByUuid(writes: readonly PastWrite[]): ReadonlyMap<string, ReadonlyMap<string, PastWrite>> {
  const byUuid = new Map<string, Map<string, PastWrite>>();
  for (const write of writes) {
    const fields = byUuid.get(write.uuid) ?? new Map<string, PastWrite>();
    const first = fields.get(write.field) ?? write;
    byUuid.set(write.uuid, fields.set(write.field, { ...write, agreedBefore: first.agreedBefore }));
  }
  return byUuid;
}

const isBackAlready = 'both sides hold the old value';

/** Undefined: it is taken back. */
function whyNotTakenBack(
  fields: readonly Field[],
  field: Field,
  person: Person | undefined,
  write: PastWrite,
): string | undefined {
  const nobody = whyNobody(person);
  if (nobody !== undefined || !person?.row) return nobody;
  if (!isWritable(field, 'crm')) return 'only the CRM can change it';
  if (!isWritable(field, 'sheet')) return 'only the sheet can change it';
  if (write.agreedBefore === undefined) return 'both sides never agreed on another value';
  if (person.row.formulas?.includes(field.name)) return 'the cell holds a formula';
  const sides: readonly Side[] = ['crm', 'sheet'];
  const readings = sides.map((side) => [side, readingOf(fields, person, side, field.name)] as const);
  // A run that refilled an emptied side wrote the agreed value: then there is nothing to put back, and nothing to tell.
  const isBack = readings.every(([, now]) => isSame(field.kind, now, write.agreedBefore));
  if (isBack && !isSame(field.kind, write.after, write.agreedBefore)) return isBackAlready;
  const changed = readings.find(([, now]) => !isSame(field.kind, now, write.after));
  if (!changed) return undefined;
  const [side, now] = changed;
  if (now === undefined) return `not known what the ${side === 'crm' ? 'CRM' : 'cell'} holds now`;
  return `changed since in the ${side === 'crm' ? 'CRM' : 'sheet'}`;
}
