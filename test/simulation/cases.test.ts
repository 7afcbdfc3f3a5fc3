// Stories that broke a law once, shrunk. Those that the program broke break it on the code of that time. Of the others the judge was
// wrong, which nothing in src brings back: they are played with REPEATS=all.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { isAll } from '../support/repeats.ts';
import { play } from './play.ts';
import type { Scenario } from './scenario/scenario.ts';

const folder = join(import.meta.dirname, 'cases');
const files = globSync(isAll ? '**/*.json' : '*.json', { cwd: folder }).toSorted();

it.each(files.map((file) => [basename(file), file] as const))(
  '%s holds now',
  async (_name, file) => {
    const scenario = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Scenario;
    const { violations, story } = await play(scenario);
    expect(violations.length === 0 ? [] : [...story, ...violations]).toEqual([]);
  },
  // The first one loads the whole program, beside other files.
  300_000,
);
