import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commands } from '../../scripts/commands-reference.ts';
import { operationParameters } from '../../src/cli/api/names.ts';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { answers } from '../../src/operator/answers/answers.ts';

const page = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');

test('docs/commands.md has every exit code', () => {
  const documented = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(documented).toEqual(Object.values(exitCodes));
});

test('every schema of an answer has a name, under which the page has its table', async () => {
  const folder = new URL('../../src/operator/answers/', import.meta.url);
  const files = readdirSync(folder).filter((name) => name !== 'answers.ts' && name !== 'shared.ts');
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href) as Promise<object>));
  const schemas = modules.flatMap((module) => Object.entries(module).filter(([name]) => /(Answer|Line)$/.test(name)));
  expect(schemas.length).toBeGreaterThan(5);
  const named: readonly unknown[] = Object.values(answers);
  const unnamed = schemas.filter(([, schema]) => !named.includes(schema));
  expect(unnamed.map(([name]) => name)).toEqual([]);
});

test('every command that the page shows in use is one there is, with options that it has', () => {
  const shown = [...page.matchAll(/^\$ leadsheet (.*)$/gm)].map(([, line = '']) => line.split(' '));
  expect(shown.length).toBeGreaterThan(5);
  for (const [name, ...words] of shown) {
    const command = commands().find((each) => each.name() === name);
    const known = command?.options.map(({ long }) => long);
    expect({ name, isThere: known !== undefined }).toEqual({ name, isThere: true });
    // `api` takes the parameters of its operation, too.
    const taken = [...(known ?? []), ...(name === 'api' ? operationParameters(words[0]!) : [])];
    for (const word of words.filter((each) => each.startsWith('--'))) expect(taken).toContain(word);
  }
});
