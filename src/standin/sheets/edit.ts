// The context of a change: its draft, its caller and their rights.
import type { Rect } from './a1.ts';
import { invalidArgument } from './errors.ts';
import { type Sheet, closeRect, contains, intersection } from './sheet.ts';
import type { Spreadsheet } from './spreadsheet.ts';

/** The caller. */
export interface Caller {
  readonly email: string;
}

/** One attempt to change a spreadsheet: its draft, and its environment. */
export interface Edit {
  /** A clone; discarded when anything fails. */
  readonly spreadsheet: Spreadsheet;
  readonly caller: Caller;
  /** The owner may edit every protected range. */
  readonly ownerEmail: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** A fresh positive 31-bit number: ids of sheets, named and protected ranges, metadata. */
  readonly newId: () => number;
  readonly behaviour: EditBehaviour;
}

/**
 * Undocumented behaviour, and behaviour that depends on the account; each is a setting, so that a client can be tested
 * with both.
 */
export interface EditBehaviour {
  /** The refusal of a write into a protected range. Google's text is in the language of the account. */
  readonly protectedMessage: string;
  /** Whether row metadata follows a sort that leaves out columns with content. Unknown for Google. */
  readonly partialSortMovesMetadata: boolean;
  /** Whether a data filter that matches nothing refuses a write, or is skipped. Unknown for Google. */
  readonly unmatchedFilterRefuses: boolean;
  /** Whether FORMULA rendering puts an apostrophe before text that typing would convert. Unknown for Google. */
  readonly formulaRenderingShowsApostrophes: boolean;
  /** Whether values are refused for a protected cell among them that they skip (`null`). Unknown for Google. */
  readonly skippedCellsAreProtected: boolean;
}

export const defaultEditBehaviour: EditBehaviour = {
  protectedMessage:
    'You are trying to edit a protected cell or object. Please contact the spreadsheet owner to remove protection if you need to edit.',
  partialSortMovesMetadata: false,
  unmatchedFilterRefuses: false,
  formulaRenderingShowsApostrophes: false,
  skippedCellsAreProtected: true,
};

/** Refuses if any cell of the rectangle is protected against the caller. */
export function requireEditable(edit: Edit, sheet: Sheet, rect: Rect): void {
  if (edit.caller.email === edit.ownerEmail) return;
  for (const entry of sheet.protectedRanges) {
    if (entry.warningOnly || entry.editors.includes(edit.caller.email)) continue;
    const overlap = intersection(closeRect(entry.range, sheet.bounds), rect);
    if (!overlap || entry.unprotectedRanges.some((open) => contains(open, overlap))) continue;
    throw invalidArgument(edit.behaviour.protectedMessage);
  }
}
