// A row for which no step of a call set an outcome is of unknown outcome, never written by default.
import { errorContext, type TableContext } from './context.ts';
import { OutcomeUnknownError } from '../errors.ts';
import type { Unknown } from '../port.ts';

/**
 * The step that ends the way of a row sets its outcome. A row without an outcome is a fault of this folder; its cells
 * may have been written or not, so the next run reads them back (L3, W4). The outcomes of the other rows stand.
 */
export function outcomeOrUnknown<Outcome>(outcome: Outcome | undefined, context: TableContext): Outcome | Unknown {
  if (outcome !== undefined) return outcome;
  return { kind: 'unknown', error: new OutcomeUnknownError('leadsheet lost track of this row', errorContext(context)) };
}
