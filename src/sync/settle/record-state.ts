// One record in the middle of a run: what both sides were confirmed to hold so far. Outcomes go in, a link comes out.
import { type FieldNote, lastSeen, type Link, type Refusal, type Written } from '../record/base.ts';
import { type Change, type FieldChange, type Problem, problem } from '../change.ts';
import { withCopies, editedAt, linkOf } from '../record/link.ts';
import { noRequests, type PlanInput } from '../input.ts';
import { isSame, isStoredForm, type Kind } from '../value/kinds.ts';
import { type Field, isReadFromCrm, type Mapping } from '../record/mapping.ts';
import { mergeRecord, type RecordMerge } from '../merge/merge-record.ts';
import type { Person } from '../record/person.ts';
import { type ContactRecord, pack, type Packed, type RowRecord, unpack } from '../record/record.ts';
import { isOtherName } from '../record/keys.ts';
import { withoutSent } from '../record/sent.ts';
import { isBlank, type Reading, type Value } from '../value/value.ts';

/** The knowledge of one record in the middle of a run. */
export interface RecordState {
  readonly uuid: string;
  readonly row: RowRecord;
  readonly base: readonly Reading[];
  readonly crm: readonly Reading[];
  readonly sheet: readonly Reading[];
  readonly notes: Readonly<Record<string, FieldNote>>;
  readonly problems: readonly Problem[];
  readonly updatedAt?: number | undefined;
  readonly writtenAt?: number | undefined;
  readonly shownAt?: number | undefined;
  readonly refusal?: Refusal | undefined;
  readonly isUnsure?: Link['isUnsure'] | undefined;
  /**
   * M5: names of sent fields for which the service answered a third value: neither what was sent nor what it held before.
   */
  readonly replaced: readonly string[];
  /** G2: names of fields that were not sent, and that the answer shows emptied. The next run plans and counts that. */
  readonly emptied: readonly string[];
  /** M8: names of fields that were not sent, and that the answer shows with another value: most are computed from what was sent. */
  readonly computed: readonly string[];
  /** As `Link.copies`. While there are any, nothing is written into the row (I4). */
  readonly copies: readonly Packed[];
}

/** `copies`: the contents of other rows with its ID. */
export function stateOf(
  { mapping }: PlanInput,
  { uuid, link, contact }: Person,
  row: RowRecord,
  copies: readonly Packed[] = [],
): RecordState {
  const unknown = mapping.fields.map(() => undefined);
  const crm = typeof contact === 'object' ? unpack(contact.values) : link ? unpack(lastSeen(link, 'crm')) : unknown;
  const base = link ? unpack(link.agreed) : unknown;
  const sheet = unpack(row.values);
  return {
    uuid,
    row,
    crm,
    sheet,
    // W4: what the plan concluded from both sides, before this run wrote to them.
    ...withoutSent(mapping.fields, { base, crm, sheet, notes: link?.notes ?? {} }),
    problems: [],
    updatedAt: editedAt(mapping, link, contact),
    writtenAt: link?.writtenAt,
    shownAt: link?.shownAt,
    refusal: link?.refusal?.sheet === row.values ? link.refusal : undefined,
    isUnsure: typeof contact === 'object' ? undefined : link?.isUnsure,
    replaced: [],
    emptied: [],
    computed: [],
    copies,
  };
}

/** A new row as it is before its cells are known. Without its column a field is unknown (W11). */
export function blankRow({ mapping: { fields }, sheet: { missing } }: Pick<PlanInput, 'mapping' | 'sheet'>): RowRecord {
  const values = fields.map(({ header }) => (missing.includes(header) ? undefined : null));
  return { number: 0, id: '', values: pack(values) };
}

/**
 * M5, M6: compares what the service stored with what was sent and with what it held before. `held`: that, in the order of the
 * fields, of those that are only sent; the changes do not say it (M4).
 */
