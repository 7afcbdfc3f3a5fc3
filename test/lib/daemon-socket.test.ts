import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { daemonSocketPaths, isOursOnly, makeSocketFolder } from '../../src/lib/daemon-socket.ts';

/* The place at which the daemon of a state folder listens: both sides find the same one. */

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

test('it is the state folder, as long as the path is short enough; else a folder for temporary files', () => {
  const folder = createFolder();
  const [beside, short, ...more] = daemonSocketPaths(folder, 'linux');
  expect([beside, more]).toEqual([join(folder, '.daemon.sock'), []]);
  expect(dirname(short!)).toMatch(new RegExp(`^${folder}/leadsheet-\\d+$`));
  const long = join(folder, 'x'.repeat(100));
  expect(daemonSocketPaths(long, 'linux')).toHaveLength(1);
  expect(daemonSocketPaths(long, 'linux')).not.toEqual([short]);
  expect(dirname(daemonSocketPaths(long, 'linux')[0]!)).toBe(dirname(short!));
});

test('a link to the folder is the same folder, and another folder is another place', () => {
  const folder = createFolder();
  const state = join(folder, 'state');
  mkdirSync(state);
  symlinkSync(state, join(folder, 'link'));
  expect(daemonSocketPaths(join(folder, 'link'))).toEqual(daemonSocketPaths(state));
  expect(daemonSocketPaths(folder)).not.toEqual(daemonSocketPaths(state));
});

test('on Windows it is a pipe of a name that the state folder gives', () => {
  const folder = createFolder();
  const [pipe, ...more] = daemonSocketPaths(folder, 'win32');
  expect(pipe).toMatch(/^\\\\\.\\pipe\\leadsheet-[0-9a-f]{16}$/);
  expect(more).toEqual([]);
});

test('a folder for temporary files that others can enter, or that is a link, is not used', () => {
  const folder = createFolder();
  const short = daemonSocketPaths(join(folder, 'x'.repeat(100)), 'linux')[0]!;
  expect(isOursOnly(short)).toBe(false);
  makeSocketFolder(short);
  expect(isOursOnly(short)).toBe(true);
  chmodSync(dirname(short), 0o755);
  expect(isOursOnly(short)).toBe(false);
  rmSync(dirname(short), { recursive: true });
  symlinkSync(folder, dirname(short));
  expect(isOursOnly(short)).toBe(false);
});
