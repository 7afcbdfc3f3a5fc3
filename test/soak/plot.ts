// Draws lines over one axis, a panel each, as SVG that can be read on light and dark pages.

export interface Panel {
  readonly title: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

const width = 720;
const panelHeight = 130;
const plot = { left: 64, right: width - 16, top: 30, bottom: 110 };

export function drawPlot(panels: readonly Panel[], xTitle: string): string {
  const height = panels.length * panelHeight + 24;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<rect width="${width}" height="${height}" fill="#fff"/>
${panels.map((panel, index) => `<g transform="translate(0 ${index * panelHeight})">\n${drawPanel(panel)}\n</g>`).join('\n')}
<text x="${plot.right}" y="${height - 8}" text-anchor="end" fill="#555">${xTitle}</text>
</svg>
`;
}

/** The axis begins at zero, so that a flat line is really flat. */
function drawPanel({ title, points }: Panel): string {
  const [xMax, yMax] = [Math.max(...points.map(({ x }) => x)), roundUp(Math.max(...points.map(({ y }) => y)))];
  const xOf = (x: number) => round(plot.left + (x / xMax) * (plot.right - plot.left));
  const yOf = (y: number) => round(plot.bottom - (y / yMax) * (plot.bottom - plot.top));
  const line = points.map(({ x, y }) => `${xOf(x)},${yOf(y)}`).join(' ');
  const yTicks = [0, yMax / 2, yMax].map(
    (y) =>
      `<line x1="${plot.left}" x2="${plot.right}" y1="${yOf(y)}" y2="${yOf(y)}" stroke="#ddd"/>` +
      `<text x="${plot.left - 6}" y="${yOf(y) + 4}" text-anchor="end" fill="#555">${y}</text>`,
  );
  const xTicks = [0, xMax / 2, xMax].map(
    (x) => `<text x="${xOf(x)}" y="${plot.bottom + 14}" text-anchor="middle" fill="#555">${round(x)}</text>`,
  );
  return [
    `<text x="${plot.left}" y="20" font-weight="bold" fill="#222">${title}</text>`,
    ...yTicks,
    ...xTicks,
    `<polyline points="${line}" fill="none" stroke="#1a6fb5" stroke-width="1.5"/>`,
  ].join('\n');
}

/** Rounds up to a number that is easy to halve. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return Math.ceil(value / unit / 2) * unit * 2;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
