// Installs the dependencies when they differ from package-lock.json, and does nothing otherwise.
// Runs before every script of package.json, on any Node of the machine: plain JavaScript, built-in modules only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stampFile = join(root, 'node_modules', '.leadsheet-installed');

// The processor and system are part of the stamp: node_modules holds binaries, and folders get copied between machines.
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex');

if (readStamp() !== wanted) {
  // Windows deletes no program that runs, and `npm ci` deletes the installed Node.
  if (process.platform === 'win32' && process.execPath.startsWith(join(root, 'node_modules'))) {
    fail('the dependencies changed: run node scripts/install-once.js, and then this command again');
  }
  console.error('leadsheet: installing the dependencies, once');
  // package-lock.json has the hash of each package: npm need not ask whether its copies are the newest.
  let { status, error } = install('--prefer-offline');
  // It fails for a version that is newer than what npm kept of its package. null: npm was not run, or was ended by a signal.
  if (status !== 0 && status !== null) ({ status, error } = install());
  if (status !== 0) fail(`installing the dependencies failed${error ? `: ${error.message}` : ', see above'}`);
  chooseNode();
  writeFileSync(stampFile, wanted);
}

function install(...more) {
  // Warnings about the engine would mislead: npm runs on the machine's Node, everything else on the installed one.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error', ...more];
  // npm puts its own path here when it runs a script; on Windows `npm` itself is not directly executable.
  const npm = process.env.npm_execpath;
  // Standard output belongs to the command that follows: somebody may read it, as in "$(npm pack --silent)".
  const options = { cwd: root, stdio: ['inherit', 2, 'inherit'] };
  return npm
    ? spawnSync(machineNode(), [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
}

/** The Node that runs npm. The one that runs this file may be in node_modules, which `npm ci` deletes. */
function machineNode() {
  return process.env.npm_node_execpath ?? process.execPath;
}

/** Scripts run on the installed Node, where it runs. There is none for some systems, and one that needs glibc does not run on Alpine. */
function chooseNode() {
  const bin = join(root, 'node_modules', '.bin');
  linkNode(bin);
  if (majorOf(join(bin, 'node')) >= 24) return;
  if (majorOf(machineNode()) < 24) {
    fail(
      `${process.platform} ${process.arch} has no Node 24 on npm: install it from https://nodejs.org, and run this command again`,
    );
  }
  for (const name of ['node', 'node.cmd', 'node.ps1']) rmSync(join(bin, name), { force: true });
}

/** npm 10 installs the package with the Node, and does not link its program, because only another package needs it. */
function linkNode(bin) {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'scripts', 'node', 'package.json'), 'utf8'));
  const name = Object.keys(optionalDependencies).find((each) => existsSync(join(root, 'node_modules', each)));
  const isWindows = process.platform === 'win32';
  const link = join(bin, isWindows ? 'node.cmd' : 'node');
  if (name === undefined || existsSync(link)) return;
  if (isWindows) writeFileSync(link, `@"%~dp0\\..\\${name}\\bin\\node.exe" %*\r\n`);
  else symlinkSync(join('..', name, 'bin', 'node'), link);
}

/** The major version of a Node, or 0 where it does not run. */
function majorOf(node) {
  // On Windows npm puts no program there, but a script for the shell.
  const shell = process.platform === 'win32';
  const { stdout } = spawnSync(shell ? `"${node}"` : node, ['--version'], { encoding: 'utf8', shell });
  return Number(/^v(\d+)/.exec(stdout)?.[1] ?? 0);
}

function fail(why) {
  console.error(`leadsheet: ${why}`);
  process.exit(1);
}

function readStamp() {
  try {
    return readFileSync(stampFile, 'utf8');
  } catch {
    return undefined;
  }
}
