// The folders of src/sync stand in an order: each imports only folders and files before it, types included.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../src/sync');

/** As docs/ARCHITECTURE.md lists them. A file beside the folders stands for itself. */
const order = [
  'rules.ts',
  'value',
  'change.ts',
  'record',
  'input.ts',
  'outcome.ts',
  'status.ts',
  'row-refusal.ts',
  'must-look.ts',
  'match',
  'merge',
  'keys',
  'guard',
  'enrolment',
  'plan.ts',
  'undo',
  'estimate.ts',
  'settle',
  'feed',
  'outbox',
];

const files = globSync('**/*.ts', { cwd: root });

function placeOf(file: string): string {
  return file.split('/')[0]!;
}

function importsOf(file: string): readonly string[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => normalize(join(dirname(file), path)));
}

test('every file of src/sync stands in the order', () => {
  expect(new Set(files.map(placeOf))).toEqual(new Set(order));
});

test('no folder of src/sync imports one that comes after it', () => {
  const upwards = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => order.indexOf(placeOf(imported)) > order.indexOf(placeOf(file)))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(upwards).toEqual([]);
});

test('no two files of src/sync import each other, directly or through others', () => {
  const open = new Map(files.map((file) => [file, importsOf(file)]));
  // Files whose imports are all closed are closed, until none is left; a circle is what stays open.
  for (;;) {
    const closed = [...open].filter(([, imported]) => imported.every((each) => !open.has(each)));
    if (closed.length === 0) break;
    for (const [file] of closed) open.delete(file);
  }
  expect([...open.keys()]).toEqual([]);
});
