// Compiles src/ into dist/, or into the given folder, and copies the files that are not TypeScript.
// The program finds package.json one folder above itself, and its packages in a node_modules further up.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = resolve(process.argv[2] ?? join(root, 'dist'));

// Files of an earlier build would be packed, too.
rmSync(out, { recursive: true, force: true });

const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', out], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);

for (const asset of globSync('**/*.{js,css,html,svg}', { cwd: join(root, 'src') })) {
  cpSync(join(root, 'src', asset), join(out, asset));
}
