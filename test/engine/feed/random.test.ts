// FEED_RUNS=2000 FEED_SEED=1 npx vitest run test/engine/feed/random.test.ts
import { expect, it } from 'vitest';
import { simulateFeed } from './simulate.ts';
import { repeats } from '../../support/repeats.ts';

const runs = Number(process.env['FEED_RUNS'] ?? repeats(8, 20));
const first = Number(process.env['FEED_SEED'] ?? 1);

it.each(Array.from({ length: runs }, (_, index) => first + index))(
  'F1, F2, F3, L6, L9, L10, W9: people, churn, faults and crashes around a feed, seed %i',
  async (seed) => {
    const { broken, story } = await simulateFeed(seed);
    if (broken.length > 0) console.log([...story, ...broken].join('\n'));
    expect(broken).toEqual([]);
  },
);
