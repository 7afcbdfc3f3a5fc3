import { join } from 'node:path';
import { expect, test } from 'vitest';
import { llmsText } from '../../docs/.vitepress/llms.ts';
import { navigation } from '../../docs/.vitepress/navigation.ts';
import { checkNavigation, checkPages, checkPictures, findOrphans } from '../../scripts/docs-check.ts';

/* npm run docs:check, on small pages. The pages themselves are checked by the command, not by every run of the tests. */

const check = (text: string, others: Readonly<Record<string, string>> = {}) =>
  checkPages(new Map([['docs/a.md', text], ...Object.entries(others)]), (path) =>
    ['docs/a.md', 'src', ...Object.keys(others)].includes(path),
  );
const block = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\`\n`;

test.each([
  ['a page that is not there', '# A\n\n[b](b.md)', 'docs/a.md:3: links to docs/b.md, which is not there'],
  ['a heading that is not there', '[x](#nothing)', 'docs/a.md:1: docs/a.md has no heading #nothing'],
  ['an unknown option in a configuration', block('yaml', 'server: { lissen: 127.0.0.1:4000 }'), 'lissen'],
  ['no YAML', block('yaml', 'a: { b: ${C} }'), 'this is no YAML'],
  ['no JSON', block('json', '{ a: 1 }'), 'this is no JSON'],
  ['an unknown command', block('sh', 'leadsheet stattus'), "unknown command 'stattus'"],
  ['an unknown option of a command', block('text', '$ leadsheet status --exit-kode'), "unknown option '--exit-kode'"],
  ['an argument that is missing', block('sh', 'npm run -s leadsheet -- undo'), 'missing required argument'],
  ['an unknown command in a list', '1. Do it:\n\n   ```sh\n   leadsheet strat\n   ```\n', "unknown command 'strat'"],
  ['a wrong count', '- [B](#b) (2)\n\n## B\n\n### One\n', 'docs/a.md:1: "B" has 1 entries, and not 2'],
  ['a shell that does not parse', block('sh', 'for each in a b; do echo "$each"'), 'syntax error'],
  ['a script that does not parse', block('ts', 'const = 1;'), 'docs/a.md:1: '],
  ['an unknown script of npm', 'Call `npm run chek`.', 'package.json has no script chek'],
  ['an unknown file to run', block('sh', 'node scripts/nothing.ts'), 'there is no scripts/nothing.ts'],
  ['an unknown option in a sentence', 'Call `leadsheet log --untill 2h`.', 'it has no --untill'],
])('it finds %s', async (_, text, fault) => {
  expect(await check(text)).toEqual([expect.stringContaining(fault)]);
});

test('it lets through what holds: output, parts of a configuration, other YAML, headings that stand twice', async () => {
  const text = [
    '# A heading: with `signs`, twice\n\n# A heading: with `signs`, twice\n',
    '[one](#a-heading-with-signs-twice) [two](#a-heading-with-signs-twice-1) [b](b.md#b) [source](../src) [web](https://x.test)',
    block('yaml', "syncs:\n  prospects: { conflict: newest }\nalerts: { webhook_url: '${ALERT_WEBHOOK}' }"),
    block('yaml', 'services: { leadsheet: { build: . } }'),
    block('json', '{"a":1}\n{"b":2}'),
    block('sh', 'leadsheet log --since 1h | head  # the last hour\nleadsheet sync [NAME...]'),
    block('text', 'leadsheet sync runs it only so'),
    block('sh', '$ npm run -s leadsheet -- status\nprospects: (in sync'),
    block('js', 'export const a = 1;'),
    '- [C](#c) (1)\n\n## C\n\n### One',
    '`leadsheet approve NAME --run R`, and the line `leadsheet started`',
  ].join('\n\n');
  expect(await check(text, { 'docs/b.md': '## B' })).toEqual([]);
});

test('a page and a picture that nothing links to are orphans', () => {
  const pages = new Map([
    ['README.md', '[a](docs/a.md) ![p](docs/p.png)'],
    ['docs/a.md', ''],
    ['docs/lost.md', ''],
  ]);
  expect(findOrphans(pages, ['docs/p.png', 'docs/q.png'])).toEqual([
    'docs/lost.md: no page links to it',
    'docs/q.png: no page links to it',
  ]);
});

test('a picture that no script takes, and one that was not taken, are found', () => {
  expect(checkPictures(['docs/a.png', 'docs/b.png'], ['docs/a.png', 'docs/c.png'])).toEqual([
    'docs/b.png: no script takes this picture',
    'docs/c.png: this picture was not taken',
  ]);
});

test('the site leads to every page, and to none that is not there', () => {
  const pages = new Map([
    ['README.md', ''],
    ['docs/a.md', ''],
    ['.github/pull_request_template.md', ''],
  ]);
  expect(checkNavigation(pages, ['/', '/docs/a'])).toEqual([]);
  expect(checkNavigation(pages, ['/', '/docs/b'])).toEqual([
    'docs/a.md: docs/.vitepress/navigation.ts does not have it',
    'docs/.vitepress/navigation.ts: there is no docs/b.md',
  ]);
});

test('llms.txt has each page of the site with a sentence', () => {
  const root = join(import.meta.dirname, '../..');
  const lines = llmsText(root)
    .split('\n')
    .filter((line) => line.startsWith('- '));
  expect(lines).toHaveLength(navigation.flatMap(({ items }) => items).length);
  expect(lines.filter((line) => !/^- \[[^\]]+\]\(\/[\w/-]*(?:\.html)?\): \S.{15,}[.]$/.test(line))).toEqual([]);
});
