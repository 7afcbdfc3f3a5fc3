// Puts instants into the viewer's time zone, keeps relative times true, and leads to the search with "/".
const spans = [
  [60, 's'],
  [60, 'min'],
  [24, 'h'],
  [Infinity, 'd'],
];

function spanText(ms) {
  let left = Math.max(0, ms) / 1000;
  for (const [length, unit] of spans) {
    if (left < length) return `${Math.floor(left)} ${unit}`;
    left /= length;
  }
  return '';
}

// The clock of the machine that made the page may differ from this one: time is counted from the page's arrival.
const arrived = performance.now();
const times = [...document.querySelectorAll('time[datetime]')].map((element) => {
  const at = new Date(element.dateTime);
  element.title = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
  return { element, at: at.getTime() };
});
const made = Date.parse(document.querySelector('meta[name="made-at"]')?.content ?? '');

function refreshTimes() {
  const now = made + performance.now() - arrived;
  for (const { element, at } of times) {
    element.textContent = now >= at ? `${spanText(now - at)} ago` : `in ${spanText(at - now)}`;
  }
}
if (!Number.isNaN(made)) setInterval(refreshTimes, 1000);

document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.closest('input, select, textarea');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.querySelector('[data-search]');
  if (!search) return;
  event.preventDefault();
  search.focus();
});

// Buttons for ticked rows say how many are ticked.
for (const place of document.querySelectorAll('[data-ticked]')) {
  const form = place.dataset.ticked;
  const boxes = [...document.querySelectorAll(`input[data-tick][form="${form}"]`)];
  const words = place.textContent;
  const refresh = () => {
    const number = boxes.filter((box) => box.checked).length;
    place.textContent = number === 0 ? words : `${number} ticked`;
  };
  for (const box of boxes) box.addEventListener('change', refresh);
  refresh();
}
