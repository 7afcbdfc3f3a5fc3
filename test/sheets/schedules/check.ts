import { type Parameters, type RunDetails, asyncProperty, check } from 'fast-check';
import { runSchedule } from './run-schedule.ts';
import { type Schedule, schedule } from './schedule.ts';

/** Runs schedules until one breaks an invariant, and then searches for the smallest that does. */
export async function checkSchedules(
  parameters: Parameters<[Schedule]>,
): Promise<RunDetails<[Schedule]> & { readonly excused: number }> {
  let excused = 0;
  const details = await check(
    asyncProperty(schedule, async (each) => {
      const { violations, story, isExcused } = await runSchedule(each);
      if (isExcused) excused += 1;
      if (violations.length > 0) throw new Error([...violations, '', ...story].join('\n'));
    }),
    parameters,
  );
  return { ...details, excused };
}

/** The smallest failing trial as a story, and the command that runs it again. */
export function explain(details: RunDetails<[Schedule]>): string {
  const { seed, counterexamplePath, counterexample, errorInstance } = details;
  return [
    `A schedule broke an invariant: ${errorInstance instanceof Error ? errorInstance.message : String(errorInstance)}`,
    '',
    JSON.stringify(counterexample?.[0]),
    '',
    `Again: npm run schedules -- --runs 1 --seed ${seed} --path ${counterexamplePath}`,
  ].join('\n');
}
