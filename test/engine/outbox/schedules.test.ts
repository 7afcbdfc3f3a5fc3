// OUTBOX_RUNS=5000 OUTBOX_SEED=1 npx vitest run test/engine/outbox/schedules.test.ts
import { expect, it } from 'vitest';
import { useJumpingClock } from '../../support/service.ts';
import { runSchedule } from './schedule.ts';
import { repeats } from '../../support/repeats.ts';

const runs = Number(process.env['OUTBOX_RUNS'] ?? repeats(5, 10));
const first = Number(process.env['OUTBOX_SEED'] ?? 1);

it.each(Array.from({ length: runs }, (_, index) => first + index))(
  'L8, P1 to P6: nothing is sent twice, caps hold, every row is sent or says why not, seed %i',
  async (seed) => {
    useJumpingClock();
    const { broken, story } = await runSchedule(seed);
    expect({ broken, story: broken.length > 0 ? story : [] }).toEqual({ broken: [], story: [] });
  },
);
