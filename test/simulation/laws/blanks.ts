import { normalOf } from '../people/token.ts';
import type { Evidence, Law, Violation, Write } from '../oracle/evidence.ts';
import { type FieldName, policyOf, type Setting } from '../world/setting.ts';
import { hasDecided, isMistakable, isOneSided, storyOf, wasSentInDoubt } from './records.ts';

/**
 * M3. With ignored blanks, the emptied side is refilled, and no blank is carried over. With synced blanks, a field that a
 * person emptied stays blank unless the other side is edited.
 */
export const blanks: Law = (evidence) => [...emptied(evidence), ...refilled(evidence)];

function emptied(evidence: Evidence): readonly Violation[] {
  return evidence.writes.flatMap((write) => {
    const { side, person, field, before, after, direction } = write;
    const blank = alwaysBlank(evidence, field);
    const isEmptied = normalOf(field, before) !== '' && normalOf(field, after) === '';
    if (!isEmptied || blank !== 'ignore' || direction !== 'both') return [];
    if (isExcused(evidence, write) || isTakenOut(evidence, write)) return [];
    const text = `${person} ${field} in the ${side} was emptied, although blanks are ignored; it was ${JSON.stringify(before)}`;
    return [{ law: 'M3', text: text + storyOf(evidence, person, field) }];
  });
}

function refilled(evidence: Evidence): readonly Violation[] {
  return evidence.writes.flatMap((write) => {
    const { side, person, field, before, after, isCleared, direction } = write;
    const blank = alwaysBlank(evidence, field);
    const isRefilled = before === '' && isCleared && after !== '' && isOneSided(evidence, write);
    if (!isRefilled || blank !== 'sync' || direction !== 'both') return [];
    if (isExcused(evidence, write) || wasPutBack(evidence, write)) return [];
    // W4: no run knows that both sides agreed on it, and a blank beside a value that was never agreed on is filled.
    if (wasSentInDoubt(evidence, write)) return [];
    const text = `${person} ${field} in the ${side} was emptied by a person, and nobody edited the other side, and yet it was refilled with ${JSON.stringify(after)}`;
    return [{ law: 'M3', text: text + storyOf(evidence, person, field) }];
  });
}

/** What a blank meant in the whole story; undefined: not always the same. */
function alwaysBlank({ policies }: Evidence, field: FieldName): Setting['blank'] | undefined {
  const meant = new Set(policies.map((each) => policyOf(each, field).blank));
  return meant.size === 1 ? [...meant][0] : undefined;
}

/** Written in the very moment in which rows moved, and removed again by the same run (docs/spreadsheet.md). */
function isTakenOut({ writes, runs }: Evidence, { seq, pid, side, person, field, before }: Write): boolean {
  const isSamePlace = (each: Write) => each.pid === pid && each.side === side && each.person === person;
  const last = writes.findLast((each) => each.seq < seq && isSamePlace(each) && each.field === field);
  const isOfRun = last !== undefined && !runs.some((run) => run.pid === pid && run.seq > last.seq && run.seq <= seq);
  return isOfRun && last.after === before;
}

/** A run began while the other side held another value, and then somebody put the earlier one back: that is an edit. */
function wasPutBack({ log, runs }: Evidence, { seq, side, person, field, after }: Write): boolean {
  const typed = log.typed.filter(
    (each) => each.side !== side && each.person === person && each.field === field && each.seq < seq,
  );
  const isAsWritten = (text: string) => normalOf(field, text) === normalOf(field, after);
  return runs.some((run) => {
    const held = typed.findLast((each) => each.seq < run.seq);
    return held && !isAsWritten(held.text) && typed.some((each) => each.seq > run.seq && isAsWritten(each.text));
  });
}

/** A key that changes hands is released first (I7); a person who resolved a conflict may have chosen blank. */
function isExcused(evidence: Evidence, { person, field, isUndo }: Write): boolean {
  const isKey = field === 'email' || field === 'network_id';
  // S4: what both sides agreed on before may have been blank, or not.
  return isUndo || isKey || person === undefined || hasDecided(evidence, 'resolve') || isMistakable(evidence, person);
}
