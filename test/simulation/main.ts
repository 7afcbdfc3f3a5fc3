// npm run simulate -- --seeds N [--seed S] [--steps K] [--workers W]   stories from seed S on
//                     --seed S [--trace]                               one of them, told
//                     --case FILE [--trace]                            one that was kept
//                     --seeds N --from S --nightly [--folder F]        keeps each story that breaks a law, and goes on
//                     --plans N                                        the laws of the pure planner, so many trials
// A story that breaks a law is told with as little as possible, and kept below cases/.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Violation } from './oracle/evidence.ts';
import type { Scenario } from './scenario/scenario.ts';
import type { Shrunk } from './scenario/shrink.ts';
import type { Share, Verdict } from './worker.ts';
import { scriptOptions } from '../support/script-options.ts';

const values = scriptOptions('npm run simulate', {
  seeds: { type: 'string' },
  seed: { type: 'string' },
  from: { type: 'string' },
  nightly: { type: 'boolean', default: false },
  folder: { type: 'string', default: 'simulation-nightly' },
  steps: { type: 'string' },
  workers: { type: 'string' },
  case: { type: 'string' },
  plans: { type: 'string' },
  trace: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  until: { type: 'boolean', default: false },
});
// Loaded once the options are right: a help text does not wait for the whole program.
const { Coverage } = await import('./coverage.ts');
const { play } = await import('./play.ts');
const { reportText, unexercised } = await import('./report.ts');
const { drawScenario } = await import('./scenario/draw.ts');
const { shrink } = await import('./scenario/shrink.ts');

const stepsMax = values.steps === undefined ? undefined : Number(values.steps);
/** Shrinking takes minutes: only the first failures are shrunk. */
const shrunkMax = 3;
/** The stand-ins of a story are large; the garbage of a thousand stories slows down the next. */
const storiesPerThread = 200;
/** With fewer stories than this, chance leaves some rule out. */
const storiesForCoverage = 2_000;

if (values.plans !== undefined) await runPlans(Number(values.plans));
else if (values.case !== undefined) await tell(JSON.parse(readFileSync(values.case, 'utf8')) as Scenario);
else if (values.seeds === undefined) await tell(drawScenario(Number(values.seed ?? 1), { stepsMax }));
else await playMany(Number(values.from ?? values.seed ?? 1), Number(values.seeds));

async function tell(scenario: Scenario): Promise<void> {
  const { violations, story } = await play(scenario);
  if (values.trace) console.log(story.join('\n'));
  console.log(violations.length === 0 ? 'all laws hold' : violationsText(violations));
  if (violations.length === 0) return;
  process.exitCode = 1;
  if (values.keep) await keep(scenario, violations[0]!.law);
}

async function playMany(first: number, count: number): Promise<void> {
  const coverage = new Coverage();
  const failed = new Map<number, readonly Violation[]>();
  const workers = Number(values.workers ?? (count < 50 ? 1 : Math.min(2, availableParallelism())));
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  let simulatedMs = 0;
  let done = 0;
  /** One failure is shrunk at a time, while the other stories go on. */
  let keeping: Promise<void> = Promise.resolve();
  const stop = new AbortController();
  const take = ({ seed, violations, coverage: counts, simulatedMs: passedMs }: Verdict): void => {
    coverage.add(counts);
    simulatedMs += passedMs;
    done += 1;
    if (done % 1_000 === 0) console.log(`${done} of ${count}`);
    if (violations.length === 0) return;
    failed.set(seed, violations);
    console.log(`seed ${seed} breaks a law:\n${violationsText(violations)}`);
    if (values.until) stop.abort();
    if (values.nightly) keeping = keeping.then(() => keepInFolder(seed, violations));
  };
  await Promise.all(
    Array.from({ length: workers }, async (_, index) => {
      const seeds = Array.from({ length: count }, (_each, place) => first + place).filter(
        (seed) => seed % workers === index,
      );
      for (let at = 0; at < seeds.length && !stop.signal.aborted; at += storiesPerThread) {
        await share({ seeds: seeds.slice(at, at + storiesPerThread), stepsMax }, stop.signal, take);
      }
    }),
  );
  const { user, system } = process.cpuUsage(cpuBefore);
  await keeping;
  const secs = ((performance.now() - started) / 1000).toFixed(0);
  console.log(reportText(coverage));
  console.log(
    `${done} stories from seed ${first} in ${secs} s, ${failed.size} broke a law: ${[...failed.keys()].join(' ')}`,
  );
  console.log(speedText({ stories: done, simulatedMs, cpuSeconds: (user + system) / 1e6 }));
  for (const [seed, violations] of values.nightly ? [] : [...failed].slice(0, shrunkMax)) {
    await keep(drawScenario(seed, { stepsMax }), violations[0]!.law);
  }
  const isMissing = count >= storiesForCoverage && unexercised(coverage).length > 0;
  if (failed.size > 0 || isMissing) process.exitCode = 1;
}

