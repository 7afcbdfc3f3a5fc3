// `npm run properties [-- --runs N] [--seed N] [--law TEXT] [--path P]`: plays many trials of each law, or one again.
// `--plans N` is the same as `--runs N`: each trial makes at least one plan.
import { scriptOptions } from '../../support/script-options.ts';

const values = scriptOptions('npm run properties', {
  runs: { type: 'string' },
  plans: { type: 'string' },
  seed: { type: 'string' },
  law: { type: 'string' },
  path: { type: 'string' },
});
// Loaded once the options are right: a help text does not wait for the laws.
const { playLaws } = await import('./play.ts');

const runs = Number(values.runs ?? values.plans ?? 200_000);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
console.log(`${runs} runs, seed ${seed}`);
const started = performance.now();
const { law, path } = values;
for (const played of playLaws({ runs, seed, ...(law !== undefined && { law }), ...(path !== undefined && { path }) })) {
  if (played.broken === undefined) {
    console.log(`held in ${played.runs} runs (${played.seconds.toFixed(1)} s): ${played.law}`);
  } else {
    console.error(played.broken);
    process.exitCode = 1;
  }
}
console.log(
  `${process.exitCode === 1 ? 'not all hold' : 'all hold'}; ${Math.round((performance.now() - started) / 1000)} s`,
);
