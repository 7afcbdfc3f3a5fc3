// Merges all fields of one person: the writes to each side, the values both sides agree on, and what stays open.
import type { FieldNote, Link } from '../record/base.ts';
import { type FieldChange, type Problem, problem, problemId, type Question } from '../change.ts';
import type { PlanInput, Resolution } from '../input.ts';
import { isNoAddress, isNoKey, keyLookupOf, whyNoKey } from '../record/keys.ts';
import { isSame, isTooLong, tooLong } from '../value/kinds.ts';
import { type Field, isWritable } from '../record/mapping.ts';
import {
  agreedValue,
  editNote,
  isFlip,
  isStill,
  lastingNote,
  newerSide,
  noteOrNone,
  agreedNote,
} from './field-notes.ts';
import { type FieldDecision, type FieldReadings, mergeField } from './merge-field.ts';
import type { ContactRecord, RowRecord } from '../record/record.ts';
import { withoutSent } from '../record/sent.ts';
import type { RuleId } from '../rules.ts';
import { isMemberId } from '../value/same.ts';
import { isBlank, type Reading, type Side } from '../value/value.ts';

export interface RecordReadings {
  readonly uuid: string;
  readonly row: Pick<RowRecord, 'number' | 'unreadable' | 'covered' | 'formulas'>;
  readonly base: readonly Reading[];
  readonly crm: readonly Reading[];
  readonly sheet: readonly Reading[];
  readonly updatedAt?: ContactRecord['updatedAt'];
  readonly notes: NonNullable<Link['notes']>;
}

export interface RecordMerge {
  readonly toCrm: readonly FieldChange[];
  readonly toSheet: readonly FieldChange[];
  /** Values that both sides hold already, in the order of the fields. They need no write. */
  readonly agreed: readonly Reading[];
  readonly notes: NonNullable<Link['notes']>;
  readonly problems: readonly Problem[];
  /** V2: does a member id in the sheet name the same profile as the handle in the CRM? */
  readonly questions: readonly Question[];
}

type MergeInput = Pick<PlanInput, 'mapping' | 'requests' | 'now' | 'waitsToSettle' | 'answers' | 'crm'>;

export function mergeRecord(input: MergeInput, read: RecordReadings): RecordMerge {
  const passed = withoutPassedOn(input.mapping, read);
  const record = { ...passed, ...withoutSent(input.mapping.fields, passed) };
  const toCrm: FieldChange[] = [];
  const toSheet: FieldChange[] = [];
  const agreed: Reading[] = [];
  const notes: Record<string, FieldNote> = {};
  const problems: Problem[] = [];
  const questions: Question[] = [];
  for (const [index, field] of input.mapping.fields.entries()) {
    const readings = { base: record.base[index], crm: record.crm[index], sheet: record.sheet[index] };
    const same = agreedAtOnce(input, record, field, readings);
    if (same !== undefined) {
      agreed.push(same);
      continue;
    }
    const outcome = decideField(input, record, field, readings);
    agreed.push(outcome.agreed);
    if (outcome.note) notes[field.name] = outcome.note;
    if (outcome.problem) problems.push(outcome.problem);
    if (outcome.question) questions.push(outcome.question);
    for (const { side, ...change } of outcome.writes) (side === 'crm' ? toCrm : toSheet).push(change);
  }
  return { toCrm, toSheet, agreed, notes, problems, questions };
}

type Write = FieldChange & { readonly side: Side };

interface FieldOutcome {
  readonly agreed: Reading;
  readonly note: FieldNote | undefined;
  readonly problem?: Problem | undefined;
  readonly question?: Question | undefined;
  readonly writes: readonly Write[];
}

/**
 * What both sides hold, of nearly every field of a record: nothing is open, and no person decided anything. undefined: it
 * is for `decideField` to decide. Apart from that, because a call of it makes all the functions within.
 */
function agreedAtOnce(
  { requests }: MergeInput,
  { notes, row }: RecordReadings,
  field: Field,
  readings: FieldReadings,
): Reading {
  const isOpen = notes[field.name] !== undefined || row.unreadable?.[field.name] !== undefined;
  if (isOpen || requests.resolve.size > 0) return undefined;
  const decision = mergeField(field, readings);
  return decision.kind === 'agree' ? agreedValue(field, readings.base, decision.value) : undefined;
}

const coveredSent =
  'shows nothing, since merged cells cover it: undo the merge, or unmerge them and type its value again, which is only sent to the CRM';

