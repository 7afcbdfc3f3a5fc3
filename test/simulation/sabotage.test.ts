import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sabotages } from './sabotage/sabotages.ts';

test.each(sabotages)('the sabotage "$name" finds its text exactly once', ({ file, text }) => {
  const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
  expect(source.split(text)).toHaveLength(2);
});
