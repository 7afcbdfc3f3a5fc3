// Loads every source file once, so that Node keeps its compiled code. A process of its own: it ends before the tests begin.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './root.ts';

/** It runs the command line. */
const program = join('src', 'main.ts');
const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => file !== program);
// What cannot be loaded is told by the tests that load it.
await Promise.allSettled(sources.map((file) => import(pathToFileURL(join(root, file)).href)));