function decideField(input: MergeInput, record: RecordReadings, field: Field, readings: FieldReadings): FieldOutcome {
  const { now } = input;
  const known = record.notes[field.name];
  const shown = record.row.unreadable?.[field.name];
  if (shown !== undefined) {
    const isCovered = record.row.covered?.includes(field.name) === true;
    // M4: a column that is only sent is not filled from the contact.
    const reason = isCovered && field.direction === 'to_crm' ? coveredSent : `shows ${shown}`;
    return {
      // V3: a covered cell stays blank when the cells are unmerged, and that is no edit: it is filled from the contact.
      agreed: isCovered ? undefined : readings.base,
      note: known,
      problem: fieldProblem('unreadable', 'V4', reason),
      writes: [],
    };
  }
  const id = problemId(record.uuid, record.row.number, field.name);
  const isRetried = [id, record.uuid, `row:${record.row.number}`].some((each) => input.requests.retry.has(each));
  const edit = editNote(field, readings, known, now);
  const open = { ...lastingNote(known, isRetried), ...(edit && { edit }) };
  const resolution = input.requests.resolve.get(id);
  if (resolution && isDecisionFor(field, readings, resolution)) return resolve(resolution);
  if (known?.parked && !isRetried && isStill(field, readings, known.parked)) {
    return {
      agreed: readings.base,
      note: { ...open, parked: known.parked },
      problem: parkedProblem(known.parked.why),
      writes: [],
    };
  }
  // M1: of values that the sides never agreed on, the cell may be years old. When it was first seen dates no edit.
  const newer = readings.base === undefined ? undefined : newerSide(input.mapping, record.updatedAt, open.edit);
  const decision = mergeField(field, readings, newer);
  switch (decision.kind) {
    case 'leave':
      return { agreed: readings.base, note: noteOrNone(open), writes: [] };
    case 'agree':
      return {
        agreed: agreedValue(field, readings.base, decision.value),
        note: noteOrNone(agreedNote(known)),
        writes: [],
      };
    case 'conflict':
      return isSettling(open.edit)
        ? waiting()
        : (sameProfile() ?? {
            agreed: readings.base,
            note: { ...open, conflictSince: known?.conflictSince ?? now },
            problem: { ...fieldProblem('conflict', decision.rule, decision.reason), values: readings },
            writes: [],
            question: questionOfProfile(),
          });
    case 'write':
      if (isSettling(open.edit)) return waiting();
      if (decision.side === 'sheet') return checkWrite(decision);
      return sameProfile() ?? { ...checkWrite(decision), question: questionOfProfile() };
  }

  /**
   * V2: the cell names the profile by a member id, and the service says that it is this contact. That is no edit: the
   * cell gets the handle that the service shows.
   */
  function sameProfile(): FieldOutcome | undefined {
    const { crm, sheet } = readings;
    const lookup = memberIdLookup();
    const answer = lookup && input.answers.keys?.get(lookup.id);
    if (crm == null || answer?.kind !== 'here' || answer.contact.uuid !== record.uuid) return undefined;
    const reason = 'names the same profile, whose handle this is';
    return writeUnlessHeld([{ side: 'sheet', field: field.name, before: sheet, after: crm, rule: 'V2', reason }]);
  }

  /** While a conflict is open, the service is asked again at full scans only. */
  function questionOfProfile(): Question | undefined {
    const lookup = memberIdLookup();
    const isAskedAgain = input.crm.coverage === 'whole' || input.requests.retry.size > 0;
    if (!lookup || input.answers.keys?.has(lookup.id) || (known?.conflictSince !== undefined && !isAskedAgain)) return;
    const { id: key, by, value } = lookup;
    return { kind: 'key', key, by, value, uuid: record.uuid, field: field.name };
  }

  function memberIdLookup() {
    const { crm, sheet } = readings;
    const isMeant = field.kind === 'handle' && field.direction === 'both' && !isBlank(crm ?? null);
    return isMeant && typeof sheet === 'string' && isMemberId(sheet) ? keyLookupOf(field, sheet) : undefined;
  }

  /** W10. */
  function isSettling(note: FieldNote['edit']): boolean {
    return input.waitsToSettle && note !== undefined && now - note.since < input.mapping.settleMs;
  }

  function waiting(): FieldOutcome {
    return {
      agreed: readings.base,
      note: noteOrNone(open),
      problem: fieldProblem('waiting', 'W10', 'edited: waits to settle'),
      writes: [],
    };
  }

  function checkWrite({ side, value, rule, reason }: Extract<FieldDecision, { kind: 'write' }>): FieldOutcome {
    const { [side]: before } = readings;
    // I8: a word, or the label of a link, does not take the address of a contact away. A decision about a conflict may (M1).
    if (side === 'crm' && typeof before === 'string' && !isNoKey(field, before) && isNoAddress(field, value)) {
      const why = `${value} ${whyNoKey(field, value)}, and does not replace that of the contact: correct the cell, or clear it to empty both`;
      return { agreed: readings.base, note: noteOrNone(open), problem: fieldProblem('held', 'I8', why), writes: [] };
    }
    if (isFlip(field, known?.written, { side, value, replaced: before ?? null })) {
      const parked = { why: 'flips', crm: readings.crm, sheet: readings.sheet } as const;
      return { agreed: readings.base, note: { ...open, parked }, problem: parkedProblem('flips'), writes: [] };
    }
    return writeUnlessHeld([{ side, field: field.name, before, after: value, rule, reason }]);
  }

  /** V5, V6: holds a write that would replace a formula, and refuses a text that is too long for a cell. */
  function writeUnlessHeld(writes: readonly Write[]): FieldOutcome {
    const toCell = writes.find(({ side }) => side === 'sheet');
    const problemOfCell =
      toCell && record.row.formulas?.includes(field.name)
        ? fieldProblem('held', 'V5', 'the cell holds a formula, which is never written over')
        : toCell && isTooLong(toCell.after)
          ? fieldProblem('refused', 'V6', tooLong)
          : undefined;
    return {
      agreed: readings.base,
      note: noteOrNone(open),
      problem: problemOfCell,
      writes: problemOfCell ? writes.filter(({ side }) => side !== 'sheet') : writes,
    };
  }

  /** M1: a person decided on a value. */
  function resolve(said: Resolution): FieldOutcome {
    const value = valueOf(said, readings);
    if (value === undefined) return { agreed: readings.base, note: noteOrNone(open), writes: [] };
    const sides = (['crm', 'sheet'] as const).filter(
      (side) => isWritable(field, side) && !isSame(field.kind, readings[side], value),
    );
    if (sides.length === 0) return { agreed: value, note: undefined, writes: [] };
    return writeUnlessHeld(
      sides.map((side) => ({
        side,
        field: field.name,
        before: readings[side],
        after: value,
        rule: 'M1',
        reason: 'resolved by hand',
      })),
    );
  }

  function parkedProblem(why: 'not-stored' | 'flips'): Problem {
    return why === 'not-stored'
      ? fieldProblem('parked', 'M6', 'not stored by the service, tried three times: left alone until it changes')
      : fieldProblem('parked', 'M7', 'changes back each time it is written: left alone until it gets another value');
  }

  function fieldProblem(kind: Problem['kind'], rule: RuleId, reason: string): Problem {
    return problem(
      kind,
      { uuid: record.uuid, row: record.row.number, field: field.name },
      rule,
      `${field.header}: ${reason}`,
    );
  }
}

