// The sabotages of readers fit the program and name tests that exist; `npm run sabotage:readers` plays them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/root.ts';
import { sabotages } from './by-hand.ts';

test('the text of each stands once in its file', () => {
  const times = (file: string, text: string) => readFileSync(join(root, 'src', file), 'utf8').split(text).length - 1;
  const unfit = sabotages.filter(({ file, text, instead }) => times(file, text) !== 1 || text === instead);
  expect(unfit.map(({ name }) => name)).toEqual([]);
});

test('each names tests that exist', () => {
  const missing = sabotages.filter(({ tests }) =>
    tests.some((path) => globSync(join(root, 'test', path)).length === 0),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
});
