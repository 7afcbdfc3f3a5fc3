import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

/*
 * The npm package, unpacked as an installation does it, in an empty folder. Its dependencies are those of this clone, so
 * that no network is needed; knip checks that it declares what it imports.
 */

const root = new URL('../..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'leadsheet-package-'));
const unpacked = join(folder, 'node_modules', 'leadsheet');
const tarball = join(folder, `${packageJson.name}-${packageJson.version}.tgz`);

beforeAll(() => {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
  mkdirSync(unpacked, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
  symlinkSync(join(root, 'node_modules'), join(unpacked, 'node_modules'));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

test('the package has the compiled program, README, licence, changelog and example, and no source', () => {
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
  const files = listed
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''));
  expect(files).toEqual(
    expect.arrayContaining(['README.md', 'LICENSE', 'CHANGELOG.md', 'config/example.yaml', 'dist/main.js']),
  );
  expect(files.filter((path) => path.endsWith('.ts') || path.startsWith('test'))).toEqual([]);
});

test('the installed leadsheet prints its version, in a folder of its own', () => {
  const stdout = execFileSync(process.execPath, [join(unpacked, packageJson.bin.leadsheet), '--version'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stdout).toBe(`${packageJson.version}\n`);
});

test('the page of the spreadsheet finds its script and its style there', async () => {
  const args = [join(unpacked, packageJson.bin.leadsheet), 'standin', '--service-port', '0', '--sheets-port', '0'];
  const child = spawn(process.execPath, args, { cwd: folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [greeting] = (await once(child.stdout, 'data')) as [Buffer];
  const sheetsUrl = greeting.toString().match(/http:\S+/g)?.[1];
  for (const asset of ['grid.js', 'grid.css']) {
    expect((await fetch(`${sheetsUrl}/_standin/${asset}`)).status).toBe(200);
  }
});
