// Links out of the console: to a row in its spreadsheet, and to a contact in the service.
import { html } from 'hono/html';
import type { Addresses } from '../../operator/addresses.ts';
import type { Html } from './html.ts';

/**
 * "row 17", as a link where the address of the tab is known. Nothing where there is no row. `words`: other ones, where the
 * number stands beside the link.
 */
export function rowLink(addresses: Addresses | undefined, job: string, row: number | null, words = `row ${row}`): Html {
  if (row === null) return html``;
  const href = addresses?.row(job, row);
  if (href === undefined) return html`<span class="place">row ${row}</span>`;
  return html`<a class="place out" href="${href}" rel="noreferrer" title="Opens the sheet">${words}</a>`;
}

/** Nothing where the account of the job has no address of contacts. */
export function serviceLink(addresses: Addresses | undefined, job: string, uuid: string | null): Html {
  const href = uuid === null ? undefined : addresses?.contact(job, uuid);
  if (href === undefined) return html``;
  return html`<a class="place out" href="${href}" rel="noreferrer" title="Opens the contact in the service"
    >service</a
  >`;
}
