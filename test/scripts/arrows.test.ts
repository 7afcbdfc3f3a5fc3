import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findForbiddenImports } from '../../scripts/arrows.ts';

/* Which folder may import which (docs/ARCHITECTURE.md). */

/** A house of these files below src. */
function found(files: Readonly<Record<string, string>>): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'leadsheet-arrows-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, source] of Object.entries(files)) {
    const path = join(root, 'src', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, source);
  }
  return findForbiddenImports(root);
}

test('the house as it is has no forbidden import', () => {
  expect(findForbiddenImports(join(import.meta.dirname, '../..'))).toEqual([]);
});

test.each([
  ['a port that knows its driver', 'crm/port.ts', `import { a } from './outreach/client.ts';`],
  ['a port that knows a type of its driver', 'crm/port.ts', `import type { A } from './outreach/client.ts';`],
  ['the engine and a driver', 'engine/job.ts', `import { a } from '../sheets/google/table.ts';`],
  ['one kind of job and another', 'engine/feed/feed.ts', `import { a } from '../sync/run.ts';`],
  ['a face and a step of the engine', 'cli/sync.ts', `import { a } from '../engine/sync/run.ts';`],
  ['a dynamic import', 'cli/sync.ts', `const a = await import('../engine/sync/run.ts');`],
  ['something exported from elsewhere', 'lib/secret.ts', `export { a } from '../config/config.ts';`],
  ['the algorithm and the configuration', 'sync/plan.ts', `import type { A } from '../config/config.ts';`],
  ['the state and the algorithm', 'state/port.ts', `import type { A } from '../sync/change.ts';`],
  ['the daemon and a kind of job', 'daemon/daemon.ts', `import { a } from '../cli/run.ts';`],
  ['a stand-in and the client', 'standin/service/auth.ts', `import { a } from '../../crm/outreach/client.ts';`],
])('forbidden: %s', (_what, name, source) => {
  expect(found({ [name]: `// A file.\n${source}\n` })).toEqual([expect.stringMatching(`^src/${name}:2 imports `)]);
});

test('allowed: a face may name a type that it renders, and a kind of job what all kinds share', () => {
  const files = {
    'cli/sync.ts': `import type { A } from '../engine/report.ts';`,
    'engine/feed/feed.ts': `import { a } from '../frame.ts';\nimport { b } from './push.ts';`,
    'crm/port.ts': `import type { A } from '../sync/value/value.ts';`,
  };
  expect(found(files)).toEqual([]);
});

test('a folder that is in no room is named', () => {
  expect(() => found({ 'extra/a.ts': '' })).toThrow(
    'src/extra/a.ts is in no room: add its folder to scripts/arrows.ts',
  );
});
