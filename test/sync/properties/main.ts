// `npm run properties [-- --runs N] [--seed N] [--law TEXT] [--path P]`: many trials of each law, or one again.
import { parseArgs } from 'node:util';
import { VerbosityLevel } from 'fast-check';
import { explain } from './explain.ts';
import { laws } from './properties.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    seed: { type: 'string' },
    law: { type: 'string' },
    path: { type: 'string' },
  },
});
const wanted = laws.filter(({ name }) => name.includes(values.law ?? ''));
const shares = wanted.reduce((sum, { share }) => sum + share, 0);
const runs = Number(values.runs ?? 200_000);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
console.log(`${runs} runs, seed ${seed}`);
for (const law of wanted) {
  const started = performance.now();
  const details = law.check({
    numRuns: Math.ceil((runs * law.share) / shares),
    seed,
    ...(values.path !== undefined && { path: values.path }),
    verbose: VerbosityLevel.None,
  });
  const secs = ((performance.now() - started) / 1000).toFixed(1);
  if (details.failed) {
    console.error(explain(law, details));
    process.exitCode = 1;
  } else console.log(`held in ${details.numRuns} runs (${secs} s): ${law.name}`);
}
