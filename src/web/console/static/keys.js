// Keys of the console, and the ticks of lists: how many are set, and all of a page at once.
const ticksBar = document.getElementById('ticks-bar');
const ticked = document.getElementById('ticks-count');
const dialog = document.getElementById('keys');
const opener = document.querySelector('[data-keys]');

const tickSelector = 'main input[type="checkbox"][data-tick]';
/** What buttons say while nothing is ticked. */
const words = new WeakMap();

/** A field with the name "id" hides the id of its form, so that the attribute is read. */
const formOf = (tick) => tick.getAttribute('form') ?? tick.form?.getAttribute('id');

const ticksOf = () => [...document.querySelectorAll(tickSelector)].filter((tick) => !tick.disabled);

function countTicks() {
  const ticks = ticksOf();
  const set = ticks.filter((tick) => tick.checked);
  ticksBar.hidden = ticks.length === 0;
  ticked.textContent = `${set.length} of ${ticks.length} ticked`;
  // The button of a form says how many are ticked. It names the form, since boxes may stand elsewhere on the page.
  for (const place of document.querySelectorAll('main [data-ticked]')) {
    if (!words.has(place)) words.set(place, place.textContent);
    const count = set.filter((tick) => formOf(tick) === place.dataset.ticked).length;
    place.textContent = count === 0 ? words.get(place) : `${count} ticked`;
  }
}

function tickAll(isSet) {
  for (const tick of ticksOf()) tick.checked = isSet;
  countTicks();
}

document.addEventListener('change', countTicks);
document.addEventListener('htmx:after:swap', countTicks);
// Going back restores ticks after the page has run its scripts.
addEventListener('pageshow', countTicks);
countTicks();

ticksBar.addEventListener('click', (event) => {
  const { tick } = event.target.dataset;
  if (tick) tickAll(tick === 'all');
});

opener.hidden = false;
opener.addEventListener('click', () => dialog.showModal());
// A click beside the box closes it.
dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());

/** What stands for a row: its tick, or its first link. */
function handles() {
  return [...document.querySelectorAll('main tbody tr')].flatMap((row) => {
    const handle = row.querySelector('input[type="checkbox"][data-tick], a[href], button, summary');
    return handle ? [handle] : [];
  });
}

function step(by) {
  const all = handles();
  const row = document.activeElement?.closest('main tbody tr');
  const here = all.findIndex((handle) => row?.contains(handle));
  const next = all[here === -1 ? (by > 0 ? 0 : all.length - 1) : here + by];
  next?.focus();
}

/** From a tick to the next one: rows without a tick are left out. */
function stepTick(tick, by) {
  const ticks = ticksOf();
  ticks[ticks.indexOf(tick) + by]?.focus();
}

/** A browser sends the form of a tick when Enter is pressed on it: the first button of the form would decide. */
function openRow(tick) {
  tick.closest('tr')?.querySelector('a[href]')?.click();
}

function find() {
  const search = document.querySelector('main [data-search]') ?? document.querySelector('[data-search]');
  search?.focus();
  search?.select();
  return Boolean(search);
}

const byKey = {
  '/': find,
  '?': () => dialog.showModal(),
  j: () => step(1),
  k: () => step(-1),
  a: () => tickAll(ticksOf().some((tick) => !tick.checked)),
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
  const { target, key } = event;
  const isTick = target instanceof HTMLInputElement && target.matches(tickSelector);
  if (isTick && (key === 'ArrowDown' || key === 'ArrowUp')) {
    event.preventDefault();
    return stepTick(target, key === 'ArrowDown' ? 1 : -1);
  }
  if (isTick && key === 'Enter') {
    event.preventDefault();
    return openRow(target);
  }
  const isTyping = target instanceof HTMLElement && !isTick && target.closest('input, select, textarea');
  if (isTyping || !Object.hasOwn(byKey, key)) return;
  if (key === 'a' && ticksOf().length === 0) return;
  if (byKey[key]() !== false) event.preventDefault();
});
