// Writes down the licences of the packages whose code is in the built program, as those licences ask.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** `modules`: paths of files, also of our own, which have no part in it. Sorted by name of the package. */
export function licencesOf(modules: readonly string[]): string {
  const folders = modules.flatMap((path) => /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(path)?.[0] ?? []);
  const parts = [...new Set(folders)].map(licenceOf).toSorted();
  return ['leadsheet has code of these packages.\n', ...parts].join(`\n${'-'.repeat(100)}\n\n`);
}

/** Throws if the package says nothing of its licence. */
function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageJson;
  const files = globSync('{LICENSE,LICENCE,License,license,NOTICE}*', { cwd: folder }).toSorted();
  if (license === undefined && files.length === 0) throw new Error(`${name} has no licence`);
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return `${[`${name} ${version}, ${license ?? 'licence below'}`, ...texts].join('\n\n')}\n`;
}
