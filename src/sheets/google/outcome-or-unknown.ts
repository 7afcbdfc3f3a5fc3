// Gives a row without an outcome the outcome unknown, never written.
import { errorContext, type TableContext } from './context.ts';
import { OutcomeUnknownError } from '../errors.ts';
import type { Unknown } from '../port.ts';

/**
 * The last step of a row sets its outcome. A row without one is a fault of this folder; its cells may have been written
 * or not, so the next run reads them back (L3, W4). The outcomes of the other rows stay.
 */
export function outcomeOrUnknown<Outcome>(outcome: Outcome | undefined, context: TableContext): Outcome | Unknown {
  if (outcome !== undefined) return outcome;
  return { kind: 'unknown', error: new OutcomeUnknownError('leadsheet lost track of this row', errorContext(context)) };
}
