// Parts of held plans: the name of a record, and pages of records.
import { html } from 'hono/html';
import type { Html } from '../html.ts';

/** As many records as a person looks at before ticking; the button for all of them names their number. */
export const recordsShown = 100;

export interface HeldPage {
  /** The first record on this page, from 0. */
  readonly from: number;
}

/** One page of the records of a held run, and the links to the others. */
export function heldPages<Item>(
  run: string,
  records: readonly Item[],
  from: number,
): { readonly shown: readonly Item[]; readonly links: Html } {
  const shown = records.slice(from, from + recordsShown);
  const page = (first: number) => `?run=${encodeURIComponent(run)}&from=${first}`;
  const rest = records.length - from - shown.length;
  const place =
    shown.length === 0
      ? 'No records here.'
      : `Records ${from + 1} to ${from + shown.length} of ${records.length.toLocaleString('en-US')}.`;
  const links = html`<p>
    ${place} ${from === 0 ? '' : html`<a href="${page(Math.max(0, from - recordsShown))}" rel="prev">Those before</a>`}
    ${rest <= 0 ? '' : html`<a href="${page(from + recordsShown)}" rel="next">Further records</a>`}
  </p>`;
  return { shown, links };
}

export function nameOf(
  { id, row, person }: { readonly id: string; readonly row: number | null; readonly person: string | null },
  areDetailsShown: boolean,
): string {
  return (areDetailsShown ? person : null) ?? (row === null ? id : `row ${row}`);
}
