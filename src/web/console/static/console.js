// Puts instants into the viewer's time zone and keeps relative times true; marks tables for narrow screens.
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
let arrived = 0;
let made = NaN;
let times = [];

function refreshTimes() {
  const now = made + performance.now() - arrived;
  for (const { element, at } of times) {
    const text = now >= at ? `${spanText(now - at)} ago` : at - now < 1000 ? 'now' : `in ${spanText(at - now)}`;
    if (element.textContent !== text) element.textContent = text;
  }
}

/** Called for the page as it came, and for each part that came anew. */
function prepare() {
  arrived = performance.now();
  made = Date.parse(document.getElementById('page')?.dataset.madeAt ?? '');
  times = [...document.querySelectorAll('time[datetime]')].map((element) => {
    const at = new Date(element.dateTime);
    element.title = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
    return { element, at: at.getTime() };
  });
  if (!Number.isNaN(made)) refreshTimes();
  for (const table of document.querySelectorAll('main table')) nameCells(table);
}

/** On a phone a row stands as a list: each cell has the head of its column in front. Tables of decisions do so without script. */
function nameCells(table) {
  if (table.classList.contains('decide')) return;
  const heads = [...table.querySelectorAll('thead tr:last-child > *')].map((head) => head.textContent.trim());
  if (heads.length === 0) return;
  table.classList.add('stacks');
  for (const row of table.tBodies[0]?.rows ?? []) {
    let column = 0;
    for (const cell of row.cells) {
      const head = heads[column] ?? '';
      if (cell.colSpan === 1 && cell.dataset.head !== head) cell.dataset.head = head;
      const isBlank = cell.textContent.trim() === '' && !cell.querySelector('input, svg');
      cell.toggleAttribute('data-blank', isBlank);
      column += cell.colSpan;
    }
  }
}

prepare();
setInterval(() => Number.isNaN(made) || refreshTimes(), 1000);
document.addEventListener('htmx:after:swap', prepare);
