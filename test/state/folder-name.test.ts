import { expect, test } from 'vitest';
import { folderName, jobName } from '../../src/state/file/folder-name.ts';

/* A job's folder: any name, on each system. */

const names = [
  'prospects',
  'Größe',
  'a/b',
  '..',
  '.hidden',
  'a.',
  'a*',
  'con',
  'Aux.x',
  'nul',
  'com1',
  'lpt9.',
  'conny',
];

test.each(['linux', 'darwin', 'win32'])('%s: each name has a folder of its own, which leads back to it', (system) => {
  const folders = names.map((name) => folderName(name, system));
  expect(folders.map(jobName)).toEqual(names);
  expect(new Set(folders).size).toBe(names.length);
  for (const folder of folders) expect(folder).not.toMatch(/^\.|[/\\:?"<>|]/);
});

test('Windows takes no asterisk, no dot at the end and no name of a device', () => {
  const folders = names.map((name) => folderName(name, 'win32'));
  for (const folder of folders) expect(folder).not.toMatch(/\*|\.$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i);
  expect(folderName('conny', 'win32')).toBe('conny');
});

test('elsewhere a name keeps the folder that earlier versions gave it', () => {
  expect(['con', 'a*', 'a.', '.hidden'].map((name) => folderName(name, 'linux'))).toEqual([
    'con',
    'a*',
    'a.',
    '%2Ehidden',
  ]);
});
