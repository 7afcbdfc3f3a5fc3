// Draws the series of a page with uPlot. The table of the page says the same to those who do not see a chart.
const { uPlot } = window;
const place = document.querySelector('[data-charts]');
const scheme = matchMedia('(prefers-color-scheme: dark)');
const heightPx = 180;

/** A colour of the style sheet for what is drawn: asked for at each drawing, so that it follows the scheme. */
const colour = (name) => () => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** What the browser colours by itself follows the scheme without being drawn again. */
const markers = {
  stroke: (_chart, series) => ['', 'var(--busy)', 'var(--needs)'][series],
  fill: (_chart, series) => ['', 'var(--busy-soft)', 'transparent'][series],
};

let charts = [];

async function drawCharts() {
  const answer = await fetch(place.dataset.charts, { headers: { accept: 'application/json' } });
  if (!answer.ok) return;
  const { series } = await answer.json();
  const shown = series.filter(({ points }) => points.length > 1);
  for (const chart of charts) chart.destroy();
  place.replaceChildren(...shown.map(() => document.createElement('figure')));
  charts = [...place.children].map((figure, index) => drawOne(figure, shown[index]));
}

/** The time of day in the words and the time zone of the viewer. */
const clock = (hasSeconds) => {
  const format = new Intl.DateTimeFormat(undefined, { timeStyle: hasSeconds ? 'medium' : 'short' });
  return (seconds) => format.format(new Date(seconds * 1000));
};

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
  // Where the pointer is over no point, the legend says the last one.
  const last = points.at(-1);
  const hasLimit = typeof limit === 'number';
  const axis = { stroke: colour('--calm'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  const chart = new uPlot(
    {
      width: widthOf(figure),
      height: heightPx,
      cursor: { y: false },
      legend: { markers: { show: hasLimit, ...markers } },
      scales: { y: { range: (_chart, _low, high) => [0, Math.max(high ?? 0, hasLimit ? limit : 0, 1) * 1.08] } },
      axes: [
        { ...axis, space: 90, values: (_chart, splits, _axis, _space, step) => splits.map(clock(step < 60)) },
        { ...axis, size: 56 },
      ],
      series: [
        { label: 'Time', value: (_chart, seconds) => clock(true)(seconds ?? last[0] / 1000) },
        {
          label: name,
          value: (_chart, value) => String(value ?? last[1]),
          stroke: colour('--busy'),
          fill: colour('--busy-soft'),
          width: 1.5,
          spanGaps: false,
        },
        ...(hasLimit
          ? [
              {
                label: 'Limit',
                value: () => String(limit),
                stroke: colour('--needs'),
                dash: [6, 4],
                width: 1,
                points: { show: false },
              },
            ]
          : []),
      ],
    },
    [at, values, ...(hasLimit ? [at.map(() => limit)] : [])],
    box,
  );
  const fit = () => figure.isConnected && chart.setSize({ width: widthOf(figure), height: heightPx });
  new ResizeObserver(fit).observe(figure);
  return chart;
}

const widthOf = (figure) => Math.max(200, Math.floor(figure.clientWidth));

// Without uPlot the table alone says it.
if (place && uPlot) {
  await drawCharts();
  scheme.addEventListener('change', () => charts.forEach((chart) => chart.redraw(false, true)));
  setInterval(() => void (document.hidden || drawCharts()), 60_000);
}
