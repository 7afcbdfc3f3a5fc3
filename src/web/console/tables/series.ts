// What was measured in the last hours: a table, and the charts that a browser draws of the same numbers.
import { html } from 'hono/html';
import type { SeriesAnswer } from '../../../operator/answers/budgets.ts';
import { type Html, instant } from '../html.ts';
import { scrollTable } from './scroll.ts';

/** `file`: the address of the same series as JSON. */
export function seriesWithCharts(series: readonly SeriesAnswer[], now: number, file: string): Html {
  return html`${seriesTable(series, now)}
    <div data-charts="${file}"></div>`;
}

/** For a person without script. */
function seriesTable(series: readonly SeriesAnswer[], now: number): Html {
  const rows = series.map(({ name, unit, limit, points }) => {
    const values = points.map(([, value]) => value);
    const sum = values.reduce((all, value) => all + value, 0);
    const [since] = points[0] ?? [];
    const cell = (value: number | undefined) => (value === undefined ? '–' : numberText(value));
    return html`<tr>
      <th scope="row">${name} <small>${unit}</small></th>
      <td class="number">${cell(values.at(-1))}</td>
      <td class="number">${cell(values.length === 0 ? undefined : sum / values.length)}</td>
      <td class="number">${cell(values.length === 0 ? undefined : Math.max(...values))}</td>
      <td class="number">${limit === null ? 'none' : numberText(limit)}</td>
      <td>${since === undefined ? '' : instant(new Date(since).toISOString(), now)}</td>
    </tr>`;
  });
  return scrollTable(
    'The last hours',
    ['Measured', { number: 'Last' }, { number: 'Average' }, { number: 'Most' }, { number: 'Limit' }, 'Since'],
    rows,
  );
}

/** At most one digit behind the point. */
export function numberText(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}
