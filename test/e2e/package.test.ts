import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { startProgram } from '../support/program.ts';
import { root } from '../support/root.ts';

/*
 * The npm package, installed into an empty folder without a network: the program has the code of its dependencies in its
 * own files.
 */

const folder = mkdtempSync(join(tmpdir(), 'leadsheet-package-'));
const unpacked = join(folder, 'node_modules', 'leadsheet');
const tarball = join(folder, `${packageJson.name}-${packageJson.version}.tgz`);

/** The sources once they are built. */
function createSources(): string {
  const sources = join(folder, 'sources');
  const built = dirname(inject('builtProgram'));
  // Processes of other tests keep compiled code beside the program.
  cpSync(built, join(sources, 'dist'), { recursive: true, filter: (path) => path !== join(built, 'compiled') });
  const patterns = packageJson.files.filter((name) => name !== 'dist');
  const files = globSync(patterns, { cwd: root });
  // The last two are not to be packed.
  const others = ['package.json', 'README.md', 'LICENSE', 'src/main.ts', 'test/expressions.test.ts'];
  for (const name of [...files, ...others]) cpSync(join(root, name), join(sources, name));
  return sources;
}

beforeAll(() => {
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  execFileSync('npm', args, { cwd: createSources() });
  writeFileSync(join(folder, 'package.json'), '{}');
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', tarball], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true }));

test('npm pack builds the program first, by the script that the run of the tests was built by', () => {
  expect(packageJson.scripts).toMatchObject({ prepack: 'npm run build', build: 'node scripts/build.ts' });
});

test('the package has the compiled program, README, docs, licence, changelog and example, and no source', () => {
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
  const files = listed
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''));
  expect(files).toEqual(
    expect.arrayContaining([
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'config/example.yaml',
      'dist/main.js',
      'docs/configuration.md',
    ]),
  );
  expect(files.filter((path) => path.endsWith('.ts') || path.startsWith('test'))).toEqual([]);
});

test('the package has the licence of each package whose code it has', () => {
  const text = readFileSync(join(unpacked, 'dist', 'THIRD-PARTY.txt'), 'utf8');
  for (const name of ['commander', 'google-auth-library', 'pino', 'yaml', 'zod', '@picocss/pico'])
    expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+, \\S+$`, 'm'));
  expect(text).toContain('TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION');
});

test('an installation is one package of at most the size that docs/performance.md says', () => {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { readonly packages: object };
  expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/leadsheet']);
  const page = readFileSync(join(root, 'docs/performance.md'), 'utf8');
  const megabytes = (what: string) =>
    Number(new RegExp(`${what}, at most \\| (\\d+(?:\\.\\d+)?) MB \\|`).exec(page)?.[1]);
  const files = globSync('**/*', { cwd: unpacked }).map((name) => statSync(join(unpacked, name)));
  const installed = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0) / 1e6;
  expect(installed).toBeLessThan(megabytes('installed'));
  expect(statSync(tarball).size / 1e6).toBeLessThan(megabytes('the package'));
  // A bound that says nothing is no bound.
  expect(installed * 1.5).toBeGreaterThan(megabytes('installed'));
});

test('the installed leadsheet asks what init needs, checks a configuration, and plays a trial', async () => {
  const main = join(folder, 'node_modules', '.bin', 'leadsheet');
  const call = (...args: string[]) => spawnSync(process.execPath, [main, ...args], { cwd: folder, encoding: 'utf8' });
  expect(call('init', '--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('--spreadsheet') });
  expect(call('check')).toMatchObject({ status: 78, stdout: expect.stringContaining('leadsheet init makes one') });
  const args = ['trial', '--service-port', '0', '--sheets-port', '0', '--port', '0'];
  const { child, ended, printed } = startProgram(args, {
    cwd: folder,
    main: join(unpacked, packageJson.bin.leadsheet),
  });
  await vi.waitFor(() => expect(printed.stdout).toContain('Both sides are equal'), { timeout: 100_000, interval: 50 });
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
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
