import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

/*
 * The npm package, unpacked as an installation does it, in an empty folder, without any other package: the program has
 * the code of its dependencies in its own files.
 */

const root = new URL('../..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'leadsheet-package-'));
const unpacked = join(folder, 'node_modules', 'leadsheet');
const tarball = join(folder, `${packageJson.name}-${packageJson.version}.tgz`);

beforeAll(() => {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
  mkdirSync(unpacked, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
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

test('the package has the licence of each package whose code it has', () => {
  const text = readFileSync(join(unpacked, 'dist', 'THIRD-PARTY.txt'), 'utf8');
  for (const name of ['commander', 'google-auth-library', 'pino', 'yaml', 'zod', '@picocss/pico'])
    expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+, \\S+$`, 'm'));
  expect(text).toContain('TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION');
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
