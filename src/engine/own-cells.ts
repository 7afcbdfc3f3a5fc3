// W5 for the cells that only leadsheet writes: the status of a row and the result of its wish. What the spreadsheet refuses of
// them waits until its pause is over, and keeps no other cell of the row from being written. Nor does one that holds a formula
// (V5).
import type {
  CallSettings,
  CellInput,
  ColumnKey,
  Row,
  RowChange,
  RowOutcome,
  Snapshot,
  Table,
} from '../sheets/port.ts';
import { firstFew, type Problem, problem, problemId } from '../sync/change.ts';
import type { Refusal, Stray } from '../sync/record/base.ts';
import { pausedKind } from '../sync/record/refusal.ts';
import { isRowDue, refusedAgain, type RowPauses } from '../sync/row-refusal.ts';
import { hiddenCells, hiddenMessage } from './hidden-cells.ts';
import { refusalIn } from './refused-batch.ts';

export type Cells = Readonly<Record<ColumnKey, CellInput>>;

/** The cells to write into one row. */
export interface OwnedWrite extends Omit<RowChange, 'set'> {
  /** Cells that are kept equal. */
  readonly set: Cells;
  /** Cells of our own columns. */
  readonly own: Cells;
}

export interface OwnCells {
  /** These cells without those that hold a formula, or none while they wait. */
  readonly due: (row: Row, cells: Cells) => Cells;
  readonly written: (row: Row) => void;
  /** The spreadsheet refused them. */
  readonly refuse: (row: Row, cells: Cells, message: string) => void;
  /** Refusals to remember. `isStopped`: the run did not come to every row, so that nothing is forgotten. */
  readonly strays: (isStopped: boolean) => ReadonlyMap<string, Stray>;
  /** L12: one for each range that refused cells and one for each column with formulas, naming the rows. */
  readonly problems: () => readonly Problem[];
}

interface RefusedCells {
  readonly row: number;
  readonly headers: readonly string[];
  readonly refusal: Refusal;
}

/**
 * `headerOf`: the header of one of our columns, for people. `kind`: the first word of the keys of what is remembered, one for
 * each way of writing such cells.
 */
export function createOwnCells(
  pauses: RowPauses,
  headerOf: (key: ColumnKey) => string,
  kind: 'cells' | 'id' = 'cells',
): OwnCells {
  const { known } = pauses;
  // A row that moved is another one: it may be out of the protected range.
  const keyOf = ({ id, number }: Row) => `${kind}:${number} ${id}`;
  const kept = new Map<string, Stray>();
  const refused = new Map<string, RefusedCells>();
  /** By header: numbers of rows. */
  const formulas = new Map<string, readonly number[]>();
  const headersOf = (cells: Cells) => Object.keys(cells).map(headerOf);
  const isAsked = (cells: Cells) =>
    headersOf(cells).some((header) => pauses.retry?.has(problemId(null, null, header)) ?? false);
  return {
    due(row, all) {
      const key = keyOf(row);
      const cells = withoutFormulas(row, all);
      if (isNothing(cells)) return cells;
      const stray = known.get(key);
      if (stray?.refusal?.sheet !== contentOf(cells)) return cells;
      kept.set(key, stray);
      refused.set(key, { row: row.number, headers: headersOf(cells), refusal: stray.refusal });
      return isAsked(cells) || isRowDue(pauses, stray.refusal, { uuid: row.id, row: row.number }) ? cells : {};
    },
    written(row) {
      kept.delete(keyOf(row));
      refused.delete(keyOf(row));
    },
    refuse(row, cells, message) {
      const key = keyOf(row);
      const stray = refusedAgain(pauses, key, message, contentOf(cells));
      kept.set(key, stray);
      refused.set(key, { row: row.number, headers: headersOf(cells), refusal: stray.refusal! });
    },
    strays(isStopped) {
      if (!isStopped) return kept;
      return new Map([...[...known].filter(([key]) => key.startsWith(`${kind}:`)), ...kept]);
    },
    problems: () => [...toProblems([...refused.values()], pauses.retry !== undefined), ...formulaProblems(formulas)],
  };

  /** The same cells where none holds a formula. Such a cell needs no pause: the reading tells when the formula is gone. */
  function withoutFormulas(row: Row, cells: Cells): Cells {
    const held = Object.keys(cells).filter((key) => row.formulas.includes(key));
    for (const header of held.map(headerOf)) formulas.set(header, [...(formulas.get(header) ?? []), row.number]);
    if (held.length === 0) return cells;
    return Object.fromEntries(Object.entries(cells).filter(([key]) => !held.includes(key)));
  }
}

function isNothing(cells: Cells): boolean {
  return Object.keys(cells).length === 0;
}

