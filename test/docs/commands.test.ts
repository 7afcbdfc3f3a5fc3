import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commands } from '../../scripts/commands-reference.ts';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import * as operatorAnswers from '../../src/operator/answers.ts';

const page = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');

test('docs/commands.md has every exit code', () => {
  const documented = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(documented).toEqual(Object.values(exitCodes));
});

test('every schema of an answer has a name, under which the page has its table', () => {
  const { answers, ...rest } = operatorAnswers;
  expect(Object.keys(rest).length).toBeGreaterThan(5);
  const named: readonly unknown[] = Object.values(answers);
  const unnamed = Object.entries(rest).filter(([, schema]) => !named.includes(schema));
  expect(unnamed.map(([name]) => name)).toEqual([]);
});

test('every command that the page shows in use is one there is, with options that it has', () => {
  const shown = [...page.matchAll(/^\$ leadsheet (.*)$/gm)].map(([, line = '']) => line.split(' '));
  expect(shown.length).toBeGreaterThan(5);
  for (const [name, ...words] of shown) {
    const command = commands().find((each) => each.name() === name);
    const known = command?.options.map(({ long }) => long);
    expect({ name, isThere: known !== undefined }).toEqual({ name, isThere: true });
    for (const word of words.filter((each) => each.startsWith('--'))) expect(known).toContain(word);
  }
});
