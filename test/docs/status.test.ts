import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ProblemKind } from '../../src/sync/change.ts';
import { root } from '../support/root.ts';

/* docs/status.md explains the sentences of the status column. */

/** The compiler asks for each. */
const kinds: Readonly<Record<ProblemKind, true>> = {
  conflict: true,
  failed: true,
  held: true,
  ignored: true,
  incomplete: true,
  parked: true,
  quarantined: true,
  refused: true,
  unknown: true,
  unreadable: true,
  waiting: true,
};
const page = readFileSync(new URL('../../docs/status.md', import.meta.url), 'utf8');

test('docs/status.md has each first word of a sentence', () => {
  const [, table = ''] = /\| first word [^\n]*\n(.*?)\n\n/s.exec(page) ?? [];
  const words = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, word = '']) => word);
  expect(words.toSorted()).toEqual(Object.keys(kinds));
});

test('each sentence that docs/status.md explains is one that leadsheet writes', () => {
  const source = globSync('src/{sync,engine,sheets/google,crm/outreach/contacts}/**/*.ts', { cwd: root })
    .map((name) => readFileSync(`${root}/${name}`, 'utf8'))
    .join('\n');
  const rows = page
    .split('\n## ')
    .slice(1)
    .join('\n')
    .matchAll(/^\| (`[^|]+) \|/gm);
  const sentences = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, each = '']) => each));
  expect(sentences.length).toBeGreaterThan(50);
  // What stands in place of "..." differs from row to row.
  const parts = sentences.flatMap((each) => each.split('...').map((part) => part.replace(/^[:,; ]+|[:,; ]+$/g, '')));
  expect(parts.filter((part) => !source.includes(part))).toEqual([]);
});
