// Draws how many of the edits arrived within which time: a panel for each direction, a line for each way, seconds on a log scale.

export interface LagLine {
  readonly label: string;
  /** Sorted. */
  readonly seconds: readonly number[];
}

export interface LagPanel {
  readonly title: string;
  readonly lines: readonly LagLine[];
}

const width = 720;
const panelHeight = 210;
const plot = { left: 52, right: width - 190, top: 34, bottom: 180 };
const ticks = [0.1, 1, 10, 100, 400] as const;
const colours = ['#1a6fb5', '#c2571a', '#2c8a4b', '#8a4fb0'] as const;

export function drawLagPlot(panels: readonly LagPanel[]): string {
  const height = panels.length * panelHeight + 24;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<rect width="${width}" height="${height}" fill="#fff"/>
${panels.map((panel, index) => `<g transform="translate(0 ${index * panelHeight})">\n${drawPanel(panel)}\n</g>`).join('\n')}
<text x="${plot.right}" y="${height - 6}" text-anchor="end" fill="#555">seconds after the edit</text>
</svg>
`;
}

function drawPanel({ title, lines }: LagPanel): string {
  const grid = [0, 0.5, 1].map(
    (share) =>
      `<line x1="${plot.left}" x2="${plot.right}" y1="${yOf(share)}" y2="${yOf(share)}" stroke="#ddd"/>` +
      `<text x="${plot.left - 6}" y="${yOf(share) + 4}" text-anchor="end" fill="#555">${share * 100} %</text>`,
  );
  const marks = ticks.map(
    (tick) =>
      `<line x1="${xOf(tick)}" x2="${xOf(tick)}" y1="${plot.top}" y2="${plot.bottom}" stroke="#eee"/>` +
      `<text x="${xOf(tick)}" y="${plot.bottom + 14}" text-anchor="middle" fill="#555">${tick}</text>`,
  );
  const drawn = lines.map(({ label, seconds }, index) => {
    const points = seconds.map((second, place) => `${xOf(second)},${yOf((place + 1) / seconds.length)}`);
    const colour = colours[index % colours.length];
    const y = plot.top + 14 + index * 18;
    return (
      `<polyline points="${xOf(seconds[0] ?? ticks[0])},${yOf(0)} ${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>` +
      `<text x="${plot.right + 12}" y="${y}" fill="${colour}">${label}</text>`
    );
  });
  return [
    `<text x="${plot.left}" y="22" font-weight="bold" fill="#222">${title}</text>`,
    ...grid,
    ...marks,
    ...drawn,
  ].join('\n');
}

function xOf(second: number): number {
  const [first, last] = [Math.log10(ticks[0]), Math.log10(ticks.at(-1)!)];
  const share = (Math.log10(Math.min(Math.max(second, ticks[0]), ticks.at(-1)!)) - first) / (last - first);
  return round(plot.left + share * (plot.right - plot.left));
}

function yOf(share: number): number {
  return round(plot.bottom - share * (plot.bottom - plot.top));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