function formulaProblems(formulas: ReadonlyMap<string, readonly number[]>): readonly Problem[] {
  return [...formulas].map(([header, rows]) => {
    const numbers = rows.toSorted((a, b) => a - b);
    const where = numbers.length === 1 ? `row ${numbers[0]} holds` : `rows ${firstFew(numbers)} hold`;
    const reason = `${header} of ${where} a formula, which is never written over: clear the cell`;
    return problem('held', { field: header }, 'V5', reason);
  });
}

function contentOf(cells: Cells): string {
  return JSON.stringify(Object.entries(cells));
}

function toProblems(refused: readonly RefusedCells[], isRetryable: boolean): readonly Problem[] {
  const groups = new Map<string, RefusedCells[]>();
  for (const each of refused) {
    const group = JSON.stringify([pausedKind(each.refusal), each.headers, each.refusal.message]);
    groups.set(group, [...(groups.get(group) ?? []), each]);
  }
  return [...groups.values()].map((group) => {
    const [{ headers, refusal }] = group as [RefusedCells];
    const rows = group.map(({ row }) => row).toSorted((a, b) => a - b);
    const where = `${headers.join(' and ')} of row${rows.length === 1 ? '' : 's'} ${firstFew(rows)}`;
    const remedy = isRetryable ? '; to have it tried at once: leadsheet retry' : '';
    const reason = `${where} could not be written: ${refusal.message}${remedy}`;
    return problem(pausedKind(refusal), { field: headers[0]! }, 'W5', reason);
  });
}

/**
 * Outcomes in the order of `writes`; undefined: nothing of it is to be written now. Where a protected range has cells of ours
 * and no other cell of the write, the rest of that row is written without them. Where the spreadsheet refuses a row and does
 * not say for which cell, as in a tab that is protected but for some ranges, the rest is tried once without ours.
 */
export async function writeRows(
  table: Table,
  snapshot: Snapshot,
  writes: readonly OwnedWrite[],
  own: OwnCells,
  settings?: CallSettings,
): Promise<readonly (RowOutcome | undefined)[]> {
  const due = writes.map((write) => ({ ...write, own: own.due(write.row, write.own) }));
  const outcomes = await update(due);
  for (const [index, { row, own: cells }] of due.entries()) {
    const outcome = outcomes[index];
    if (outcome?.kind !== 'written' || isNothing(cells)) continue;
    own.written(row);
    const hidden = hiddenCells(cells, outcome.stored);
    if (!isNothing(hidden)) own.refuse(row, hidden, hiddenMessage);
  }
  const again = due.flatMap((write, index) => {
    const outcome = outcomes[index];
    if (isNothing(write.own) || !outcome) return [];
    const message = refusalOf(outcome, write);
    if (message !== undefined) own.refuse(write.row, write.own, message);
    const isWithout = !isEmpty({ ...write, own: {} }) && (message !== undefined || isOfUnnamedCells(outcome));
    return isWithout ? [{ index, write, refused: outcome }] : [];
  });
  const rest = await update(again.map(({ write }) => ({ ...write, own: {} })));
  for (const [position, { index, write, refused }] of again.entries()) {
    const outcome = rest[position];
    outcomes[index] = outcome;
    const isOurs = isOfUnnamedCells(refused) && outcome?.kind === 'written';
    if (isOurs) own.refuse(write.row, write.own, refused.message);
  }
  return outcomes;

  async function update(all: readonly OwnedWrite[]): Promise<(RowOutcome | undefined)[]> {
    const changes = all.flatMap((write) => (isEmpty(write) ? [] : [toChange(write)]));
    const answers = changes.length > 0 ? await table.update(snapshot, changes, settings) : [];
    const left = answers.values();
    return all.map((write) => (isEmpty(write) ? undefined : left.next().value));
  }
}

function isOfUnnamedCells(outcome: RowOutcome): outcome is Extract<RowOutcome, { kind: 'refused' }> {
  return outcome.kind === 'refused' && outcome.reason === 'by-spreadsheet';
}

function isEmpty({ set, own, id }: OwnedWrite): boolean {
  return id === undefined && Object.keys(set).length === 0 && Object.keys(own).length === 0;
}

function toChange({ own, ...write }: OwnedWrite): RowChange {
  return { ...write, set: { ...write.set, ...own } };
}

/**
 * Why cells of ours were refused: they alone are in a protected range or hold a formula, or there was nothing else to write.
 */
function refusalOf(outcome: RowOutcome, write: OwnedWrite): string | undefined {
  const isOfCells = outcome.kind === 'formula' || (outcome.kind === 'refused' && outcome.reason === 'protected');
  const isOurs = isOfCells && outcome.columns.every((key) => key in write.own);
  return isOurs || isEmpty({ ...write, own: {} }) ? refusalIn(outcome) : undefined;
}