export function confirmStored(
  { fields }: Mapping,
  state: RecordState,
  sent: readonly FieldChange[],
  contact: ContactRecord,
  held: readonly Reading[] = state.crm,
): RecordState {
  const answered = unpack(contact.values);
  const base = [...state.base];
  // A blank is an answer. A field that is missing from the answer keeps its value (V3).
  const crm = answered.map((value, index) => (value === undefined ? state.crm[index] : value));
  const notes: Record<string, FieldNote> = { ...state.notes };
  const problems = [...state.problems];
  const replaced: string[] = [];
  const emptied: string[] = [];
  const computed: string[] = [];
  for (const [index, field] of fields.entries()) {
    const { name } = field;
    const change = sent.find((each) => each.field === name);
    if (!change) {
      if (answered[index] === null && !isBlank(state.crm[index] ?? null)) emptied.push(name);
      else if (answered[index] !== undefined && !isSame(field.kind, answered[index], state.crm[index]))
        computed.push(name);
      continue;
    }
    const { before, after } = change;
    const { [index]: stored } = answered;
    const written = { side: 'crm', value: after, replaced: before ?? null } as const;
    switch (answerTo(field, stored, { before: isReadFromCrm(field) ? (before ?? null) : held[index], after })) {
      case 'stored':
        // A column that cannot be read back counts as stored. Another stored form reaches the sheet as a change of the
        // CRM. If a person decided on a value that neither side held, the sheet does not hold it yet (L3).
        if (!isReadFromCrm(field) || isSame(field.kind, state.sheet[index], after)) base[index] = after;
        if (isReadFromCrm(field) && stored === undefined) crm[index] = after;
        notes[name] = withWritten(withoutNotStored(notes[name]), written);
        break;
      case 'not stored': {
        const note = notStoredNote(notes[name], field.kind, after, { crm: stored, sheet: state.sheet[index] });
        notes[name] = note;
        // The merge reports a parked field.
        if (!note.parked) problems.push(notStoredProblem(state, field));
        break;
      }
      case 'replaced': {
        // The base stays: the sides do not agree. A service that always answers another value is parked like one that
        // stores nothing (M6).
        const sides = { crm: stored, sheet: state.sheet[index] };
        notes[name] = notStoredNote(withWritten(notes[name], written), field.kind, after, sides);
        replaced.push(name);
      }
    }
  }
  // When another person wrote that value is unknown: the answer has the instant of our own write.
  const updatedAt = replaced.length > 0 ? undefined : editedBefore(fields, state, sent, answered);
  return {
    ...state,
    base,
    crm,
    notes,
    problems,
    updatedAt,
    writtenAt: contact.updatedAt,
    isUnsure: undefined,
    replaced: [...state.replaced, ...replaced],
    emptied: [...state.emptied, ...emptied],
    computed: [...state.computed, ...computed],
  };
}

/**
 * M5, M6. The value before the write counts as not stored, even if it is a form of what was sent. An unknown answer
 * counts as stored.
 */
function answerTo(
  field: Field,
  stored: Reading,
  { before, after }: { readonly before: Reading; readonly after: Value },
): 'stored' | 'not stored' | 'replaced' {
  const { kind } = field;
  if (stored === undefined || isSame(kind, stored, after)) return 'stored';
  const isOld = isSame(kind, stored, before);
  const isForm = isStoredForm(kind, stored, after);
  // M4: a field is only sent so that nobody hears of other forms and of edits. A handle answers the member id of its profile.
  if (!isReadFromCrm(field)) return isOld && !isForm && !isOtherName(field, after, stored) ? 'not stored' : 'stored';
  if (isOld) return 'not stored';
  return isForm ? 'stored' : 'replaced';
}

/**
 * M1: the last edit of the contact. The answer has the instant of our own write, so the instant read before the write
 * counts. If the answer shows another change, in a field that was not sent, the instant of that edit is unknown.
 */
function editedBefore(
  fields: Mapping['fields'],
  { crm, updatedAt }: RecordState,
  written: readonly FieldChange[],
  answered: readonly Reading[],
): number | undefined {
  const isEdited = fields.some(({ name, kind, direction }, index) => {
    const isOurs = direction !== 'both' || written.some(({ field }) => field === name);
    return !isOurs && answered[index] !== undefined && !isSame(kind, answered[index], crm[index]);
  });
  return isEdited ? undefined : updatedAt;
}

/** I7: the run emptied the key on one side. The blank is no edit and is not merged. */
export function confirmReleased(
  mapping: Mapping,
  state: RecordState,
  released: readonly FieldChange[],
  contact: ContactRecord,
): RecordState {
  const confirmed = confirmStored(mapping, state, [], contact);
  const base = confirmed.base.map((value, index) =>
    released.some(({ field }) => field === mapping.fields[index]!.name) ? confirmed.crm[index] : value,
  );
  return { ...confirmed, base, updatedAt: editedBefore(mapping.fields, state, released, unpack(contact.values)) };
}

/** I7: the keys are as they were before the run, and so are the base and the notes about them. What was not stored stays counted (M6). */
export function confirmRestored(
  mapping: Mapping,
  state: RecordState,
  restored: readonly FieldChange[],
  { contact, before }: { readonly contact: ContactRecord; readonly before: RecordState },
): RecordState {
  const confirmed = confirmStored(mapping, state, [], contact);
  const isRestored = ({ name }: Field) => restored.some(({ field }) => field === name);
  const base = confirmed.base.map((value, index) => (isRestored(mapping.fields[index]!) ? before.base[index] : value));
  const notes = Object.fromEntries(
    mapping.fields.flatMap((field, index) => {
      const { [field.name]: note } = confirmed.notes;
      const { [field.name]: earlier } = before.notes;
      const kept = isRestored(field) ? withNotStored(earlier, note, confirmed.crm[index]) : note;
      return kept ? [[field.name, kept]] : [];
    }),
  );
  const updatedAt = editedBefore(mapping.fields, state, restored, unpack(contact.values));
  return { ...confirmed, base, notes, updatedAt };
}

