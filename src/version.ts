import { readFileSync } from 'node:fs';

// Read, not imported: an import would make package.json one of the sources, and move everything compiled one folder down.
const packageJson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** As package.json has it, which stands one folder above this file both in src/ and, compiled, in dist/. */
export const version = packageJson.version;
