// Refusals of the spreadsheet: of a row alone, or of the whole batch that it was in (W5).
import type { Failed, RowOutcome } from '../sheets/port.ts';

/** Nothing of the row was written, and the same again would be refused again. */
export function isRefusedBatch(outcome: RowOutcome | Failed): outcome is Failed {
  return outcome.kind === 'failed' && outcome.error.isRefusal;
}

/** Why the row was refused, in words for people; undefined: it was not. */
export function refusalIn(outcome: RowOutcome): string | undefined {
  if (outcome.kind === 'refused') return outcome.message;
  return isRefusedBatch(outcome) ? outcome.error.message : undefined;
}
