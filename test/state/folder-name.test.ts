import { expect, test } from 'vitest';
import { folderName, jobName } from '../../src/state/file/folder-name.ts';

/* The folder of a job, on each system. */

const names = [
  'prospects',
  'Größe',
  'a/b',
  '..',
  '.hidden',
  'con',
  'Aux',
  'nul',
  'com1',
  'LPT9',
  'conny',
  'com',
  'com10',
];

test.each(['linux', 'darwin', 'win32'])('%s: each name has a folder of its own, which leads back to it', (system) => {
  const folders = names.map((name) => folderName(name, system));
  expect(folders.map(jobName)).toEqual(names);
  expect(new Set(folders).size).toBe(names.length);
  for (const folder of folders) expect(folder).not.toMatch(/^\.|[/\\:?"<>|]/);
});

test('Windows takes no name of a device; all other folders are the same on every system', () => {
  const apart = names.filter((name) => folderName(name, 'win32') !== folderName(name, 'linux'));
  expect(apart).toEqual(['con', 'Aux', 'nul', 'com1', 'LPT9']);
  expect(apart.map((name) => folderName(name, 'win32'))).toEqual(['%63on', '%41ux', '%6eul', '%63om1', '%4cPT9']);
  expect(apart.map((name) => folderName(name, 'linux'))).toEqual(apart);
});
