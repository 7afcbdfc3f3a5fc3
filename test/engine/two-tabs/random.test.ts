// TWO_TABS_RUNS=2000 TWO_TABS_SEED=1 npx vitest run test/engine/two-tabs/random.test.ts
import { expect, it } from 'vitest';
import { simulateTwoTabs } from './simulate.ts';
import { repeats } from '../../support/repeats.ts';

const runs = Number(process.env['TWO_TABS_RUNS'] ?? repeats(4, 10));
const first = Number(process.env['TWO_TABS_SEED'] ?? 1);

it.each(Array.from({ length: runs }, (_, index) => first + index))(
  'L1, L2, L5, L7, L8, W9: two tabs and one list, both ways, with people, faults and crashes, seed %i',
  async (seed) => {
    const { broken, story } = await simulateTwoTabs(seed);
    if (broken.length > 0) console.log([...story, ...broken].join('\n'));
    expect(broken).toEqual([]);
  },
);