/**
 * M1: each side holds what the person saw, or what the decision makes of it already: a run that was cut short has written
 * one side. A column that is of one direction by now has no conflict: its direction decides (M9).
 */
export function isDecisionFor(
  { kind, direction }: Pick<Field, 'kind' | 'direction'>,
  readings: Pick<FieldReadings, Side>,
  said: Resolution,
): boolean {
  if (direction !== 'both') return false;
  const { seen } = said;
  if (!seen) return true;
  return (['crm', 'sheet'] as const).every((side) => {
    const { [side]: held } = readings;
    return isSame(kind, held, seen[side]) || isSame(kind, held, valueOf(said, readings));
  });
}

function valueOf(said: Resolution, readings: Pick<FieldReadings, Side>): Reading {
  if ('value' in said) return said.value;
  return said.seen ? said.seen[said.use] : readings[said.use];
}

/**
 * I7: a run ended while it passed keys on. If the contact holds a value from that run, no person edited it: it becomes
 * the base. A key that was to be let go and is still there was not written: the base is what it was, and an edit that was
 * known before the call stays one (L3).
 */
function withoutPassedOn({ fields }: Pick<PlanInput['mapping'], 'fields'>, record: RecordReadings): RecordReadings {
  if (Object.values(record.notes).every(({ passedOn }) => passedOn === undefined)) return record;
  const base = [...record.base];
  const notes: Record<string, FieldNote> = { ...record.notes };
  for (const [index, { name, kind }] of fields.entries()) {
    const { passedOn, ...rest } = notes[name] ?? {};
    const { [index]: crm } = record.crm;
    if (!passedOn || crm === undefined) continue;
    const [before, after] = passedOn;
    const isLeft = after !== null && isSame(kind, before, crm);
    if (isLeft || isSame(kind, after, crm)) base[index] = crm;
    notes[name] = rest;
  }
  return { ...record, base, notes };
}
