// Draws the series of a page with uPlot. The table of the page says the same to those who do not see a chart.
const { uPlot } = window;
const place = document.querySelector('[data-charts]');
const scheme = matchMedia('(prefers-color-scheme: dark)');
const heightPx = 180;

/** Colours come from the style sheet, so that they follow the scheme. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

async function draw() {
  const answer = await fetch(place.dataset.charts, { headers: { accept: 'application/json' } });
  if (!answer.ok) return;
  const { series } = await answer.json();
  const shown = series.filter(({ points }) => points.length > 1);
  place.replaceChildren(...shown.map(() => document.createElement('figure')));
  [...place.children].forEach((figure, index) => drawOne(figure, shown[index]));
}

function drawOne(figure, { name, unit, limit, points }) {
  figure.className = 'chart';
  const caption = document.createElement('figcaption');
  caption.textContent = unit ? `${name}, ${unit}` : name;
  const box = document.createElement('div');
  // The table has the numbers, and can be reached by the keyboard.
  box.setAttribute('aria-hidden', 'true');
  figure.append(caption, box);
  const at = points.map(([ms]) => ms / 1000);
  const values = points.map(([, value]) => value);
  const hasLimit = typeof limit === 'number';
  const axis = { stroke: colour('--calm'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  const chart = new uPlot(
    {
      width: widthOf(figure),
      height: heightPx,
      cursor: { y: false },
      scales: { y: { range: (_chart, _low, high) => [0, Math.max(high ?? 0, hasLimit ? limit : 0, 1) * 1.08] } },
      axes: [axis, { ...axis, size: 56 }],
      series: [
        {},
        { label: name, stroke: colour('--busy'), fill: colour('--busy-soft'), width: 1.5, spanGaps: false },
        ...(hasLimit
          ? [{ label: 'limit', stroke: colour('--needs'), dash: [6, 4], width: 1, points: { show: false } }]
          : []),
      ],
    },
    [at, values, ...(hasLimit ? [at.map(() => limit)] : [])],
    box,
  );
  new ResizeObserver(() => chart.setSize({ width: widthOf(figure), height: heightPx })).observe(figure);
}

const widthOf = (figure) => Math.max(200, Math.floor(figure.clientWidth));

// Without uPlot the table alone says it.
if (place && uPlot) {
  await draw();
  scheme.addEventListener('change', draw);
  setInterval(() => document.hidden || draw(), 60_000);
}
