// V3: what a cell of a message would hold that merged cells cover is unknown. It is no blank, so that nothing goes out without it.
import type { CellError, CoveredCells } from '../../sheets/port.ts';
import type { OutboxField, OutboxRow } from '../../sync/outbox/message.ts';
import type { OutboxPlan } from '../../sync/outbox/outbox.ts';

const coveredCell: CellError = { error: 'nothing, since merged cells cover it: unmerge them', isCovered: true };

/** Whether a row that is due has a blank cell in a column that is sent: merged cells may cover it. */
export function hasBlankCell(rows: readonly OutboxRow[], { due }: Pick<OutboxPlan, 'due'>): boolean {
  const numbers = new Set(due.map(({ row }) => row));
  return rows.some(({ number, cells }) => numbers.has(number) && cells.includes(null));
}

export function withCovered(
  rows: readonly OutboxRow[],
  fields: readonly OutboxField[],
  covered: CoveredCells,
): readonly OutboxRow[] {
  return rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell, index) =>
      cell === null && covered.isCovered(row.number, fields[index]!.name) ? coveredCell : cell,
    ),
  }));
}
