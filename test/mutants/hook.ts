// Loaded before everything else in a process of tests: gives Node the mutated text of one file. Nothing under src changes.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Mutant } from './mutate.ts';

/** Holds the mutant as JSON; there is none where the file is missing. */
const { MUTANT_FILE: place = '' } = process.env;

if (existsSync(place)) {
  const { file, start, end, text } = JSON.parse(readFileSync(place, 'utf8')) as Mutant;
  const source = readFileSync(file, 'utf8');
  const { href } = pathToFileURL(file);
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (url !== href) return loaded;
      writeFileSync(`${place}.taken`, '');
      return { ...loaded, source: source.slice(0, start) + text + source.slice(end) };
    },
  });
}
