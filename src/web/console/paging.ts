// Lists page by page: the place that an address names, the links to other pages, and the whole list for a download.
import { html } from 'hono/html';
import type { PageQuery } from '../../operator/paging.ts';
import type { PageContext } from './page.ts';
import { count, type Html } from './html.ts';

/** The lines of a list that a page shows. A download has all of it. */
const linesShown = 100;

export interface Cursors {
  readonly next: string | null;
  readonly previous: string | null;
}

/** The place of the list that the address names. */
export function placeOf({ query }: Pick<PageContext, 'query'>, limit = linesShown): PageQuery {
  return { limit, after: query('after'), before: query('before') };
}

/** The same address with other parameters; undefined: without this one. */
export function addressWith(address: URL, changes: Readonly<Record<string, string | undefined>>): string {
  const params = new URLSearchParams(address.search);
  // A notice is told once.
  params.delete('notice');
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) params.delete(name);
    else params.set(name, value);
  }
  const text = params.toString();
  return `${address.pathname}${text === '' ? '' : `?${text}`}`;
}

interface Listed extends Cursors {
  /** The entries that the filter selects, on all pages; left out: not known. */
  readonly total?: number;
  /** What is counted: "problem", "problems". */
  readonly words?: readonly [one: string, many: string];
  /** Another link, at the end. */
  readonly also?: Html;
}

/** Links to the first, the previous and the next page, as far as there are such pages, and to the list as a file. */
export function pageLinks(
  { address }: Pick<PageContext, 'address'>,
  { next, previous, total, words, also }: Listed,
): Html {
  const isFirst = !address.searchParams.has('after') && !address.searchParams.has('before');
  const to = (changes: { readonly after?: string; readonly before?: string }) =>
    addressWith(address, { after: undefined, before: undefined, ...changes });
  return html`<nav class="pages" aria-label="Pages of the list">
    ${total === undefined || !words ? '' : html`<span>${count(total, ...words)}</span>`}
    ${isFirst ? '' : html`<a href="${to({})}">First page</a>`}
    ${previous === null ? '' : html`<a href="${to({ before: previous })}" rel="prev">Previous</a>`}
    ${next === null ? '' : html`<a href="${to({ after: next })}" rel="next">Next</a>`}
    <a href="${addressWith(address, { after: undefined, before: undefined, format: 'csv' })}" download>Download CSV</a>
    ${also ?? ''}
  </nav>`;
}

/** Lines of one reading, for a download. */
const linesRead = 500;

/** The whole list of a filter, read page by page as it is asked for. Ends early when the signal aborts. */
export async function* allPages<Item>(
  signal: AbortSignal,
  read: (page: PageQuery) => Promise<{ readonly items: readonly Item[]; readonly next: string | null }>,
): AsyncGenerator<Item> {
  for (let after: string | undefined; ;) {
    const { items, next } = await read({ limit: linesRead, after });
    yield* items;
    if (next === null || signal.aborted) return;
    after = next;
  }
}
