// The last look at the outcomes of a call: a row that no step has judged is of unknown outcome, never written by default.
import { errorContext, type TableContext } from './context.ts';
import { OutcomeUnknownError } from '../errors.ts';
import type { Unknown } from '../port.ts';

/**
 * Every row of a call is judged by the step that ends its way. A row without an outcome is a fault of this folder; its cells
 * may have been written or not, so the next run reads them back (L3, W4). The outcomes of the other rows stand.
 */
export function judged<Outcome>(outcome: Outcome | undefined, context: TableContext): Outcome | Unknown {
  if (outcome !== undefined) return outcome;
  return { kind: 'unknown', error: new OutcomeUnknownError('leadsheet lost track of this row', errorContext(context)) };
}
