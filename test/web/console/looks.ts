// How a page looks in a browser: by axe, in two looks, and by its width.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Colours differ by scheme, the layout by width: two looks show all four. */
export const looks = {
  desktop: { colorScheme: 'light', width: 1_280 },
  phone: { colorScheme: 'dark', width: 390 },
} as const;

export type Look = keyof typeof looks;

/** Colours that change do so in two tenths of a second. They are in between meanwhile, and axe would find them pale. */
const endTransitions = `for (const each of document.getAnimations()) {
  if (each.effect.getComputedTiming().endTime !== Infinity) each.finish();
}`;

/** Each page that is loaded reads it: the minified one is half as long, which the browser notices. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

export async function useLook(page: Page, look: Look): Promise<void> {
  const { colorScheme, width } = looks[look];
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  await page.evaluate(endTransitions);
}

/** Axe leaves out this rule of WCAG 2.2 AA unless it is asked for. */
const rules = "{ 'target-size': { enabled: true } }";

/** Axe finds nothing, and the page is no wider than the screen. It stays in this look. */
export async function checkLook(page: Page, name: string, look: Look): Promise<void> {
  await useLook(page, look);
  // A page that is loaded anew has no axe; a page that follows what happens keeps it.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axeSource);
  const found = await page.evaluate<string[]>(
    `axe.run(document, { resultTypes: ['violations'], rules: ${rules} })
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0]?.html))`,
  );
  const widest = await page.evaluate<number>('document.documentElement.scrollWidth');
  expect({ name, look, found, widest }).toEqual({ name, look, found: [], widest: looks[look].width });
}
