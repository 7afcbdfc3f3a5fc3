// FEED_RUNS=2000 FEED_SEED=1 npx vitest run test/engine/feed/random-control.test.ts
import { expect, it } from 'vitest';
import { simulateControl } from './simulate-control.ts';

const runs = Number(process.env['FEED_RUNS'] ?? 20);
const first = Number(process.env['FEED_SEED'] ?? 1);

it.each(Array.from({ length: runs }, (_, index) => first + index))(
  'E7, F1, L1, L6, L10, W9: people, faults and crashes around cells that start and stop automations, seed %i',
  async (seed) => {
    const { broken, story } = await simulateControl(seed);
    if (broken.length > 0) console.log([...story, ...broken].join('\n'));
    expect(broken).toEqual([]);
  },
);

it.each(Array.from({ length: runs }, (_, index) => first + index))(
  'E7, F1, I4, V3: people merge, paste, cut and sort such cells, cut rows and type over IDs, seed %i',
  async (seed) => {
    const { broken, story } = await simulateControl(seed, { hasHands: true });
    if (broken.length > 0) console.log([...story, ...broken].join('\n'));
    expect(broken).toEqual([]);
  },
);
