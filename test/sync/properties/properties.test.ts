// The laws over a small world. `npm run properties` plays 200,000 trials of them with any seed.
import { describe, expect, test } from 'vitest';
import { explain } from './explain.ts';
import { laws } from './properties.ts';
import { repeats } from '../../support/repeats.ts';

/** Fewer trials if the tests run again and again, as by `npm run mutants`. */
const runs = Number(process.env['PROPERTY_RUNS'] ?? repeats(1_500, 3_000));
const shares = laws.reduce((sum, { share }) => sum + share, 0);

describe(`in ${runs} trials`, () => {
  test.each(laws)('$name', (law) => {
    const details = law.check({ numRuns: Math.ceil((runs * law.share) / shares), seed: 20_260_101 });
    expect(details.failed ? explain(law, details) : 'held').toBe('held');
  });
});
