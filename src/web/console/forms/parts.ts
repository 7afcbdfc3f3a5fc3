// Parts that forms of several pages share: values in buttons, who decided, and what comes next.
import { whenCarriedOut } from '../../../operator/decide.ts';
import { html } from 'hono/html';
import type { Decided } from '../../../operator/decided.ts';
import type { DecisionAnswer } from '../../../operator/answers/shared.ts';
import { whyVoid } from '../../../operator/words.ts';
import type { Viewer } from '../access/viewer.ts';
import { type Html, instant, personName, runLink, state } from '../html.ts';

/** A decision about values is made by a person who sees them. */
export function mayDecideOnValues({ mayDecide, areDetailsShown }: Viewer): boolean {
  return mayDecide && areDetailsShown;
}

/** For a person who may decide, on a page that hides what would be decided on. */
export function hiddenHint({ mayDecide, areDetailsShown }: Viewer): Html {
  if (!mayDecide || areDetailsShown) return html``;
  return html`<p class="quiet">
    A decision about values is made where they are shown: enter by a link of <code>leadsheet console</code>, or set
    <code>server.password</code>.
  </p>`;
}

/** More of a value makes no button. */
const quotedMax = 40;

/** `"Baltic Freight"`, or `blank`. */
export function quoted(value: string | number | boolean | null): string {
  if (value === null || value === '') return 'blank';
  const text = String(value);
  return `"${text.length > quotedMax ? `${text.slice(0, quotedMax)}…` : text}"`;
}

/** A record, a field or a plan that was shown, as one value of a form. */
export function toTicket(shown: object): string {
  return JSON.stringify(shown);
}

/** A box that belongs to the form of this id, which stands elsewhere on the page. */
export function tickBox(form: string, ticket: string, label: string): Html {
  return html`<input type="checkbox" name="seen" form="${form}" value="${ticket}" aria-label="${label}" data-tick />`;
}

export interface RecordCells {
  /** The ticket of the box. */
  readonly ticket: object;
  readonly label: string;
  readonly contact: string;
  readonly job: string;
  readonly name: string;
  /** Below the name. */
  readonly below: Html;
  /** Left out: the record has one line. */
  readonly lines?: number;
}

/** The first cells of a record that can be ticked: the box, for a person who may decide, and its name. */
export function recordCells(
  form: string,
  { ticket, label, contact, job, name, below, lines }: RecordCells,
  viewer: Viewer,
): Html {
  const span = lines === undefined ? '' : html`rowspan="${lines}"`;
  const scope = lines === undefined ? 'row' : 'rowgroup';
  return html`${mayDecideOnValues(viewer) ? html`<td ${span}>${tickBox(form, toTicket(ticket), label)}</td>` : ''}
    <th scope="${scope}" ${span}>
      <a href="/records?of=${encodeURIComponent(contact)}&amp;job=${encodeURIComponent(job)}">${personName(name)}</a
      >${below}
    </th>`;
}

export function decisionText({ decision, text, by, at }: DecisionAnswer, now: number, areDetailsShown: boolean): Html {
  const who = by === null ? '' : ` by ${by}`;
  return html`<span class="decided"
    >Decided${who}${at === null ? '' : html` ${instant(at, now)}`}${areDetailsShown && text !== null ? `: ${text}` : ''}.
    ${sentence(whenCarriedOut({ decision, text }))}</span
  >`;
}

export function sentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
}

/** What became of decisions of late. */
export function decidedList({ pending, done }: Decided, now: number, areDetailsShown: boolean): Html {
  if (pending.length + done.length === 0) return html``;
  const subject = (text: string | null, id: string) => (areDetailsShown && text !== null ? text : id);
  return html`<section aria-label="Decisions">
    <h2>Decided</h2>
    <ul class="decisions">
      ${pending.map(
        ({ job, decision, text, id, by, at }) =>
          html`<li>
            ${state('waiting')} ${job}: ${subject(text, id)}${by === null ? '' : `, by ${by}`}
            ${at === null ? '' : instant(at, now)}: ${whenCarriedOut({ decision, text })}
          </li>`,
      )}
      ${done.map((line) => {
        const { sync, decision, text, id, by, run, time, outcome } = line;
        const end =
          outcome === 'taken'
            ? html`${state('carried out')} ${run === '' ? 'at once' : html`by run ${runLink(run)}`}`
            : html`${state('void')} nothing came of it in run ${run === '' ? 'none' : runLink(run)}, because
              ${whyVoid(decision)}: look at it again`;
        return html`<li>
          ${end} ${instant(time, now)} · ${sync}: ${subject(text, id)}${by === null ? '' : `, by ${by}`}
        </li>`;
      })}
    </ul>
  </section>`;
}
