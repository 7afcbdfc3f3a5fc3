// The guided list of a trial on the first page: what to try, and which of it has happened.
import { html } from 'hono/html';
import type { GuideStepNow } from '../../operator/guide.ts';
import { count, type Html } from './html.ts';

export function guideBox(steps: readonly GuideStepNow[] | undefined, sheetsUrl: string | undefined): Html {
  if (!steps || sheetsUrl === undefined) {
    return html`<section class="guide">
      <h2>This is a trial</h2>
      <p>Everything is on this machine. Each side is carried over to the other, which takes some ten seconds.</p>
    </section>`;
  }
  const left = steps.filter(({ isDone }) => !isDone).length;
  return html`<details class="guide" open>
    <summary>This is a trial: ${left === 0 ? 'you have tried all of it' : `${count(left, 'thing')} to try`}</summary>
    <p>
      Both sides are equal. Change one, and this page follows. The sheet:
      <a href="${sheetsUrl}" target="_blank" rel="noopener">${sheetsUrl}</a>
    </p>
    <ol>
      ${steps.map(
        ({ text, commands, isDone }, index) =>
          html`<li class="${isDone ? 'done' : ''}" data-number="${index + 1}">
            ${isDone ? html`${firstSentence(text)} <span class="state good">done</span>` : text}
            ${commands.length === 0 || isDone ? '' : html`<pre tabindex="0"><code>${commands.join('\n')}</code></pre>`}
          </li>`,
      )}
    </ol>
  </details>`;
}

/** What is done takes little room. */
function firstSentence(text: string): string {
  const end = text.indexOf('. ');
  return end === -1 ? text : text.slice(0, end + 1);
}
