import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sabotages } from './sabotage/sabotages.ts';

test.each(sabotages)('the sabotage "$name" finds its text exactly once', ({ file, text }) => {
  const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
  expect(source.split(text)).toHaveLength(2);
});

test('docs/testing.md says how many there are', () => {
  const page = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8');
  const said = [...page.matchAll(/breaks the program in (\d+) small ways/g)].map(([, count]) => Number(count));
  expect(said).toEqual([sabotages.length, sabotages.length]);
});
