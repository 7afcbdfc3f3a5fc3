// Eighty stories with every run of the tests; SIMULATION_SEEDS=200 plays more, and `npm run simulate` any number.
import { describe, expect, it } from 'vitest';
import { play } from './play.ts';
import { drawScenario } from './scenario/draw.ts';

const seeds = Number(process.env['SIMULATION_SEEDS'] ?? 80);
const first = Number(process.env['SIMULATION_SEED'] ?? 1);
const blockSize = 20;
/** Twenty stories take 8 s of a core; on a busy machine a hundred times as long passes. */
const timeoutMs = 900_000;

describe('the whole program, between people, faults and kills', () => {
  const blocks = Array.from({ length: Math.ceil(seeds / blockSize) }, (_, index) => first + index * blockSize);
  it.each(blocks)(
    'L1 to L14, S9: hold in 20 stories from seed %i on',
    async (start) => {
      for (let seed = start; seed < Math.min(start + blockSize, first + seeds); seed += 1) {
        const { violations } = await play(drawScenario(seed));
        const told = violations.map(({ law, text }) => `${law}: ${text}`);
        expect(told.length === 0 ? [] : [`npm run simulate -- --seed ${seed} --trace`, ...told]).toEqual([]);
      }
    },
    timeoutMs,
  );

  it(
    'L11: the same seed tells the same story, to the letter',
    async () => {
      for (let seed = first; seed < first + seeds / 20; seed += 1) {
        const [once, again] = [await play(drawScenario(seed)), await play(drawScenario(seed))];
        expect(again.story).toEqual(once.story);
        expect(again.coverage.toJson()).toEqual(once.coverage.toJson());
      }
    },
    timeoutMs,
  );
});
