// The plan that takes a run back (S4). Like any other plan it is checked against what both sides hold now, pushed and
// settled.
import { lastSeen } from './record/base.ts';
import { type Change, type FieldChange, type Problem, problem } from './change.ts';
import type { PlanInput } from './input.ts';
import { isSame } from './value/kinds.ts';
import { type Field, isWritable } from './record/mapping.ts';
import type { Person } from './record/person.ts';
import { unpack } from './record/record.ts';
import type { Reading, Side } from './value/value.ts';

/** One field that a run wrote, as the history stores it. */
export interface PastWrite {
  readonly uuid: string;
  readonly field: string;
  readonly side: Side;
  /**
   * What both sides agreed on before that run. If they had never agreed: what the written side held. undefined: that was
   * blank or is not known, so that there is no value both sides could go back to.
   */
  readonly agreedBefore: Reading;
  readonly after: Reading;
}

/** An enrolment or a cancel that a run asked for, as the history stores it. */
export interface PastEnrolment {
  readonly uuid: string;
  readonly op: 'enrol' | 'cancel';
  /** The name of the automation, as far as it is known. */
  readonly automation: string;
}

export interface Undo {
  readonly changes: readonly Change[];
  readonly people: ReadonlyMap<string, Person>;
  /** Writes and enrolments that cannot be taken back, and why. */
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
      const why = field && person ? whyNotTakenBack(mapping.fields, field, person, write) : 'it is not synced any more';
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
        ? `put into ${automation}: what it has sent is sent; cancel it to end it`
        : `taken out of ${automation}: name it again, and retry, to put the contact back`;
    const row = people.get(uuid)?.row?.number ?? null;
    problems.push(problem('held', { uuid, row }, 'S4', `not taken back: ${why}`));
  }
  const sides: readonly Side[] = ['crm', 'sheet'];
  return { changes: sides.flatMap((side) => changes.filter((change) => change.side === side)), people, problems };
}

/** One entry for each field: a run may have written both of its sides. */
function groupByUuid(writes: readonly PastWrite[]): ReadonlyMap<string, ReadonlyMap<string, PastWrite>> {
  const byUuid = new Map<string, Map<string, PastWrite>>();
  for (const write of writes) {
    const fields = byUuid.get(write.uuid) ?? new Map<string, PastWrite>();
    byUuid.set(write.uuid, fields.set(write.field, write));
  }
  return byUuid;
}

function whyNotTakenBack(fields: readonly Field[], field: Field, person: Person, write: PastWrite): string | undefined {
  if (!person.row) return 'its row is gone';
  if (person.contact === 'absent') return 'its contact is gone';
  if (!isWritable(field, 'crm')) return 'only the CRM can change it';
  if (!isWritable(field, 'sheet')) return 'only the sheet can change it';
  if (write.agreedBefore === undefined) return 'both sides never agreed on another value';
  if (person.row.formulas?.includes(field.name)) return 'the cell holds a formula';
  const sides: readonly Side[] = ['crm', 'sheet'];
  const changed = sides.find((side) => !isSame(field.kind, readingOf(fields, person, side, field.name), write.after));
  return changed && `changed since in the ${changed === 'crm' ? 'CRM' : 'sheet'}`;
}

function readingOf(fields: readonly Field[], { link, contact, row }: Person, side: Side, name: string): Reading {
  const index = fields.findIndex((field) => field.name === name);
  if (side === 'sheet') return row && unpack(row.values)[index];
  if (typeof contact === 'object') return unpack(contact.values)[index];
  return link && unpack(lastSeen(link, 'crm'))[index];
}
