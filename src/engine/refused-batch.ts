// Refusals of the spreadsheet: of a row alone, or of the whole batch that it was in (W5).
import { hiddenMessage } from './hidden-cells.ts';
import type { Failed, IdKey, RowOutcome } from '../sheets/port.ts';

const idKey: IdKey = '#id';

/** Nothing of the row was written, and the same again would be refused again. */
export function isRefusedBatch(outcome: RowOutcome | Failed): outcome is Failed {
  return outcome.kind === 'failed' && outcome.error.isRefusal;
}

/** Why the row, or its ID alone, was refused, in words for people; undefined: it was not. */
export function refusalIn(outcome: RowOutcome): string | undefined {
  if (outcome.kind === 'refused') return outcome.message;
  // W5: the same again is hidden again.
  if (outcome.kind === 'written') return outcome.isIdHidden && `its ID cell could not be written: ${hiddenMessage}`;
  // V5: the formula was there when the row was read, and the same again meets it again.
  if (outcome.kind === 'formula') {
    return outcome.columns.includes(idKey)
      ? 'its ID cell holds a formula, which is never written over: clear the cell'
      : 'a cell of it holds a formula, or shows what one in another cell fills in; neither is written over: clear the formula';
  }
  return isRefusedBatch(outcome) ? outcome.error.message : undefined;
}
