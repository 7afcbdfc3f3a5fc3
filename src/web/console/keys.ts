// The keys of the console, as its dialog lists them; static/keys.js is what they do.
import { html } from 'hono/html';

const keys: readonly (readonly [readonly string[], string])[] = [
  [['/'], 'Search'],
  [['j', 'k'], 'Next and previous row'],
  [['↓', '↑'], 'Next and previous tick, from a tick'],
  [['Space'], 'Tick, or take the tick away'],
  [['a'], 'Tick all of this page; once more unticks all'],
  [['Enter'], 'Open the link of the row'],
  [['?'], 'This list'],
  [['Esc'], 'Close'],
];

export const keysDialog = html`<dialog id="keys" aria-labelledby="keys-title">
  <article>
    <h2 id="keys-title">Keys</h2>
    <dl class="keys">
      ${keys.map(
        ([names, does]) =>
          html`<div>
            <dt>${names.map((name) => html`<kbd>${name}</kbd> `)}</dt>
            <dd>${does}</dd>
          </div>`,
      )}
    </dl>
    <form method="dialog"><button type="submit">Close</button></form>
  </article>
</dialog>`;
