// The folder of the project, and that of compiled code.
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/** Node's compiled code of the sources and of packages, for processes that tests start; it halves the time of a start. */
export const compiledCode = join(root, 'node_modules', '.cache', 'leadsheet-compiled');
