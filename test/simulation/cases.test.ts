// Stories that broke a law once, shrunk. Each breaks it on the code of that time.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { play } from './play.ts';
import type { Scenario } from './scenario/scenario.ts';

const folder = join(import.meta.dirname, 'cases');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

it.each(files)(
  '%s holds now',
  async (file) => {
    const scenario = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Scenario;
    const { violations, story } = await play(scenario);
    expect(violations.length === 0 ? [] : [...story, ...violations]).toEqual([]);
  },
  // The first one loads the whole program, beside other files.
  300_000,
);
