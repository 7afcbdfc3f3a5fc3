// A table in a box of its own, which scrolls by itself where the table is wider than the page.
import { html } from 'hono/html';
import type { Html } from '../html.ts';

/** The head of a column; in an object, of a column of numbers. */
type Head = string | { readonly number: string };

/** `label`: for people who do not see the box. Each of `rows` is a `tr`. */
export function scrollTable(label: string, heads: readonly Head[], rows: readonly Html[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${heads.map((head) =>
            typeof head === 'string'
              ? html`<th scope="col">${head}</th>`
              : html`<th scope="col" class="number">${head.number}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
