// The outcome of a written row, in the algorithm's words.
import type {
  AppendOutcome,
  CellInput,
  CellValue,
  ColumnKey,
  Displaced,
  Failed,
  Refused,
  RemoveOutcome,
  RowOutcome,
  Unknown,
} from '../sheets/port.ts';
import type { Outcome } from '../sync/outcome.ts';
import type { Reading } from '../sync/value/value.ts';
import { hiddenMessage, isAllHidden } from './hidden-cells.ts';
import { isRefusedBatch, refusalIn } from './refused-batch.ts';

/** The contents of the cells of a row after a write, by field name. */
interface CellsDep {
  readonly shape: {
    readonly fromCells: (stored: Readonly<Record<ColumnKey, CellValue>>) => Readonly<Record<string, Reading>>;
  };
}

export function fromUpdate({ shape }: CellsDep, outcome: RowOutcome): Outcome {
  switch (outcome.kind) {
    case 'written': {
      const stored = shape.fromCells(outcome.stored);
      return outcome.isIdHidden ? { kind: 'refused', message: refusalIn(outcome)!, stored } : { kind: 'done', stored };
    }
    case 'changed-meanwhile':
    case 'moved':
    case 'row-gone':
    case 'duplicate-id':
      return { kind: 'moved' };
    case 'displaced':
      // A value that was not put back may be in its row. The next run must not take it for a person's edit (L1).
      return { kind: isAllPutBack(outcome.cells) ? 'failed' : 'unknown', message: displacedText(outcome.cells) };
    case 'formula':
      return { kind: 'refused', message: refusalIn(outcome)! };
    case 'refused':
    case 'failed':
    case 'unknown':
      return unwritten(outcome);
  }
}

/**
 * Of cells that nobody else fills, of a feed or an outbox: what was stored is not read back. Where nothing of it is shown, the
 * row is refused (W5). Where a part is, the next run finds the rest.
 */
export function fromOwnUpdate(set: Readonly<Record<ColumnKey, CellInput>>, outcome: RowOutcome): Outcome {
  if (outcome.kind === 'written' && isAllHidden(set, outcome.stored))
    return { kind: 'refused', message: hiddenMessage };
  return fromUpdate({ shape: { fromCells: () => ({}) } }, outcome);
}

export function fromAppend(outcome: AppendOutcome): Outcome {
  switch (outcome.kind) {
    case 'appended':
      return { kind: 'done', stored: {} };
    case 'duplicate-id':
    case 'moved':
      return { kind: 'moved' };
    case 'displaced':
      // W4, M4: it is there. The next run must not take a cell that it was not given for one that a person emptied.
      return {
        kind: 'unknown',
        message: `it was appended, but columns were moved in that moment: look at ${outcome.columns.join(', ')} of its row`,
      };
    case 'refused':
    case 'failed':
    case 'unknown':
      return unwritten(outcome);
  }
}

/** False: nothing of the row was written. Cells or columns that were moved in that moment may hold a part of it. */
export function mayBeWritten({ kind }: RowOutcome | AppendOutcome): boolean {
  switch (kind) {
    case 'written':
    case 'appended':
    case 'displaced':
    case 'unknown':
      return true;
    case 'changed-meanwhile':
    case 'moved':
    case 'row-gone':
    case 'duplicate-id':
    case 'formula':
    case 'refused':
    case 'failed':
      return false;
  }
}

export function fromRemove(outcome: RemoveOutcome): Outcome {
  switch (outcome.kind) {
    case 'removed':
      return { kind: 'done' };
    // Gone is what was wanted, whoever did it.
    case 'row-gone':
      return { kind: 'done' };
    case 'changed-meanwhile':
    case 'moved':
    case 'duplicate-id':
      return { kind: 'moved' };
    case 'has-more':
      return { kind: 'moved', message: `its row stays: it has something in column ${outcome.letters.join(', ')}` };
    case 'displaced':
      return {
        kind: 'failed',
        message: `rows were moved in the moment of deleting: look at row ${outcome.number} in the version history of the sheet`,
      };
    case 'failed':
    case 'unknown':
      return unwritten(outcome);
  }
}

/** W5: what is refused of a whole batch is refused of each of its rows. */
function unwritten(outcome: Refused | Failed | Unknown): Outcome {
  if (outcome.kind === 'refused') return { kind: 'refused', message: outcome.message };
  return { kind: isRefusedBatch(outcome) ? 'refused' : outcome.kind, message: outcome.error.message };
}

function isAllPutBack(cells: readonly Displaced[]): boolean {
  return cells.length > 0 && cells.every(({ isRestored }) => isRestored);
}

function displacedText(cells: readonly Displaced[]): string {
  if (cells.length === 0)
    return 'cells were moved in the moment of writing; look at its row in the version history of the sheet';
  const named = cells.map(({ cell, isRestored }) => `${cell}${isRestored ? ' (put back)' : ''}`).join(', ');
  return `cells were moved in the moment of writing; look at ${named}`;
}
