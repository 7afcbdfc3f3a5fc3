// Two values word by word: what the second one adds to the first and leaves out of it, with signs as well as colours.
import { diffWordsWithSpace } from 'diff';
import { html } from 'hono/html';
import { type Html, value, valueBox } from './html.ts';

type Shown = string | number | boolean | null;

/** Above it the two are shown whole: the work grows with the square of the difference. */
const editsMax = 400;

/** `now` beside what it was. Without a value to compare with, or without details, it is shown as it is. */
export function valueDiff(before: Shown, now: Shown, areDetailsShown: boolean): Html {
  if (!areDetailsShown || before === null || before === '' || now === null || now === '' || before === now) {
    return value(now, areDetailsShown);
  }
  const parts = diffWordsWithSpace(String(before), String(now), { maxEditLength: editsMax });
  const isAlike = parts?.some((part) => !part.added && !part.removed && part.value.trim() !== '');
  if (!isAlike) return value(now, areDetailsShown);
  const text = parts!.map(({ added, removed, value: words }) => {
    if (added) return html`<ins><span class="sign">+</span>${words}</ins>`;
    return removed ? html`<del><span class="sign">−</span>${words}</del>` : words;
  });
  return valueBox(text, String(before).length + String(now).length);
}
