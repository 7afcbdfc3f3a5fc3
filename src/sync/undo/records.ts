// Takes back the records that a run made or removed (S7): rows it appended go, rows it removed come back, contacts it
// created go if a person asks for that. Everything else is listed with the reason.
import { type Change, type Problem, problem } from '../change.ts';
import type { PlanInput } from '../input.ts';
import { appendRow } from '../merge/new-record.ts';
import type { Matched } from '../match/match.ts';
import { lastSeen } from '../record/base.ts';
import { isDone, readLedgerKey } from '../record/ledger.ts';
import { isReadFromCrm, type Mapping } from '../record/mapping.ts';
import type { Person } from '../record/person.ts';
import { unpack } from '../record/record.ts';
import { isSame } from '../value/kinds.ts';
import { isBlank } from '../value/value.ts';
import { readingOf, whyNobody } from './fields.ts';
import type { PastCreate, PastRecord, PastRun } from './past.ts';

export interface RecordsUndo {
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
}

type Undoing = Pick<PlanInput, 'mapping' | 'ledger' | 'crm' | 'sheet'>;

/**
 * `deletesCreated`: a person asked that contacts which the run created are deleted. `isOfField`: a person asked for one field,
 * and `past` has nothing else of each record.
 */
export function planRecordsUndo(
  input: Undoing,
  people: ReadonlyMap<string, Person>,
  { rowByUuid, sharedIds, withheld }: Pick<Matched, 'rowByUuid' | 'sharedIds' | 'withheld'>,
  past: Omit<PastRun, 'writes' | 'enrolments'>,
  { deletesCreated, isOfField = false }: { readonly deletesCreated: boolean; readonly isOfField?: boolean },
): RecordsUndo {
  const changes: Change[] = [];
  const problems: Problem[] = [];
  const say = (uuid: string | null, row: number | null, reason: string) =>
    void problems.push(problem('held', { uuid, row }, 'S7', `not taken back: ${reason}`));
  const rowOf = (uuid: string) => people.get(uuid)?.row?.number ?? null;
  for (const create of past.created) {
    const { uuid } = create;
    if (isOfField) {
      say(
        uuid,
        uuid === null ? create.row : rowOf(uuid),
        'it was created, and an undo of one field deletes no contact',
      );
      continue;
    }
    const why = whyContactStays(input, uuid === null ? undefined : people.get(uuid), create, deletesCreated);
    if (why !== undefined || uuid === null) say(uuid, uuid === null ? create.row : rowOf(uuid), why ?? unanswered);
    else changes.push({ side: 'crm', op: 'delete', uuid, row: rowOf(uuid), fields: [], ...takenBack });
  }
  for (const append of past.appended) {
    const { uuid } = append;
    const why = isOfField
      ? 'an undo of one field deletes no row'
      : whyRowStays(input.mapping, people.get(uuid), append);
    if (why !== undefined) say(uuid, rowOf(uuid), `its row was appended: ${why}`);
    else changes.push({ side: 'sheet', op: 'remove', uuid, row: rowOf(uuid), fields: [], ...takenBack });
  }
  for (const uuid of past.removed) {
    const person = people.get(uuid);
    // A row that was typed again has no ID before the next run.
    const isThere = rowByUuid.has(uuid) || sharedIds.has(uuid);
    const why = isThere
      ? 'there is one again'
      : withheld.has(uuid)
        ? 'a row without its ID may be its row'
        : whyRowIsNotMade(person);
    if (why !== undefined || !person?.link) {
      say(uuid, rowOf(uuid), `its row was deleted: ${why ?? forgotten}`);
      continue;
    }
    const values = typeof person.contact === 'object' ? person.contact.values : lastSeen(person.link, 'crm');
    const made = appendRow(input, uuid, values, takenBack.rule, takenBack.reason);
    changes.push(...made.changes);
    problems.push(...made.problems);
  }
  for (const uuid of past.deleted) {
    const row = rowOf(uuid);
    const again =
      row === null
        ? 'type it into a new row to make another one'
        : `clear the ID cell of row ${row}, and the next run makes another one from it`;
    say(uuid, row, `the contact was deleted, and one made anew has another uuid: ${again}`);
  }
  for (const uuid of past.linked)
    say(
      uuid,
      rowOf(uuid),
      'its ID was written into a row that was there: the next run would find the same contact again',
    );
  return { changes, problems };
}

