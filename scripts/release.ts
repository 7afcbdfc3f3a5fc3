// npm run release -- X.Y.Z: runs the gate, cuts "Unreleased" of CHANGELOG.md into the version, commits and tags. `--dry-run` changes nothing.
//
// It pushes nothing: the workflow of releases begins with the pushed tag (docs/releasing.md).
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** What stands against a release. The message says what to do. */
export class ReleaseRefused extends Error {
  override readonly name = 'ReleaseRefused';
}

export interface Release {
  /** The folder of the repository. */
  readonly root: string;
  readonly version: string;
  /** `2026-11-30`, in UTC. */
  readonly date: string;
  readonly isDry: boolean;
  /** Runs everything that has to pass. Throws if something does not. A dry run does without. */
  readonly gate: () => void;
  readonly say: (line: string) => void;
}

/** Throws ReleaseRefused before anything is changed. */
export function release({ root, version, date, isDry, gate, say }: Release): void {
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const packageJson = read('package.json');
  const { version: current } = JSON.parse(packageJson) as { readonly version: string };
  const tag = `v${version}`;
  if (version === '') throw new ReleaseRefused(`say which version: npm run release -- ${next(current)} --dry-run`);
  if (!isGreater(version, current)) {
    throw new ReleaseRefused(`${version} is no version above ${current}: give three numbers, such as ${next(current)}`);
  }
  if (git('tag', '--list', tag) !== '') throw new ReleaseRefused(`the tag ${tag} exists: choose another version`);
  const changed = git('status', '--porcelain');
  if (changed !== '')
    throw new ReleaseRefused(`there are changes that are not committed: commit or stash them\n${changed}`);
  const { changelog, notes } = cutChangelog(read('CHANGELOG.md'), version, date);

  say(`${current} -> ${version}, with these notes:\n\n${notes}\n`);
  if (isDry) {
    say(`dry run: the gate was not run; without --dry-run it runs, and the commit and the tag ${tag} are made`);
    return;
  }
  const before = git('rev-parse', 'HEAD');
  gate();
  // It takes minutes. What somebody changed meanwhile would be released without having passed.
  if (git('status', '--porcelain') !== '' || git('rev-parse', 'HEAD') !== before)
    throw new ReleaseRefused(
      'something was changed or committed while the gate ran: nothing was released, begin again',
    );
  writeFileSync(join(root, 'CHANGELOG.md'), changelog);
  writeFileSync(join(root, 'package.json'), withVersion(packageJson, current, version));
  const lock = JSON.parse(read('package-lock.json')) as { version: string; packages: { '': { version: string } } };
  lock.version = version;
  lock.packages[''].version = version;
  writeFileSync(join(root, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
  git('commit', '--quiet', '--all', '--message', `release: ${version}`);
  git('tag', '--annotate', tag, '--message', `leadsheet ${version}\n\n${notes}`);
  say(`the commit and the tag ${tag} are made. To publish: git push --follow-tags`);
}

/** The line stays where it is; nothing else of the file changes. */
function withVersion(packageJson: string, from: string, to: string): string {
  return packageJson.replace(`"version": "${from}"`, `"version": "${to}"`);
}

const upgradeHeading = '### When you upgrade\n';

/**
 * Moves what stands below "Unreleased" below the version. Throws ReleaseRefused if nothing stands there, or if it does not
 * say what an operator has to do.
 */
export function cutChangelog(
  text: string,
  version: string,
  date: string,
): { readonly changelog: string; readonly notes: string } {
  const heading = '## Unreleased\n';
  const start = text.indexOf(`\n${heading}`);
  if (start === -1) throw new ReleaseRefused('CHANGELOG.md has no heading "## Unreleased"');
  const from = start + 1 + heading.length;
  const end = text.indexOf('\n## ', from);
  const notes = text.slice(from, end === -1 ? undefined : end).trim();
  if (notes === '')
    throw new ReleaseRefused('CHANGELOG.md has nothing below "Unreleased": there is nothing to release');
  const [changes = '', steps = '', ...more] = notes.split(upgradeHeading).map((part) => part.trim());
  if (changes === '')
    throw new ReleaseRefused('CHANGELOG.md has no changes below "Unreleased": there is nothing to release');
  if (steps === '' || more.length > 0)
    throw new ReleaseRefused(
      `CHANGELOG.md says not once below "Unreleased" what has to be done: end it with "${upgradeHeading.trim()}" and steps`,
    );
  // New changes are added at the top, so that the steps stand at the end until the release.
  const ordered = `${upgradeHeading}\n${steps}\n\n### Changes\n\n${changes}`;
  const rest = end === -1 ? '' : text.slice(end);
  return { changelog: `${text.slice(0, from)}\n## ${version} - ${date}\n\n${ordered}\n${rest}`, notes: ordered };
}

/** Three numbers each. A text of another form is not greater. */
function isGreater(version: string, than: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(than)];
  if (!a || !b) return false;
  const index = a.findIndex((number, place) => number !== b[place]);
  return index !== -1 && a[index]! > b[index]!;
}

function numbersOf(version: string): readonly number[] | undefined {
  return /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(version) ? version.split('.').map(Number) : undefined;
}

function next(version: string): string {
  const [major = 0, minor = 0] = numbersOf(version) ?? [];
  return `${major}.${minor + 1}.0`;
}

function runGate(root: string): void {
  for (const script of ['check', 'docs:check']) {
    const { status } = spawnSync('npm', ['run', script], {
      cwd: root,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    if (status !== 0) throw new ReleaseRefused(`npm run ${script} found something, see above: nothing was released`);
  }
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: { 'dry-run': { type: 'boolean' } } });
  } catch {
    throw new ReleaseRefused(`${args.join(' ')} is not known: npm run release -- X.Y.Z [--dry-run]`);
  }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  try {
    const { values, positionals } = readArguments(process.argv.slice(2));
    release({
      root,
      version: positionals[0] ?? '',
      date: new Date().toISOString().slice(0, 10),
      // Without the `--` before it, npm keeps the option for itself.
      isDry: values['dry-run'] === true || process.env['npm_config_dry_run'] === 'true',
      gate: () => runGate(root),
      say: (line) => void process.stdout.write(`${line}\n`),
    });
  } catch (error) {
    if (!(error instanceof ReleaseRefused)) throw error;
    process.stderr.write(`release: ${error.message}\n`);
    process.exitCode = 1;
  }
}
