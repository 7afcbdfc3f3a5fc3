// Random schedules of enrolments. More: ENROLMENT_RUNS=5000 ENROLMENT_SEED=1 npx vitest run
// test/engine/enrolment/schedules.test.ts
import { expect, it } from 'vitest';
import { useJumpingClock } from '../../support/service.ts';
import { runSchedule } from './schedule.ts';
import { repeats } from '../../support/repeats.ts';

const runs = Number(process.env['ENROLMENT_RUNS'] ?? repeats(5, 10));
const first = Number(process.env['ENROLMENT_SEED'] ?? 1);

it.each(Array.from({ length: runs }, (_, index) => first + index))(
  'L8, E1 to E6: nobody is enrolled twice, caps and vetoes hold, every wish is carried out or explained, seed %i',
  async (seed) => {
    useJumpingClock();
    const { broken, story } = await runSchedule(seed);
    expect({ broken, story: broken.length > 0 ? story : [] }).toEqual({ broken: [], story: [] });
  },
);
