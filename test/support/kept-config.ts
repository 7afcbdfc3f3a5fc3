// Reads the configuration of a trial for each process that begins, and parses it again only if a file of it has changed.
import { readFileSync } from 'node:fs';
import { readConfigFile } from '../../src/app-config.ts';
import type { Config } from '../../src/config/config.ts';

const readText = (path: string) => readFileSync(path, 'utf8');

/** A story that kills a process at each request begins a hundred, and to parse the file is a fifteenth of each. No trial includes files. */
export function createConfigReader(configFile: string): () => Config {
  let known: { readonly config: Config; readonly texts: ReadonlyMap<string, string> } | undefined;
  return () => {
    if (known && [...known.texts].every(([path, text]) => readText(path) === text)) return known.config;
    const texts = new Map<string, string>();
    const readFile = (path: string) => {
      const text = readText(path);
      texts.set(path, text);
      return text;
    };
    known = { config: readConfigFile(configFile, { env: {}, readFile }), texts };
    return known.config;
  };
}
