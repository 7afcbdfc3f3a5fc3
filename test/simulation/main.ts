// `npm run simulate -- --seeds N [--seed S] [--steps K] [--trace]`: stories from S on, or one of them, told.
import { parseArgs } from 'node:util';
import { Coverage } from './coverage.ts';
import { play } from './play.ts';
import { drawScenario } from './scenario/draw.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    steps: { type: 'string' },
    trace: { type: 'boolean' },
  },
});
const first = Number(values.seed ?? 1);
const seeds = Number(values.seeds ?? 1);
const stepsMax = values.steps === undefined ? undefined : Number(values.steps);
const coverage = new Coverage();
const failed: number[] = [];
const byLaw = new Map<string, number[]>();
const cpu = process.cpuUsage();
for (let seed = first; seed < first + seeds; seed += 1) {
  const played = await play(drawScenario(seed, { stepsMax }));
  coverage.add(played.coverage.toJson());
  if (values.trace) console.log(played.story.join('\n'));
  if (played.violations.length === 0) continue;
  failed.push(seed);
  for (const law of new Set(played.violations.map((each) => each.law)))
    byLaw.set(law, [...(byLaw.get(law) ?? []), seed]);
  console.log(`seed ${seed}:`);
  for (const { law, text } of played.violations.slice(0, 4)) console.log(`  ${law}: ${text}`);
}
const used = process.cpuUsage(cpu);
console.log(
  `${seeds} seeds, ${failed.length} failed, ${((used.user + used.system) / 1000 / seeds).toFixed(0)} ms of CPU each`,
);
for (const [law, of] of byLaw) console.log(`${law}: ${of.length} ${of.slice(0, 12).join(' ')}`);
if (failed.length > 0) process.exitCode = 1;