function notStoredProblem({ uuid, row }: RecordState, { name, header }: Field): Problem {
  const reason = `${header}: not stored by the service, is tried again`;
  return problem('failed', { uuid, row: row.number, field: name }, 'M6', reason);
}

/** M6: the first attempt and two retries. */
const notStoredMax = 3;

function notStoredNote(
  note: FieldNote | undefined,
  kind: Kind,
  value: Value,
  now: { readonly crm: Reading; readonly sheet: Reading },
): FieldNote {
  const times = note?.notStored && isSame(kind, note.notStored.value, value) ? note.notStored.times + 1 : 1;
  const isParked = times >= notStoredMax;
  return { ...note, notStored: { value, times }, ...(isParked && { parked: { why: 'not-stored', ...now } }) };
}

export function withCells(
  { fields }: Mapping,
  state: RecordState,
  { op, fields: set, id }: Pick<Change, 'op' | 'fields'> & { readonly id?: string },
  stored: Readonly<Record<string, Reading>>,
): RecordState {
  const sheet = [...state.sheet];
  const notes: Record<string, FieldNote> = { ...state.notes };
  for (const { field, before, after } of set) {
    sheet[fields.findIndex(({ name }) => name === field)] = stored[field] === undefined ? after : stored[field];
    if (op !== 'set') continue;
    notes[field] = withWritten(notes[field], { side: 'sheet', value: after, replaced: before ?? null });
  }
  return { ...state, sheet, notes, ...(id !== undefined && { row: { ...state.row, id } }) };
}

function withWritten(note: FieldNote | undefined, written: Written): FieldNote {
  return { ...note, written: [...(note?.written ?? []), written].slice(-2) };
}

/** `crm`: what the contact holds now. */
function withNotStored(note: FieldNote | undefined, from: FieldNote | undefined, crm: Reading): FieldNote | undefined {
  const { notStored, parked } = from ?? {};
  return notStored ? { ...note, notStored, ...(parked && { parked: { ...parked, crm } }) } : note;
}

function withoutNotStored(note: FieldNote | undefined): FieldNote {
  const { notStored: _notStored, parked: _parked, edit: _edit, ...rest } = note ?? {};
  return rest;
}

/** The merge of the plan, over what is known now. Decisions of people were carried out and do not count again. */
export function createStateMerge(input: PlanInput): (state: RecordState) => RecordMerge {
  const { fields } = input.mapping;
  const withoutRequests = { ...input, requests: noRequests };
  return (state) =>
    mergeRecord(withoutRequests, {
      uuid: state.uuid,
      row: state.row,
      base: state.base,
      crm: fields.map((field, index) => (isReadFromCrm(field) ? state.crm[index] : undefined)),
      sheet: state.sheet,
      notes: state.notes,
      ...(state.updatedAt !== undefined && { updatedAt: state.updatedAt }),
    });
}

/** G2: whether the limits have let this through, so that a later run makes it without counting it. */
export type IsAllowed = (uuid: string, change: FieldChange) => boolean;

export function linkOfState(state: RecordState, merged: RecordMerge, isAllowed: IsAllowed = () => true): Link {
  const isOpen =
    merged.toCrm.length > 0 || merged.toSheet.length > 0 || merged.problems.length > 0 || state.problems.length > 0;
  const agreed = pack(merged.agreed);
  const link = linkOf({
    agreed,
    crm: pack(state.crm, agreed),
    sheet: pack(state.sheet, agreed),
    notes: merged.notes,
    isOpen: isOpen || state.row.id !== state.uuid,
    rowId: state.row.id === state.uuid ? undefined : state.row.id,
    writtenAt: state.writtenAt,
    shownAt: state.shownAt,
    updatedAt: state.updatedAt,
    refusal: state.refusal,
    isUnsure: state.isUnsure,
    // A write that follows from a write of this run was allowed with it, whichever run makes it.
    counted: [...merged.toCrm, ...(state.copies.length === 0 ? withoutEmptied(state, merged.toSheet) : [])].filter(
      (change) => isAllowed(state.uuid, change),
    ),
  });
  return withCopies(link, state.copies);
}

/** G2: without the cells of fields that somebody emptied in the CRM while the run wrote others: no limit has counted these. */
export function withoutEmptied({ emptied }: RecordState, toSheet: readonly FieldChange[]): readonly FieldChange[] {
  return toSheet.filter(({ field, after }) => after !== null || !emptied.includes(field));
}

/** The contents of other rows with the contact's ID, as the plan found them. */
export function copiesOf(
  { links }: { readonly links: ReadonlyMap<string, Link | null> },
  { base }: Pick<PlanInput, 'base'>,
  uuid: string,
): readonly Packed[] {
  return (links.has(uuid) ? links.get(uuid) : base.links.get(uuid))?.copies ?? [];
}
