// `node test/state/versions/make.ts [NAME...]`: has each version write its fixture, by checking its commit out and playing
// story.ts there. Then this version and that one take turns on it; a version of an older schema has to refuse it.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../support/root.ts';
import { versions } from './versions.ts';

const wanted = process.argv.slice(2);
const chosen = versions.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const work = mkdtempSync(join(tmpdir(), 'versions-'));
try {
  for (const { name, commit, schema } of chosen) {
    const fixture = join(import.meta.dirname, name);
    rmSync(fixture, { recursive: true, force: true });
    play(commit, 'begin', '', fixture);
    const left = join(work, `${name} then now`);
    play('HEAD', 'turn', fixture, left);
    if (schema < 2) play(commit, 'refused', left, '');
    else {
      const turns = join(import.meta.dirname, `${name}-turns`);
      rmSync(turns, { recursive: true, force: true });
      play(commit, 'turn', left, turns);
    }
    console.log(
      `${name}: written, and ${schema < 2 ? 'refused by its version once this one had it' : 'used in turns'}`,
    );
  }
} finally {
  rmSync(work, { recursive: true });
}

/** Plays one part with the program of a commit, and the packages of this one. */
function play(commit: string, part: 'begin' | 'turn' | 'refused', from: string, to: string): void {
  const checkout = mkdtempSync(join(work, 'checkout-'));
  const tree = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', checkout], { input: tree });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  const folder = join(checkout, 'test', 'state', 'versions');
  mkdirSync(folder, { recursive: true });
  cpSync(join(import.meta.dirname, 'fixture.ts'), join(folder, 'fixture.ts'));
  cpSync(join(import.meta.dirname, 'story.ts'), join(folder, 'story.test.ts'));
  writeFileSync(
    join(checkout, 'story.config.ts'),
    "export default { test: { include: ['test/state/versions/story.test.ts'] } };",
  );
  execFileSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'story.config.ts'], {
    cwd: checkout,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, VERSION_PART: part, VERSION_FROM: from, VERSION_TO: to },
  });
  rmSync(checkout, { recursive: true });
}
