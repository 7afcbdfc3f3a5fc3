// SIMULATION_RUNS=5000 SIMULATION_SEED=1 npx vitest run test/engine/random.test.ts
import { expect, it } from 'vitest';
import { simulate } from './simulation/simulate.ts';

const runs = Number(process.env['SIMULATION_RUNS'] ?? 100);
const first = Number(process.env['SIMULATION_SEED'] ?? 1);

it.each(Array.from({ length: runs }, (_, index) => first + index))(
  'L1, L6 to L10, W9: people, faults and crashes, seed %i',
  async (seed) => {
    const { broken, story } = await simulate(seed);
    if (broken.length > 0) console.log(story.join('\n'));
    expect(broken).toEqual([]);
  },
);
