// Installs the dependencies when they differ from package-lock.json, and does nothing otherwise.
// Runs before every script of package.json, on any Node of the machine: plain JavaScript, built-in modules only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
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
  console.error('leadsheet: installing the dependencies, once');
  // package-lock.json has the hash of each package: npm need not ask whether its copies are the newest.
  let { status, error } = install('--prefer-offline');
  // It fails for a version that is newer than what npm kept of its package. null: npm was not run, or was ended by a signal.
  if (status !== 0 && status !== null) ({ status, error } = install());
  if (status !== 0) {
    console.error(`leadsheet: installing the dependencies failed${error ? `: ${error.message}` : ', see above'}`);
    process.exit(1);
  }
  writeFileSync(stampFile, wanted);
}

function install(...more) {
  // Warnings about the engine would mislead: npm runs on the machine's Node, everything else on the installed one.
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error', ...more];
  // npm puts its own path here when it runs a script; on Windows `npm` itself is not directly executable.
  const npm = process.env.npm_execpath;
  return npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
}

function readStamp() {
  try {
    return readFileSync(stampFile, 'utf8');
  } catch {
    return undefined;
  }
}
