// Parts of pages that several pages use: instants, values, states, rules and links.
import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

const steps: readonly (readonly [number, string])[] = [
  [60, 's'],
  [60, 'min'],
  [24, 'h'],
  [Infinity, 'd'],
];

/** `3 min`, `5 h`: the largest unit of a span, in whole numbers. */
export function spanText(ms: number): string {
  let left = Math.max(0, ms) / 1_000;
  for (const [length, unit] of steps) {
    if (left < length) return `${Math.floor(left)} ${unit}`;
    left /= length;
  }
  return '';
}

/** How long ago, or in how long: a page that measures is a moment older than what it measured. The exact instant is in the title; the script puts it into the viewer's time zone. */
export function instant(iso: string, now: number): Html {
  const ms = now - Date.parse(iso);
  const text = ms >= 0 ? `${spanText(ms)} ago` : -ms < 1_000 ? 'now' : `in ${spanText(-ms)}`;
  return html`<time datetime="${iso}" title="${iso.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}">${text}</time>`;
}

type Shown = string | number | boolean | null;

/** Fits into the height of a value without scrolling, at the least width. */
const shortMax = 60;

/** A value of a contact. `areDetailsShown` false: the page was not asked for a password, and shows no contact details. */
export function value(shown: Shown, areDetailsShown: boolean): Html {
  if (shown === null || shown === '') return html`<span class="blank">blank</span>`;
  if (!areDetailsShown) {
    return html`<span class="blank" title="contact details are shown after a login">hidden</span>`;
  }
  const text = String(shown);
  return valueBox(text, text.length);
}

/** A value that scrolls has to be reached by the keyboard. `length`: of its text, in characters. */
export function valueBox(text: string | readonly (string | Html)[], length: number): Html {
  return length > shortMax
    ? html`<bdi class="value" tabindex="0">${text}</bdi>`
    : html`<bdi class="value">${text}</bdi>`;
}

/** A word with a colour and a sign, so that the colour alone says nothing. */
export function state(word: string): Html {
  const kind = stateKinds[word] ?? 'calm';
  return html`<span class="state ${kind}">${word.replaceAll('-', ' ')}</span>`;
}

/** States of jobs and runs, outcomes of changes, and what ledgers say. Other words are calm. */
const stateKinds: Readonly<Record<string, string>> = {
  succeeded: 'good',
  done: 'good',
  enrolled: 'good',
  sent: 'good',
  running: 'busy',
  intended: 'busy',
  cancelling: 'busy',
  draining: 'busy',
  gone: 'bad',
  partial: 'needs',
  held: 'needs',
  open: 'needs',
  unknown: 'needs',
  'needs a person': 'needs',
  refused: 'bad',
  'backing-off': 'bad',
  stopped: 'bad',
  failed: 'bad',
  waiting: 'busy',
  'carried out': 'good',
  void: 'needs',
};

/** A rule in words, with its id behind. */
export function rule(words: string, id: string): Html {
  return html`<span class="rule">${words} <small>${id}</small></span>`;
}

/** The page of a record, by uuid. `name`: for people; left out: the uuid. */
export function recordLink(uuid: string, name?: string): Html {
  const shown = name === undefined ? html`<code>${uuid}</code>` : personName(name);
  return html`<a href="/records?of=${encodeURIComponent(uuid)}">${shown}</a>`;
}

/** The same where there are many: the uuid in short, the whole in the title. */
export function shortRecordLink(uuid: string): Html {
  const short = uuid.length > 13 ? `${uuid.slice(0, 8)}…` : uuid;
  return html`<a class="place" href="/records?of=${encodeURIComponent(uuid)}" title="${uuid}"
    ><code>${short}</code></a
  >`;
}

export function runLink(run: string): Html {
  return html`<a class="place" href="/runs/${encodeURIComponent(run)}"><code>${run}</code></a>`;
}

/**
 * `Name <address>`: each part has its own direction. As one text, a name from right to left would turn the address round.
 * Another text is shown as it is.
 */
export function personName(text: string): Html {
  const [, name, address] = /^(.+) <([^<>]+)>$/.exec(text) ?? [];
  if (name === undefined || address === undefined) return html`<bdi class="who">${text}</bdi>`;
  return html`<bdi class="who">${name}</bdi> <bdi class="who" dir="ltr">&lt;${address}&gt;</bdi>`;
}

/** Advice with commands in it: no line ends behind the dashes of an option. */
export function adviceText(text: string): Html {
  const parts = text.split(/(--[\w-]+)/);
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<span class="whole">${part}</span>` : part))}`;
}

/** A page with nothing on it says why, and what to do. */
export function empty(text: string, advice = ''): Html {
  return html`<p class="empty">${text}${advice === '' ? '' : html`<br /><small>${advice}</small>`}</p>`;
}

/** How far a run is, in words. */
export function progressText({
  step,
  done,
  total,
  left_secs: left,
}: {
  readonly step: string;
  readonly done: number;
  readonly total: number | null;
  readonly left_secs: number | null;
}): string {
  const of = total === null ? '' : ` of ${total.toLocaleString('en-US')}`;
  return `${step} ${done.toLocaleString('en-US')}${of}${left === null ? '' : `, ${spanText(left * 1_000)} left`}`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
}
