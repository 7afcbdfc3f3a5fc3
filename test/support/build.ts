// Builds the program as the package has it.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = new URL('../..', import.meta.url).pathname;

/** Compiled as for the package, in a folder of its own, so that tests that build do not disturb each other. */
export function buildProgram(): { readonly main: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-built-'));
  execFileSync(process.execPath, [join(root, 'scripts', 'build.ts'), join(folder, 'dist')], { stdio: 'inherit' });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return {
    main: join(folder, 'dist', 'main.js'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}
