// The version of the program.
import { readFileSync } from 'node:fs';

// Read, not imported: an import would make package.json a source, and move all compiled files one folder down.
const packageJson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** From package.json, one folder above this file in src/ and, compiled, in dist/. */
export const version = packageJson.version;
