// Follows what happens while the page is open: one event stream, and the page fetched anew by htmx when something is new.
const { htmx } = window;
const page = document.getElementById('page');
const follows = (page.dataset.follows ?? '').split(' ').filter(Boolean);
const job = page.dataset.job;
const sign = document.getElementById('live');
const shortestGapMs = 1_000;
/** A page that is slow to make is fetched less often: following it takes at most a twentieth of a core. */
const gapPerTook = 20;
const retryMs = 5_000;
/** A person who is about to press a button does not get another one under the hand. */
const heldBack = 'button:hover, button:focus-visible, form.action :is(button, summary):active, dialog[open]';

let position = page.dataset.position;
let stream;
let retry;
let timer;
let isStale = false;
let isFetching = false;
let lastAt = performance.now();
let tookMs = 0;

function tell(state, text) {
  sign.dataset.state = state;
  sign.textContent = text;
}

function connect() {
  if (document.hidden || stream) return;
  clearTimeout(retry);
  stream = new EventSource(`/events?since=${encodeURIComponent(position)}`);
  stream.addEventListener('open', () => tell('on', 'live'));
  stream.addEventListener('message', (event) => {
    position = event.lastEventId;
    const { jobs = {}, progress = {} } = JSON.parse(event.data);
    if (isAbout(jobs)) refreshSoon();
    showProgress(progress);
  });
  stream.addEventListener('look', (event) => {
    position = event.lastEventId;
    refreshSoon();
  });
  stream.addEventListener('over', () => {
    disconnect();
    tell('over', 'not live');
    say('You are logged out, or may do something else than before. Load the page again.');
  });
  stream.addEventListener('error', () => {
    tell('off', 'not live: no connection');
    // A stream that was refused is not tried again by the browser.
    if (stream?.readyState !== EventSource.CLOSED) return;
    disconnect();
    retry = setTimeout(connect, retryMs);
  });
}

function disconnect() {
  clearTimeout(retry);
  stream?.close();
  stream = undefined;
}

function isAbout(jobs) {
  return Object.entries(jobs).some(
    ([name, topics]) =>
      (job === undefined || name === '' || name === job) && topics.some((topic) => follows.includes(topic)),
  );
}

function showProgress(progress) {
  for (const element of page.querySelectorAll('[data-progress]')) {
    const text = progress[element.dataset.progress];
    if (text !== undefined) element.textContent = text;
  }
}

/** A line above the page, which a screen reader reads out. */
function say(text) {
  const line = document.getElementById('said');
  line.textContent = text;
  line.hidden = text === '';
}

function refreshSoon() {
  isStale = true;
  const gap = Math.max(shortestGapMs, tookMs * gapPerTook);
  timer ??= setTimeout(refresh, Math.max(0, lastAt + gap - performance.now()));
}

async function refresh() {
  timer = undefined;
  if (!isStale || isFetching || document.hidden) return;
  if (document.querySelector(heldBack)) {
    timer = setTimeout(refresh, shortestGapMs);
    return;
  }
  isStale = false;
  isFetching = true;
  const began = performance.now();
  const address = new URL(location.href);
  address.searchParams.delete('notice');
  try {
    const target = '#page';
    await htmx.ajax('GET', address.pathname + address.search, { target, select: target, swap: 'outerMorph' });
  } finally {
    isFetching = false;
    lastAt = performance.now();
    tookMs = lastAt - began;
    if (isStale) refreshSoon();
  }
}

// A refusal, a page of login or a newer program is not put into this page.
document.addEventListener('htmx:before:response', (event) => {
  const { status, raw } = event.detail.ctx.response;
  if (status === 200 && !raw.redirected) return;
  event.preventDefault();
  if (status < 500) say('This page cannot be shown as it is now. Load it again.');
});

document.addEventListener('htmx:before:swap', (event) => {
  const fragment = event.detail.tasks[0]?.fragment;
  const next = fragment?.querySelector('#page');
  if (!next) return event.preventDefault();
  if (next.dataset.build !== page.dataset.build) {
    event.preventDefault();
    return say('leadsheet is another version now. Load the page again.');
  }
  for (const root of [page, next]) {
    nameRows(root);
    for (const tick of root.querySelectorAll('[name="id"]')) tick.setAttribute('name', shielded);
  }
  keepTicks(next);
  // What the last action came to stays until the person goes on.
  const notice = page.querySelector('.notice');
  if (notice && !next.querySelector('.notice')) next.querySelector('h1')?.after(notice.cloneNode(true));
});

// A field with the name "id" hides the id of its form, by which htmx tells forms apart: it has another name meanwhile.
const shielded = 'id-';
for (const name of ['htmx:after:swap', 'htmx:finally:swap']) {
  document.addEventListener(name, () => {
    for (const tick of page.querySelectorAll(`[name="${shielded}"]`)) tick.setAttribute('name', 'id');
  });
}

/** A row keeps its identity when others come and go: a tick never moves to another record. */
function nameRows(root) {
  const seen = new Set();
  for (const tick of root.querySelectorAll('input[data-tick]')) {
    const row = tick.closest('tr, li') ?? tick.closest('label');
    const id = `row ${tick.getAttribute('form') ?? ''} ${tick.name} ${tick.value}`;
    if (!row || (row.id && !row.id.startsWith('row ')) || seen.has(id)) continue;
    seen.add(id);
    row.id = id;
    tick.id ||= `tick ${id}`;
  }
}

/** A tick means what was seen. If its row says something else now, the tick is taken away, and the page says so. */
function keepTicks(next) {
  let changed = 0;
  for (const tick of page.querySelectorAll('input[data-tick]:checked')) {
    const row = tick.closest('tr, li, label');
    const after = row?.id ? next.querySelector(`[id="${CSS.escape(row.id)}"]`) : null;
    if (after && meaning(after) === meaning(row)) continue;
    tick.checked = false;
    changed += 1;
  }
  if (changed > 0) {
    say(`${changed} ticked ${changed === 1 ? 'row is' : 'rows are'} different now, and no longer ticked.`);
    page.dispatchEvent(new Event('change', { bubbles: true }));
  }
}

/** The text of a row without what follows the clock, and the values that its forms would send. */
function meaning(row) {
  const copy = row.cloneNode(true);
  for (const each of copy.querySelectorAll('time, [data-progress]')) each.remove();
  for (const each of copy.querySelectorAll('input[type="hidden"]')) {
    if (each.name !== 'token') each.after(` ${each.name}=${each.value} `);
  }
  return copy.textContent.replaceAll(/\s+/g, ' ').trim();
}

htmx.registerExtension('kept', {
  // `open` of details is the person's, and a field that was typed into keeps what it has.
  htmx_before_morph_attr(element, { attrName }) {
    if (attrName === 'open' && element.matches('details, dialog')) return false;
    if (attrName === 'data-head' || attrName === 'aria-sort') return false;
    return !(
      attrName === 'value' &&
      element.matches('input:not([type="hidden"])') &&
      element.value !== element.defaultValue
    );
  },
  htmx_before_morph_node: (element) =>
    !(element instanceof HTMLTextAreaElement && element.value !== element.defaultValue) &&
    !element.matches('[data-charts]'),
});

document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    disconnect();
    tell('off', 'not live: hidden');
  } else {
    connect();
  }
});
// A page that the browser keeps for "back" has no stream.
addEventListener('pagehide', disconnect);
addEventListener('pageshow', connect);
