import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { commands } from '../../scripts/commands-reference.ts';
import { generateDocs } from '../../scripts/generate-docs.ts';
import * as errors from '../../src/crm/errors.ts';
import * as stateErrors from '../../src/state/errors.ts';
import { outreachDescription } from '../../src/crm/outreach/description.ts';
import { load } from '../support/config.ts';

const root = join(import.meta.dirname, '../..');
/** The pages that people write, in the root and below docs/. */
const pages = globSync(['*.md', '.github/*.md', 'docs/*.md'], { cwd: root });
const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

test('the generated parts of the docs are what `npm run docs` makes', () => {
  for (const [file, text] of generateDocs()) expect(readFileSync(file, 'utf8')).toBe(text);
});

test('the configuration in docs/install.md is a whole one', () => {
  const [, text = ''] = /```yaml\n(.*?)```/s.exec(page('install.md')) ?? [];
  const env = {
    OUTREACH_BASE_URL: 'https://service.test',
    OUTREACH_TOKEN: 'test-key',
    GOOGLE_APPLICATION_CREDENTIALS: 'config/google.json',
  };
  expect(load(text, { env }).syncs.map(({ name }) => name)).toEqual(['prospects']);
});

test('docs/feeds.md has each filter that the listing of a resource takes', () => {
  const [, table = ''] = /\| resource \| filters \|\n[^\n]*\n(.*?)\n\n/s.exec(page('feeds.md')) ?? [];
  const documented = table.split('\n').map((line) => {
    const [resource = '', ...filters] = [...line.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name);
    return [resource, filters.toSorted()] as const;
  });
  const taken = [...outreachDescription.collections].map(
    ([resource, { filters }]) => [resource, [...filters.keys()].toSorted()] as const,
  );
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(taken));
});

test('every page that the README and the docs link to is there', () => {
  for (const name of pages) {
    const file = join(root, name);
    const links = readFileSync(file, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g);
    for (const [, link = ''] of links) {
      expect({ in: name, link, isThere: existsSync(join(file, '..', link)) }).toMatchObject({ isThere: true });
    }
  }
});

test('the glossary is one table that has each word once', () => {
  const lines = page('glossary.md').split('\n');
  const table = lines
    .slice(lines.indexOf('| --- | --- |') + 1)
    .filter((line, index, all) => line !== '' || index < all.length - 1);
  expect(table.filter((line) => !line.startsWith('| '))).toEqual([]);
  const words = table.flatMap((line) => line.split(' | ')[0]!.replace('| ', '').split(', '));
  expect(words.length).toBeGreaterThan(50);
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
});

test('docs/errors.md has every error class with its code and whether it may be tried again', () => {
  const call = { operation: 'x', attempts: 1 };
  const one = [
    new errors.InvalidInputError(call, {}),
    new errors.AuthenticationError(call, 'x'),
    new errors.PermissionError(call, 'x'),
    new errors.PlanLimitError(call, 'x'),
    new errors.NotFoundError(call, 'x'),
    new errors.ValidationError(call, 'x', {}),
    new errors.RateLimitError(call, 1_000),
    new errors.GatewayError(call, 'x'),
    new errors.UnreachableError(call, 'x'),
    new errors.UnexpectedAnswerError(call, 'x'),
    new errors.AnswerTooLargeError(call, 'x'),
    new errors.StoppedError(call),
    new errors.OutcomeUnknownError(call, 'x', false),
  ];
  const classes = Object.keys(errors).filter((name) => name.endsWith('Error') && name !== 'ServiceError');
  expect(one.map(({ name }) => name).toSorted()).toEqual(classes.toSorted());
  expect(documentedErrors('service')).toEqual(one.map(({ code, name, retryable }) => ({ code, name, retryable })));
});

test('every path of the repository that the README and the docs name is there', () => {
  const path = /(?<![\w/.-])(?:src|test|bench|scripts)\/[\w.*{},/-]*[\w*}/]/g;
  const named = pages.flatMap((name) =>
    [...readFileSync(join(root, name), 'utf8').matchAll(path)].map(([each]) => ({ in: name, path: each })),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((each) => globSync(each.path, { cwd: root }).length === 0)).toEqual([]);
});

test('every file in the map of docs/ARCHITECTURE.md is in the folder under which it stands there', () => {
  const [, map = ''] = page('ARCHITECTURE.md').split('```');
  const missing: string[] = [];
  let folder = 'src/';
  for (const line of map.split('\n')) {
    const [, entry] = /^(\S+)/.exec(line) ?? [];
    if (entry !== undefined) folder = entry.endsWith('/') ? entry : 'src/';
    for (const [name] of line.matchAll(/(?<![\w/*.-])[\w*-]+\.ts\b/g)) {
      if (globSync(`${folder}**/${name}`, { cwd: root }).length === 0) missing.push(`${folder} ${name}`);
    }
  }
  expect(missing).toEqual([]);
});

test('CONTRIBUTING.md links to each recipe of docs/ARCHITECTURE.md, in its order', () => {
  const [, recipes = ''] = /\n## Recipes\n(.*?)\n## /s.exec(page('ARCHITECTURE.md')) ?? [];
  const headings = [...recipes.matchAll(/^### (Add .+)$/gm)].map(([, heading = '']) => heading);
  expect(headings.length).toBeGreaterThan(5);
  const links = [...readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(/^\d+\. \[(.+)\]\((.+)\)$/gm)];
  expect(links.map(([, text, link]) => ({ text, link }))).toEqual(
    headings.map((text) => ({ text, link: `docs/ARCHITECTURE.md#${text.toLowerCase().replaceAll(' ', '-')}` })),
  );
});

test('a report of a bug asks for leadsheet doctor, which is a command', () => {
  const form = parse(readFileSync(join(root, '.github/ISSUE_TEMPLATE/bug.yml'), 'utf8')) as {
    readonly body: readonly { readonly id?: string; readonly validations?: { readonly required: boolean } }[];
  };
  expect(form.body.find(({ id }) => id === 'doctor')?.validations).toEqual({ required: true });
  expect(commands().map((command) => command.name())).toContain('doctor');
});

test('docs/errors.md has every error of the state', () => {
  const holder = { sync: 'x', host: 'x', pid: 1, since: 'x' };
  const one = [
    new stateErrors.UnknownStoreError('x'),
    new stateErrors.DiskError('x', 'x', 'x'),
    new stateErrors.DatabaseUnavailableError('x', 'x', 'x'),
    new stateErrors.DatabaseRefusedError('x', 'x', 'x'),
    new stateErrors.ForeignDatabaseError('x', 'x'),
    new stateErrors.NewerSchemaError('x', 2, 1),
    new stateErrors.ForeignStateError('x', 'y', 'z'),
    new stateErrors.LeaseTakenError('x', holder, 'x'),
    new stateErrors.LeaseLostError('x'),
    new stateErrors.LeaseOverError('x'),
  ];
  const classes = Object.keys(stateErrors).filter((name) => name !== 'StateError');
  expect(one.map(({ name }) => name).toSorted()).toEqual(classes.toSorted());
  expect(documentedErrors('state')).toEqual(one.map(({ code, name, retryable }) => ({ code, name, retryable })));
});

/** The rows of the part under "## The ...". */
function documentedErrors(part: string) {
  const [text = ''] = page('errors.md').split(`\n## The ${part}\n`)[1]?.split('\n## ') ?? [];
  const rows = text.matchAll(/^\| `(\w+)` \| (\w+) \|.*\| (yes|no|only[^|]*) \|[^|]*\|$/gm);
  return [...rows].map(([, code, name, again]) => ({ code, name, retryable: again === 'yes' }));
}
