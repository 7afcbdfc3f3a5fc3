/* `npm ci` finds all that the scripts and tests need, on each system that the project is worked on. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../support/root.ts';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), 'utf8'));
const { packages } = read('package-lock.json') as { readonly packages: Readonly<Record<string, Locked>> };
const installed = Object.entries(packages).filter(([path]) => path.startsWith('node_modules/'));
const nodes = installed.filter(([, { bin }]) => bin?.['node'] !== undefined);

const names = (value: string | readonly string[] = []) => [value].flat();

test.each([
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'arm64'],
  ['darwin', 'x64'],
  ['win32', 'x64'],
])('%s %s: one Node that runs TypeScript without a warning', (os, cpu) => {
  const fitting = nodes.filter(([, each]) => names(each.os).includes(os) && names(each.cpu).includes(cpu));
  expect(fitting).toHaveLength(1);
  const [major = 0, minor = 0] = fitting[0]![1].version!.split('.').map(Number);
  // Node 24.3 was the first without it.
  expect(major * 100 + minor).toBeGreaterThanOrEqual(2403);
});

test('package-lock.json has each package that only some systems install, with its hash', () => {
  // npm forgets those of other systems, where a lock file is made beside an installation.
  const optional = Object.values(packages).flatMap((each) => Object.keys(each.optionalDependencies ?? {}));
  expect(optional.length).toBeGreaterThan(100);
  const known = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  expect(optional.filter((name) => !known.has(name))).toEqual([]);
  expect(installed.filter(([, each]) => each.link !== true && each.integrity === undefined)).toEqual([]);
});

test('package-lock.json names no registry', () => {
  expect(installed.filter(([, each]) => 'resolved' in each && each.link !== true)).toEqual([]);
});

test('each script of a package that installs it is allowed by name: npm 12 runs no other', () => {
  const withScript = installed.filter(([, each]) => each.hasInstallScript);
  const allowed = Object.fromEntries(withScript.map(([path]) => [path.replace('node_modules/', ''), true]));
  expect(packageJson.allowScripts).toEqual(allowed);
});

test('the image is built with what package-lock.json refers to in this folder', () => {
  const folders = Object.keys(packages).filter((path) => path !== '' && !path.includes('node_modules'));
  expect(folders).toEqual(['scripts/node']);
  const [dockerfile, lets] = ['Dockerfile', '.dockerignore'].map((name) => readFileSync(join(root, name), 'utf8'));
  for (const folder of folders) {
    expect(dockerfile).toContain(`COPY ${folder} ${folder}\n`);
    expect(lets).toContain(`\n!${folder}\n`);
  }
});
