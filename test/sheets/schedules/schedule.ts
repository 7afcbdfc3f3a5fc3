// The events of one trial: the tasks of the adapter, the edits of people, and the faults. Every edit and fault is bound
// to a request of the adapter, so that a schedule replays exactly.
import { type Arbitrary, array, boolean, constant, constantFrom, integer, nat, oneof, record } from 'fast-check';
import type { Moment } from './moment.ts';

/** A number picks a row or column, modulo their count. */
export type PersonEdit =
  | { readonly kind: 'type'; readonly row: number; readonly column: number; readonly what: Typed }
  | { readonly kind: 'clear'; readonly row: number; readonly column: number }
  | { readonly kind: 'insert row'; readonly row: number }
  | { readonly kind: 'delete row'; readonly row: number }
  | { readonly kind: 'move row'; readonly row: number; readonly to: number }
  | { readonly kind: 'sort'; readonly column: number; readonly isDescending: boolean }
  | { readonly kind: 'sort some columns'; readonly column: number; readonly isDescending: boolean }
  | { readonly kind: 'move column'; readonly column: number; readonly to: number }
  | { readonly kind: 'insert column'; readonly column: number }
  | { readonly kind: 'delete column'; readonly column: number }
  | { readonly kind: 'cut and paste cells'; readonly row: number; readonly column: number; readonly to: number }
  | { readonly kind: 'cut and paste row'; readonly row: number; readonly to: number }
  | { readonly kind: 'copy and paste row'; readonly row: number; readonly to: number }
  | { readonly kind: 'rename tab' };

/** Plain text; a formula; one that fails; text that reads like a formula, like an error, or like escaped text. */
export type Typed = 'text' | 'formula' | 'failing formula' | 'text like a formula' | 'text like an error' | 'quote';

export type FaultKind =
  | '429'
  | '500 before'
  | '500 after'
  | 'lost before'
  | 'lost after'
  | 'timeout before'
  | 'timeout after'
  | 'crash before'
  | 'crash after';

export type Step =
  /**
   * Sets cells of rows; `columns` is a bit mask over the mapped columns, `isClearing` one of those that are emptied.
   */
  | { readonly kind: 'update'; readonly rows: number; readonly columns: number; readonly clearing: number }
  | { readonly kind: 'append'; readonly count: number }
  | { readonly kind: 'remove'; readonly row: number };

export interface Schedule {
  readonly steps: readonly Step[];
  readonly edits: readonly { readonly at: Moment; readonly edit: PersonEdit }[];
  readonly faults: readonly { readonly at: Moment; readonly fault: FaultKind }[];
  /** Google does not document these; the adapter has to be right either way. */
  readonly doesSortMoveMarks: boolean;
  readonly doUnmatchedFiltersRefuse: boolean;
  readonly doFormulasShowApostrophes: boolean;
}

/** The requests that an edit or fault can be bound to: a read, a pinned update with retries, and more. */
const requestsMax = 16;

const index = nat({ max: 11 });
const isDescending = boolean();

const personEdit: Arbitrary<PersonEdit> = oneof(
  record({ kind: constant('type'), row: index, column: index, what: typed() }),
  record({ kind: constant('clear'), row: index, column: index }),
  record({ kind: constant('insert row'), row: index }),
  record({ kind: constant('delete row'), row: index }),
  record({ kind: constant('move row'), row: index, to: index }),
  record({ kind: constant('sort'), column: index, isDescending }),
  record({ kind: constant('sort some columns'), column: index, isDescending }),
  record({ kind: constant('move column'), column: index, to: index }),
  record({ kind: constant('insert column'), column: index }),
  record({ kind: constant('delete column'), column: index }),
  record({ kind: constant('cut and paste cells'), row: index, column: index, to: index }),
  record({ kind: constant('cut and paste row'), row: index, to: index }),
  record({ kind: constant('copy and paste row'), row: index, to: index }),
  record({ kind: constant('rename tab') }),
);

const step: Arbitrary<Step> = oneof(
  { weight: 4, arbitrary: record({ kind: constant('update'), rows: bits(), columns: bits(), clearing: bits() }) },
  { weight: 2, arbitrary: record({ kind: constant('append'), count: integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: record({ kind: constant('remove'), row: index }) },
);

const fault: Arbitrary<FaultKind> = constantFrom(
  '429',
  '500 before',
  '500 after',
  'lost before',
  'lost after',
  'timeout before',
  'timeout after',
  'crash before',
  'crash after',
);

export const schedule: Arbitrary<Schedule> = record({
  steps: array(step, { minLength: 1, maxLength: 3 }),
  edits: array(record({ at: nat({ max: requestsMax }), edit: personEdit }), { maxLength: 4 }),
  faults: array(record({ at: nat({ max: requestsMax }), fault }), { maxLength: 2 }),
  doesSortMoveMarks: boolean(),
  doUnmatchedFiltersRefuse: boolean(),
  doFormulasShowApostrophes: boolean(),
});

function typed(): Arbitrary<Typed> {
  return constantFrom<Typed>(
    'text',
    'formula',
    'failing formula',
    'text like a formula',
    'text like an error',
    'quote',
  );
}

function bits(): Arbitrary<number> {
  return integer({ min: 1, max: 63 });
}
