// Ten stories with every run of the tests, eighty with REPEATS=all; SIMULATION_SEEDS=200 plays more, and `npm run simulate` any number.
import { describe, expect, it } from 'vitest';
import { repeats } from '../support/repeats.ts';
import { play } from './play.ts';
import { drawScenario } from './scenario/draw.ts';

const seeds = Number(process.env['SIMULATION_SEEDS'] ?? repeats(10, 80));
const first = Number(process.env['SIMULATION_SEED'] ?? 1);
const blockSize = 10;
/** Ten stories take 4 s of a core; on a busy machine a hundred times as long passes. */
const timeoutMs = 900_000;

type Played = Awaited<ReturnType<typeof play>>;
const isPlayedTwice = (seed: number) => seed < first + seeds / 20;

describe('the whole program, between people, faults and kills', () => {
  const blocks = Array.from({ length: Math.ceil(seeds / blockSize) }, (_, index) => first + index * blockSize);
  /** The stories of the first seeds as they were played first, by seed. */
  const told = new Map<number, Promise<Played>>();
  const playFirst = (seed: number): Promise<Played> => {
    const playing = told.get(seed) ?? play(drawScenario(seed));
    if (isPlayedTwice(seed)) told.set(seed, playing);
    return playing;
  };
  it.each(blocks)(
    `L1 to L14, S9: hold in ${blockSize} stories from seed %i on`,
    async (start) => {
      for (let seed = start; seed < Math.min(start + blockSize, first + seeds); seed += 1) {
        const { violations } = await playFirst(seed);
        const broken = violations.map(({ law, text }) => `${law}: ${text}`);
        expect(broken.length === 0 ? [] : [`npm run simulate -- --seed ${seed} --trace`, ...broken]).toEqual([]);
      }
    },
    timeoutMs,
  );

  it(
    'L11: the same seed tells the same story, to the letter',
    async () => {
      for (let seed = first; isPlayedTwice(seed); seed += 1) {
        const [once, again] = [await playFirst(seed), await play(drawScenario(seed))];
        expect(again.story).toEqual(once.story);
        expect(again.coverage.toJson()).toEqual(once.coverage.toJson());
      }
    },
    timeoutMs,
  );
});