const takenBack = { rule: 'S7', reason: 'taken back' } as const;
const unanswered = 'it was created, and the service did not say as which contact';
const forgotten = 'its contact is not known any more';

/** Why a contact that the run created is not deleted; undefined: it is. */
function whyContactStays(
  input: Undoing,
  person: Person | undefined,
  create: PastCreate,
  deletesCreated: boolean,
): string | undefined {
  if (create.uuid === null) return unanswered;
  if (create.is === 'moved')
    return 'the contact was moved here from another list: move it back in the service, its row then says so';
  if (create.is === 'known') return 'the service answered a contact that was there before';
  const nobody = whyNobody(person);
  if (nobody !== undefined || !person) return `it was created: ${nobody}`;
  if (create.is === 'unknown') return 'it was created by a version that did not note whether the contact was new';
  if (!deletesCreated) return 'it was created, and is deleted only with --delete-created; its row stays';
  const enrolled = [...input.ledger.entries].some(([key, entry]) => {
    return readLedgerKey(key).uuid === create.uuid && (isDone(entry) || entry.before !== undefined);
  });
  if (enrolled) return 'it was created, and was put into an automation since';
  if (input.crm.coverage === 'partial') return 'it was created, and the contacts were not all read';
  const why = whyTouched(input.mapping, person, create.held, ['crm', 'sheet']);
  return why && `it was created, and ${why}`;
}

/** Why an appended row is not deleted; undefined: it is. */
function whyRowStays(mapping: Mapping, person: Person | undefined, { held }: PastRecord): string | undefined {
  if (!person?.link) return 'it is not linked any more';
  if (!person.row) return 'it is gone';
  // The row of a contact that is gone or in another list says so, and a person decides about it (D3, D4).
  const nobody = whyNobody(person);
  return nobody ?? whyTouched(mapping, person, held, ['sheet']);
}

/** Why a row that the run deleted is not made anew; undefined: it is. Only the contact can say what was in it. */
function whyRowIsNotMade(person: Person | undefined): string | undefined {
  if (!person?.link) return forgotten;
  if (person.contact === 'absent' || person.link.standing !== 'row-gone') return 'its contact is gone or elsewhere';
  return undefined;
}

/** Whether a side holds something else than the run wrote. A cell outside the mapping is looked at when the row goes. */
function whyTouched(
  { fields }: Mapping,
  person: Person,
  held: PastRecord['held'],
  sides: readonly ('crm' | 'sheet')[],
): string | undefined {
  const { row, link } = person;
  if (row?.wish !== undefined && row.wish.trim() !== '') return 'its automation cell was filled since';
  if (row?.formulas && row.formulas.length > 0) return 'a cell of it holds a formula';
  for (const side of sides) {
    const where = side === 'crm' ? 'CRM' : 'sheet';
    for (const field of fields) {
      const now = readingOf(fields, person, side, field.name);
      // A run reads no field that is only sent. It is compared all the same, because a person may have written it there.
      if (side === 'crm' && field.isHidden && now === undefined) continue;
      const then = held.get(field.name) ?? null;
      if (now === undefined) return `not known what its ${field.header} is in the ${where}`;
      if (isSame(field.kind, now, then) || (isBlank(now) && isBlank(then))) continue;
      return `its ${field.header} was changed since in the ${where}`;
    }
  }
  // A value that the service does not show: what was agreed is all that is known of it.
  const agreed = link ? unpack(link.agreed) : [];
  const sent = fields.find((field, index) => {
    const value = agreed[index];
    return !isReadFromCrm(field) && value !== undefined && !isSame(field.kind, value, held.get(field.name) ?? null);
  });
  return sent && sides.includes('crm') ? `its ${sent.header} was changed since` : undefined;
}
