import { expect, test } from 'vitest';
import { partOf } from '../../../src/web/console/forms/held-parts.ts';
import { type Html, instant } from '../../../src/web/console/html.ts';

/** As an answer has it. */
async function textOf(shown: Html): Promise<string> {
  return new Response(await shown).text();
}

const now = Date.parse('2026-11-22T12:00:00.000Z');

test.each([
  [0, '0 s ago'],
  [-90_000, '1 min ago'],
  // A value that is measured while the page is made.
  [1, 'now'],
  [999, 'now'],
  [1_000, 'in 1 s'],
  [7_200_000, 'in 2 h'],
])('an instant %i ms from now is told as "%s"', async (ms, text) => {
  const iso = new Date(now + ms).toISOString();
  expect(await textOf(instant(iso, now))).toBe(
    `<time datetime="${iso}" title="${iso.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}">${text}</time>`,
  );
});

test('every line of a long plan stands on some page, and the links lead from one to the next', async () => {
  const plan = Array.from({ length: 701 }, (_, index) => `line ${index}`);
  const seen: string[] = [];
  const starts = [0];
  for (const from of starts) {
    const { shown, links } = partOf(plan, { from, size: 300, address: (first) => `?from=${first}`, words: 'Changes' });
    const text = await textOf(links);
    expect(text).toContain(`Changes ${from + 1} to ${from + shown.length} of 701.`);
    expect(text.includes('rel="prev"')).toBe(from > 0);
    seen.push(...shown);
    const next = /href="\?from=(\d+)" rel="next"/.exec(text)?.[1];
    if (next !== undefined) starts.push(Number(next));
  }
  expect(seen).toEqual(plan);
  const past = partOf(plan, { from: 900, size: 300, address: (first) => `?from=${first}` });
  expect([past.shown, await textOf(past.links)]).toEqual([[], expect.stringContaining('No records here.')]);
});
