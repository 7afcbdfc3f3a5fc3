// The folder of compiled code: in the account's cache, and nothing depends on it.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { mainFromSource, startProgram } from '../support/program.ts';

const unset = { NODE_COMPILE_CACHE: '' };

function cacheFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test.each([
  ['the sources', '--version', 0, { main: mainFromSource }],
  // It has no configuration here, and --version loads few files.
  ['the built program', 'status', 78, {}],
] as const)('compiled code of %s is kept in the cache folder of the account', async (_what, command, ended, main) => {
  const folder = cacheFolder();
  const { code } = await startProgram([command], { ...main, cwd: folder, env: { ...unset, XDG_CACHE_HOME: folder } })
    .ended;
  expect(code).toBe(ended);
  expect(readdirSync(folder)).toEqual(['leadsheet']);
  expect(readdirSync(join(folder, 'leadsheet'), { recursive: true }).length).toBeGreaterThan(10);
});

test('a cache folder that cannot be written changes nothing', async () => {
  const file = join(cacheFolder(), 'a-file');
  writeFileSync(file, '');
  const { code, stderr } = await startProgram(['--version'], { env: { ...unset, XDG_CACHE_HOME: file } }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('NODE_DISABLE_COMPILE_CACHE leaves it out', async () => {
  const folder = cacheFolder();
  const env = { ...unset, XDG_CACHE_HOME: folder, NODE_DISABLE_COMPILE_CACHE: '1' };
  expect((await startProgram(['--version'], { env }).ended).code).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});
