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
export function heldPages<Item>(run: string, records: readonly Item[], from: number) {
  return partOf(records, {
    from,
    size: recordsShown,
    address: (first) => `?run=${encodeURIComponent(run)}&from=${first}`,
  });
}

/** A part of what a decision is about, and the links to the rest: nothing of it can only be seen elsewhere. */
export function partOf<Item>(
  all: readonly Item[],
  {
    from,
    size,
    address,
    words = 'Records',
  }: {
    readonly from: number;
    readonly size: number;
    /** The link to the part that begins with this one. */
    readonly address: (first: number) => string;
    readonly words?: string;
  },
): { readonly shown: readonly Item[]; readonly links: Html } {
  const shown = all.slice(from, from + size);
  const rest = all.length - from - shown.length;
  const place =
    shown.length === 0
      ? `No ${words.toLowerCase()} here.`
      : `${words} ${from + 1} to ${from + shown.length} of ${all.length.toLocaleString('en-US')}.`;
  const links = html`<p>
    ${place} ${from === 0 ? '' : html`<a href="${address(Math.max(0, from - size))}" rel="prev">Those before</a>`}
    ${rest <= 0 ? '' : html`<a href="${address(from + size)}" rel="next">Further ${words.toLowerCase()}</a>`}
  </p>`;
  return { shown, links };
}

/** The number of an address at which a part begins. */
export function firstIn(text: string | undefined): number {
  return Math.max(0, Math.trunc(Number(text ?? 0)) || 0);
}

export function nameOf(
  { id, row, person }: { readonly id: string; readonly row: number | null; readonly person: string | null },
  areDetailsShown: boolean,
): string {
  return (areDetailsShown ? person : null) ?? (row === null ? id : `row ${row}`);
}