function share(work: Share, signal: AbortSignal, told: (verdict: Verdict) => void): Promise<void> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: work });
  signal.addEventListener('abort', () => void worker.terminate(), { once: true });
  worker.on('message', told);
  return new Promise((resolve, reject) => {
    worker.on('error', reject);
    worker.on('exit', () => resolve());
  });
}

/** Seconds of a core: user and system time of all threads, their start among it. */
function speedText(of: {
  readonly stories: number;
  readonly simulatedMs: number;
  readonly cpuSeconds: number;
}): string {
  const minutes = Math.round(of.simulatedMs / 60_000);
  const rate = (of.simulatedMs / 60_000 / of.cpuSeconds).toFixed(0);
  const perStory = ((of.cpuSeconds * 1_000) / of.stories).toFixed(0);
  return `${minutes} simulated minutes, ${rate} a second of a core; ${perStory} ms of a core a story`;
}

/** The seed and the trace are there before the story is shrunk: a run that is interrupted loses no failure. */
async function keepInFolder(seed: number, violations: readonly Violation[]): Promise<void> {
  const folder = join(values.folder, `seed-${seed}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'laws.txt'), `npm run simulate -- --seed ${seed}\n${violationsText(violations)}\n`);
  const failing = drawScenario(seed, { stepsMax });
  writeFileSync(join(folder, 'trace.txt'), `${(await play(failing)).story.join('\n')}\n`);
  const { scenario, tries } = await shrunkOf(failing, violations[0]!.law);
  writeFileSync(join(folder, 'case.json'), `${JSON.stringify(scenario, null, 2)}\n`);
  console.log(`seed ${seed}, shrunk in ${tries} tries: npm run simulate -- --case ${folder}/case.json --trace`);
}

/** The story with as little as breaks the same law. */
function shrunkOf(failing: Scenario, law: string): Promise<Shrunk> {
  const isBroken = async (scenario: Scenario) => (await play(scenario)).violations.some((each) => each.law === law);
  return shrink(failing, isBroken);
}

/** Shrinks the story, writes it to a file, and prints it. */
async function keep(failing: Scenario, law: string): Promise<void> {
  const { scenario, tries } = await shrunkOf(failing, law);
  const file = new URL(`./cases/${law}-seed-${failing.seed}.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify(scenario, null, 2)}\n`);
  const { story, violations } = await play(scenario);
  const place = `test/simulation/cases/${law}-seed-${failing.seed}.json`;
  console.log(`\nseed ${failing.seed}, shrunk in ${tries} tries: npm run simulate -- --case ${place} --trace`);
  console.log([...story, violationsText(violations)].join('\n'));
}

function violationsText(violations: readonly Violation[]): string {
  return violations
    .slice(0, 5)
    .map(({ law, text }) => `  ${law}: ${text}`)
    .join('\n');
}

async function runPlans(count: number): Promise<void> {
  const { laws } = await import('../sync/properties/properties.ts');
  const { explain } = await import('../sync/properties/explain.ts');
  const shares = laws.reduce((sum, { share: part }) => sum + part, 0);
  const seed = Number(values.seed ?? 1);
  for (const law of laws) {
    const details = law.check({ numRuns: Math.ceil((count * law.share) / shares), seed });
    console.log(details.failed ? explain(law, details) : `held in ${details.numRuns} trials: ${law.name}`);
    if (details.failed) process.exitCode = 1;
  }
}
