// Builds the program as the package has it.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './root.ts';

/** In a folder of its own, so that runs of the tests do not disturb each other. There is no node_modules beside it. */
export function buildProgram(): { readonly main: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-built-'));
  execFileSync(process.execPath, [join(root, 'scripts', 'build.ts'), join(folder, 'dist')], { stdio: 'inherit' });
  for (const file of ['package.json', join('config', 'example.yaml')]) cpSync(join(root, file), join(folder, file));
  return {
    main: join(folder, 'dist', 'main.js'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}
