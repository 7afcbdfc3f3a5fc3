import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { cutChangelog, release, ReleaseRefused } from '../../scripts/release.ts';

/* npm run release, in a clone of its own. */

const changes = '- New: a thing.\n- Fixed: another.\n';
const steps = '### When you upgrade\n\n1. Restart it.\n';
const changelog = `# Changelog\n\n## Unreleased\n\n${changes}\n${steps}\n## 0.1.0 - 2026-01-01\n\n- First.\n`;
const repository = join(import.meta.dirname, '../..');

function clone() {
  const root = mkdtempSync(join(tmpdir(), 'leadsheet-release-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  writeFileSync(join(root, 'package.json'), '{\n  "name": "leadsheet",\n  "version": "0.1.0"\n}\n');
  const lock = {
    name: 'leadsheet',
    version: '0.1.0',
    packages: { '': { version: '0.1.0' }, other: { version: '0.1.0' } },
  };
  writeFileSync(join(root, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
  writeFileSync(join(root, 'CHANGELOG.md'), changelog);
  git('init', '--quiet');
  git('config', 'user.name', 'Tester');
  git('config', 'user.email', 'tester@example.com');
  git('add', '.');
  git('commit', '--quiet', '--message', 'begin');
  const said: string[] = [];
  let gates = 0;
  const run = (version: string, more: { readonly isDry?: boolean; readonly gate?: () => void } = {}) =>
    release({
      root,
      version,
      date: '2026-11-30',
      isDry: more.isDry ?? false,
      gate: more.gate ?? (() => (gates += 1)),
      say: (line) => said.push(line),
    });
  return { root, git, read, run, said, gates: () => gates };
}

test('a release cuts the changelog, sets the version in both files, commits and tags', () => {
  const { git, read, run, gates } = clone();
  run('0.2.0');
  expect(gates()).toBe(1);
  expect(read('CHANGELOG.md')).toBe(
    `# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-11-30\n\n${steps}\n### Changes\n\n${changes}\n## 0.1.0 - 2026-01-01\n\n- First.\n`,
  );
  expect(JSON.parse(read('package.json'))).toMatchObject({ version: '0.2.0' });
  expect(JSON.parse(read('package-lock.json'))).toMatchObject({
    version: '0.2.0',
    packages: { '': { version: '0.2.0' }, other: { version: '0.1.0' } },
  });
  expect(git('status', '--porcelain')).toBe('');
  expect(git('log', '-1', '--format=%s')).toBe('release: 0.2.0');
  expect(git('tag', '--list')).toBe('v0.2.0');
  expect(git('tag', '--list', '--format=%(contents)')).toContain('- New: a thing.');
  expect(() => run('0.3.0')).toThrow('nothing to release');
});

test('a dry run says what would happen, and changes nothing', () => {
  const { git, run, said, gates } = clone();
  const before = git('rev-parse', 'HEAD');
  run('1.0.0', { isDry: true });
  expect(said.join('\n')).toMatch(/0\.1\.0 -> 1\.0\.0[^]*- New: a thing\.[^]*dry run/);
  expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag', '--list'), gates()]).toEqual([
    before,
    '',
    '',
    0,
  ]);
});

test.each(['0.1.0', '0.0.9', '1.0', 'v1.0.0', '1.0.0-rc.1', '01.0.0', ''])('%s is refused', (version) => {
  const { git, run } = clone();
  expect(() => run(version)).toThrow(ReleaseRefused);
  expect(git('tag', '--list')).toBe('');
});

test('a dirty tree, a tag that exists and a gate that fails are refused before anything changes', () => {
  const { root, git, read, run } = clone();
  git('tag', 'v0.2.0');
  expect(() => run('0.2.0')).toThrow('the tag v0.2.0 exists');
  const gate = () => {
    throw new ReleaseRefused('found something');
  };
  expect(() => run('0.3.0', { gate })).toThrow('found something');
  expect(read('CHANGELOG.md')).toBe(changelog);
  writeFileSync(join(root, 'new.txt'), '');
  expect(() => run('0.3.0')).toThrow('not committed');
  expect(git('log', '--format=%s')).toBe('begin');
});

test('what is changed or committed while the gate runs is not released', () => {
  for (const isCommitted of [false, true]) {
    const { root, git, read, run } = clone();
    const gate = () => {
      writeFileSync(join(root, 'package.json'), '{\n  "version": "0.1.0", "late": true\n}\n');
      if (isCommitted) git('commit', '--quiet', '--all', '--message', 'late');
    };
    expect(() => run('0.2.0', { gate })).toThrow('while the gate ran');
    expect(git('tag', '--list')).toBe('');
    expect(read('CHANGELOG.md')).toBe(changelog);
  }
});

test('wrong arguments are told in one line, with the line to type', () => {
  const call = (...args: string[]) => {
    const script = join(repository, 'scripts/release.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const refused = (stderr: unknown) => ({ status: 1, stdout: '', stderr });
  expect(call()).toEqual(
    refused(expect.stringMatching(/^release: say which version: npm run release -- \d+\.\d+\.0 --dry-run\n$/)),
  );
  expect(call('1.0.0', '--dry')).toEqual(
    refused('release: 1.0.0 --dry is not known: npm run release -- X.Y.Z [--dry-run]\n'),
  );
});

test('npm keeps --dry-run for itself where the -- is left out: it is dry all the same', () => {
  // The clone has the script in its place, so that it would release there.
  const { root, git } = clone();
  mkdirSync(join(root, 'scripts'));
  cpSync(join(repository, 'scripts/release.ts'), join(root, 'scripts/release.ts'));
  git('add', '.');
  git('commit', '--quiet', '--message', 'script');
  const args = ['scripts/release.ts', '0.2.0'];
  const env = { ...process.env, npm_config_dry_run: 'true' };
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('dry run: the gate was not run') });
  expect(git('tag', '--list')).toBe('');
});

test.each([
  ['without anything', '## Unreleased\n\n## 0.1.0\n\n- x\n', 'nothing to release'],
  ['with steps alone', `## Unreleased\n\n${steps}`, 'no changes'],
  ['without steps', `## Unreleased\n\n${changes}`, 'what has to be done'],
  ['with an empty part of steps', `## Unreleased\n\n${changes}\n### When you upgrade\n`, 'what has to be done'],
  ['with steps twice', `## Unreleased\n\n${changes}\n${steps}\n${steps}`, 'what has to be done'],
  ['without the heading', '', 'no heading'],
])('a changelog %s is refused', (_, text, why) => {
  expect(() => cutChangelog(`# Changelog\n\n${text}`, '1.0.0', 'd')).toThrow(why);
});

test('a changelog without an earlier version is cut', () => {
  expect(cutChangelog(`# C\n\n## Unreleased\n\n${changes}\n${steps}`, '1.0.0', 'd').changelog).toBe(
    `# C\n\n## Unreleased\n\n## 1.0.0 - d\n\n${steps}\n### Changes\n\n${changes}`,
  );
});

/** Versions fall, begin with this one, and each says what has to be done. */
function expectReleased(text: string, version: string): void {
  const parts = text.split('\n## ').slice(2);
  const versions = parts.map((part) => /^(\d+\.\d+\.\d+) - 20\d\d-\d\d-\d\d\n/.exec(part)?.[1] ?? part);
  expect(versions).toEqual(versions.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true })));
  expect(versions.length).toBeGreaterThan(6);
  expect(versions[0]).toBe(version);
  for (const part of parts) expect(part).toMatch(/^.*\n\n### When you upgrade\n\n1\. [^]*\n### Changes\n\n- /);
}

// The workflow of releases runs the tests on the commit that `npm run release` made: "Unreleased" is empty there.
test('CHANGELOG.md ends at the version of package.json, and can be released once something stands below "Unreleased"', () => {
  const text = readFileSync(join(repository, 'CHANGELOG.md'), 'utf8');
  expectReleased(text, packageJson.version);
  const filled = text.replace(/\n## Unreleased\n\n(?=## )/, `\n## Unreleased\n\n${changes}\n${steps}\n`);
  const { changelog: cut, notes } = cutChangelog(filled, '99.0.0', '2026-11-30');
  expect(notes).toMatch(/^### When you upgrade\n\n1\. /);
  expectReleased(cut, '99.0.0');
  expect(cut).toMatch(/\n## Unreleased\n\n## 99\.0\.0 - /);
});
