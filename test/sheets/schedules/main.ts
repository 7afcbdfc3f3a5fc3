// `npm run schedules [-- --runs N] [--seed N] [--path P]`: many trials in a row, or one again. Exits 1 on a failure.
import { scriptOptions } from '../../support/script-options.ts';

const values = scriptOptions('npm run schedules', {
  runs: { type: 'string' },
  seed: { type: 'string' },
  path: { type: 'string' },
});
// Loaded once the options are right: a help text does not wait for the program.
const { VerbosityLevel } = await import('fast-check');
const { checkSchedules, explain } = await import('./check.ts');

const runs = Number(values.runs ?? 10_000);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const started = performance.now();
const details = await checkSchedules({
  numRuns: runs,
  seed,
  ...(values.path !== undefined && { path: values.path }),
  verbose: VerbosityLevel.None,
});
const secs = Math.round((performance.now() - started) / 1000);
if (details.failed) {
  console.error(explain(details));
  process.exitCode = 1;
} else {
  console.log(
    `${details.numRuns} schedules held (seed ${seed}, ${secs} s); in ${details.excused} of them the process was killed, ` +
      'or cells moved again, before a stray value could be put back, and it was told',
  );
}
