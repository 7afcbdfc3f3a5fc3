// The invariants at the end of a trial, one function each, with a message about the failure.
import type { AppendOutcome, Displaced, RemoveOutcome, RowOutcome, Snapshot } from '../../../src/sheets/port.ts';
import { type Intent, isRow, type Referee, type RemovalIntent, type RowIntent } from './referee.ts';
import { type Seen, toEntered } from './view.ts';

/**
 * V4, V5, L2: a snapshot has, for every row, the content of the workbook at one instant, and for every cell whether a
 * formula makes it. Formulas here all show texts or numbers of their own, so that they can be recognised.
 */
export function checkSnapshot({ rows, columns, idColumn }: Snapshot, seen: Seen): string[] {
  const found = columns.filter(({ kind }) => kind === 'found').map(({ key }) => key);
  if (idColumn.kind !== 'found') return [];
  return rows.flatMap((row) => {
    const there = seen.rows[row.number - 1];
    if (there?.id !== row.id) return `the snapshot has row ${row.number} as ${row.id}, it was ${there?.id}`;
    return found.flatMap((key) => {
      const cell = there.cells[seen.keys.indexOf(key)];
      const [entered, shown] = [cell?.entered ?? '', row.cells[key]];
      const isFormula = entered.startsWith('=');
      const expected = isFormula ? resultOf(entered) : entered;
      const actual = typeof shown === 'object' && shown !== null ? shown.error : toEntered(shown);
      if (row.formulas.includes(key) === isFormula && actual === expected) return [];
      return `the snapshot has ${row.id}/${key} as ${actual}, it was ${entered} and showed ${expected}`;
    });
  });
}

/** All formulas of these trials: `=1+2`, `=UPPER("x")`, `="x"/0`. */
function resultOf(formula: string): string {
  if (formula === '=1+2') return '3';
  const upper = /^=UPPER\((".*")\)$/.exec(formula)?.[1];
  return upper === undefined ? '#VALUE!' : upper.toUpperCase();
}

/** L9: no cell holds a value meant for another id, unless people moved it there, or it was reported. */
export function checkRightRow(referee: Referee, seen: Seen, told: readonly RowOutcome[]): string[] {
  const toldValues = new Set(strayCells(told).map(({ written }) => JSON.stringify(written)));
  const isAnyIdTold = [...toldValues].some((value) => referee.sent.get(value)?.key === '#id');
  return seen.rows.flatMap((row, rowIndex) =>
    row.cells.flatMap(({ entered }, columnIndex) => {
      const intent = referee.sent.get(entered);
      if (!intent || referee.movedByPeople.has(entered) || toldValues.has(entered)) return [];
      // People moved it there with its id; the id was overwritten, ours was removed, and that was reported.
      if (row.id === '' && isAnyIdTold && referee.idsOverwritten.has(intent.id)) return [];
      const isRight =
        (row.id === intent.id || row.id === intent.idAfter || isRow(row, intent)) &&
        seen.keys[columnIndex] === intent.key;
      if (isRight) return [];
      return `row ${rowIndex + 1} (${row.id}), ${seen.keys[columnIndex]}, holds ${entered}, meant for ${intent.id}/${intent.key}`;
    }),
  );
}

/** L1: cells overwritten at the moment of writing were restored, or reported with their content if that was known. */
export function checkNothingLost(referee: Referee, seen: Seen, told: readonly RowOutcome[]): string[] {
  const present = new Set(seen.rows.flatMap(({ cells }) => cells.map(({ entered }) => entered)));
  const toldCells = strayCells(told);
  return (
    referee.debts
      // Text typed after the snapshot into a row that was then pasted over the pinned one was never read.
      .filter((debt) => !(debt.isNewerThanSnapshot && told.some(({ kind }) => kind === 'displaced')))
      .filter((debt) => !debt.isSettled && debt.before !== '' && !present.has(debt.before))
      .filter(
        ({ before }) => !toldCells.some((cell) => cell.before === undefined || JSON.stringify(cell.before) === before),
      )
      .map(
        ({ where, before, wrong }) =>
          `${where}: ${before} was hit by ${wrong || 'a clearing'} and neither put back nor told`,
      )
  );
}

/** If nothing could be restored any more, it was at least reported. */
export function checkTold(referee: Referee, told: readonly RowOutcome[]): string[] {
  const isTold = told.some(({ kind }) => kind === 'displaced' || kind === 'unknown');
  return referee.debts.length === 0 || isTold ? [] : ['values went astray, and nobody was told'];
}

function strayCells(told: readonly RowOutcome[]): readonly Displaced[] {
  const cells = told.flatMap((outcome) => (outcome.kind === 'displaced' ? outcome.cells : []));
  return cells.filter(({ isRestored }) => !isRestored);
}

/** L8: no row was appended twice. */
export function checkAppendedOnce(referee: Referee): string[] {
  return [...referee.appended.values()]
    .filter(({ count }) => count > 1)
    .map(({ id, count }) => `the row ${id} was appended ${count} times`);
}

/** No pin and no append mark is left. */
export function checkNoMarks(marks: readonly string[]): string[] {
  return marks.length === 0 ? [] : [`marks were left: ${marks.join(', ')}`];
}

/** L3: an update's outcome is true. */
export function checkUpdateOutcome(outcome: RowOutcome, intents: readonly Intent[]): string[] {
  const name = intents.map(({ id, tag, key }) => `${id || tag}/${key}`).join(', ');
  // Only values can be told apart: another party may have emptied a cell.
  const isUntouched = intents.every(({ value, hits, misses }) => value === '' || (hits === 0 && misses === 0));
  switch (outcome.kind) {
    case 'written':
      // A cell that was already empty shows no trace of being emptied again.
      return intents.every(({ hits, value, before }) => hits > 0 || value === before || value === '')
        ? []
        : [`${name} is called written and was not`];
    case 'moved':
    case 'failed':
    case 'formula':
    case 'refused':
    case 'duplicate-id':
      return isUntouched ? [] : [`${name} is called ${outcome.kind} and was written`];
    case 'changed-meanwhile':
    case 'row-gone':
    case 'displaced':
    case 'unknown':
      return [];
  }
}

export function checkAppendOutcome(outcome: AppendOutcome, { id, count }: RowIntent, isDisplaced: boolean): string[] {
  if (outcome.kind === 'unknown') return [];
  if (isDisplaced && outcome.kind === 'appended')
    return [`the row ${id} has a value in another column, and nobody is told`];
  const wanted = outcome.kind === 'appended' || outcome.kind === 'displaced' ? 1 : 0;
  return count === wanted ? [] : [`the row ${id} is called ${outcome.kind} and was appended ${count} times`];
}

/** A row deleted by another party while the outcome was unknown counts as removed. */
export function checkRemoveOutcome(
  outcome: RemoveOutcome,
  { id, count, displaced }: RemovalIntent,
  isThere: boolean,
  isAnswerLost: boolean,
): string[] {
  // Another row was deleted in its place: only the answer shows it.
  if (displaced > 0 && !isAnswerLost) {
    return outcome.kind === 'displaced' ? [] : [`a row was deleted for ${id}, and it is called ${outcome.kind}`];
  }
  if (outcome.kind === 'removed' && !isThere) return [];
  if (outcome.kind === 'unknown' || outcome.kind === 'row-gone') return [];
  const wanted = outcome.kind === 'removed' ? 1 : 0;
  return count === wanted ? [] : [`the row ${id} is called ${outcome.kind} and was deleted ${count} times`];
}
