// npm run simulate -- --seeds N [--seed S] [--steps K] [--workers W]   stories from seed S on
//                     --seed S [--trace]                               one of them, told
//                     --case FILE [--trace]                            one that was kept
//                     --seeds N --from S --nightly [--folder F]        keeps each story that breaks a law, and goes on
//                     --seeds N --guided [--mutants M]                 then M mutants of those that reach what is rare
//                     --seeds N --theme NAME,NAME               only stories with one of these themes
//                     --seeds N --whole                                no story leaves anything out, to compare
//                     --plans N                                        the laws of the pure planner, so many trials
// A story that breaks a law is told with as little as possible, and kept below cases/.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import type { Violation } from './oracle/evidence.ts';
import type { Played } from './play.ts';
import type { Scenario } from './scenario/scenario.ts';
import type { Shrunk } from './scenario/shrink.ts';
import type { Story } from './worker.ts';
import { compiledCode } from '../support/root.ts';
import { didYouMean } from '../../src/lib/nearest.ts';
import { scriptOptions, wrongUse } from '../support/script-options.ts';

const values = scriptOptions('npm run simulate', {
  seeds: { type: 'string' },
  seed: { type: 'string' },
  from: { type: 'string' },
  nightly: { type: 'boolean', default: false },
  folder: { type: 'string', default: 'simulation-nightly' },
  steps: { type: 'string' },
  theme: { type: 'string' },
  guided: { type: 'boolean', default: false },
  mutants: { type: 'string' },
  whole: { type: 'boolean', default: false },
  workers: { type: 'string' },
  case: { type: 'string' },
  plans: { type: 'string' },
  trace: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  until: { type: 'boolean', default: false },
});
// The threads inherit the variable. Node keeps what it compiled, which halves the loading of a thread.
process.env['NODE_COMPILE_CACHE'] ??= compiledCode;
enableCompileCache(process.env['NODE_COMPILE_CACHE']);
// Loaded once the options are right: a help text does not wait for the whole program.
const { Coverage } = await import('./coverage.ts');
const { createGuide, guideText } = await import('./guided.ts');
const { playAll } = await import('./many.ts');
const { reportText, unexercised } = await import('./report.ts');
const { drawScenario, themeOf } = await import('./scenario/draw.ts');
const { shrink } = await import('./scenario/shrink.ts');
const { themes, themesApart, themesBeside } = await import('./scenario/themes/themes.ts');

const options = { stepsMax: values.steps === undefined ? undefined : Number(values.steps), isWhole: values.whole };
/** Shrinking takes minutes: only the first failures are shrunk. */
const shrunkMax = 3;
/** So many mutants are made of what the stories before them reached. */
const mutantsPerRound = 200;
/** With fewer stories than this, chance leaves some rule out. */
const storiesForCoverage = 2_000;

if (values.plans !== undefined) await runPlans(Number(values.plans));
else if (values.case !== undefined) await tell(JSON.parse(readFileSync(values.case, 'utf8')) as Scenario);
else if (values.seeds === undefined) await tell(drawScenario(Number(values.seed ?? 1), options));
else await playMany(Number(values.from ?? values.seed ?? 1), Number(values.seeds));

/** The threads load the whole program. This one needs it only for a story that it plays itself. */
async function play(scenario: Scenario): Promise<Played> {
  const { play: playHere } = await import('./play.ts');
  return playHere(scenario);
}

async function tell(scenario: Scenario): Promise<void> {
  const { violations, story } = await play(scenario);
  if (values.trace) console.log(story.join('\n'));
  console.log(violations.length === 0 ? 'all laws hold' : violationsText(violations));
  if (violations.length === 0) return;
  process.exitCode = 1;
  if (values.keep) await keep(scenario, violations[0]!.law, `seed-${scenario.seed}`);
}

async function playMany(first: number, count: number): Promise<void> {
  const coverage = new Coverage();
  const guide = values.guided ? createGuide(first) : undefined;
  const failed: Failed[] = [];
  const workers = values.workers === undefined ? undefined : Number(values.workers);
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  let simulatedMs = 0;
  let done = 0;
  /** One failure is shrunk at a time, while the other stories go on. */
  let keeping: Promise<void> = Promise.resolve();
  const stop = new AbortController();

  /** `nameOf`: by the place of a story. */
  async function playPass(stories: readonly Story[], nameOf: (place: number) => string): Promise<void> {
    const reached = new Map<number, InstanceType<typeof Coverage>>();
    const { signal } = stop;
    await playAll(stories, { draw: options, workers, signal }, (verdict, story, place) => {
      coverage.add(verdict.coverage);
      simulatedMs += verdict.simulatedMs;
      done += 1;
      if (done % 1_000 === 0) console.log(`${done} stories`);
      if (guide) {
        const own = new Coverage();
        own.add(verdict.coverage);
        reached.set(place, own);
      }
      const { violations } = verdict;
      if (violations.length === 0) return;
      const failure = { name: nameOf(place), story, violations };
      failed.push(failure);
      console.log(`${failure.name} breaks a law:\n${violationsText(violations)}`);
      if (values.until) stop.abort();
      if (values.nightly) keeping = keeping.then(() => keepInFolder(failure));
    });
    // In the order of the stories, not of the threads: the same seeds lead to the same mutants.
    for (const [place, story] of stories.entries()) {
      const own = reached.get(place);
      if (own) guide?.take(scenarioOf(story), own, typeof story !== 'number');
    }
  }

  const seeds = seedsFrom(first, count, themesOf(values.theme));
  await playPass(seeds, (place) => `seed ${seeds[place]}`);
  const mutantsMax = guide ? Number(values.mutants ?? count) : 0;
  for (let at = 0; at < mutantsMax && !stop.signal.aborted;) {
    const mutants = guide!.mutants(Math.min(mutantsPerRound, mutantsMax - at));
    if (mutants.length === 0) break;
    const begin = at;
    await playPass(mutants, (place) => `mutant ${first}-${begin + place}`);
    at += mutants.length;
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  await keeping;
  const secs = ((performance.now() - started) / 1000).toFixed(0);
  console.log(reportText(coverage));
  if (guide) console.log(guideText(guide));
  console.log(
    `${done} stories from seed ${first} in ${secs} s, ${failed.length} broke a law: ${failed.map(({ name }) => name).join(', ')}`,
  );
  console.log(speedText({ stories: done, simulatedMs, cpuSeconds: (user + system) / 1e6 }));
  for (const failure of values.nightly ? [] : failed.slice(0, shrunkMax)) {
    await keep(scenarioOf(failure.story), failure.violations[0]!.law, fileNameOf(failure));
  }
  const isMissing = count >= storiesForCoverage && values.theme === undefined && unexercised(coverage).length > 0;
  if (failed.length > 0 || isMissing) process.exitCode = 1;
}

/** The names of themes that are asked for; undefined: every story. Ends the process if there is no such theme. */
function themesOf(text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined;
  const known = [...themes, ...themesBeside, ...themesApart].map(({ name }) => name);
  const names = text.split(',');
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return new Set(names);
  const hint = didYouMean(unknown, known) || `; there are ${[...new Set(known)].join(', ')}`;
  console.error(`npm run simulate: there is no theme ${unknown}${hint}`);
  process.exit(wrongUse);
}

/** So many seeds from this one on, of stories with one of these themes. */
function seedsFrom(first: number, count: number, wanted: ReadonlySet<string> | undefined): readonly number[] {
  const seeds: number[] = [];
  for (let seed = first; seeds.length < count; seed += 1) {
    if (!wanted || wanted.has(themeOf(seed)?.name ?? '')) seeds.push(seed);
  }
  return seeds;
}

interface Failed {
  /** `seed 12`, or `mutant 1-7`: the seventh of those from seed 1 on. */
  readonly name: string;
  readonly story: Story;
  readonly violations: readonly Violation[];
}

function scenarioOf(story: Story): Scenario {
  return typeof story === 'number' ? drawScenario(story, options) : story;
}

function fileNameOf({ name }: Failed): string {
  return name.replace(' ', '-');
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

/** The story and its trace are there before it is shrunk: a run that is interrupted loses no failure. */
async function keepInFolder(failure: Failed): Promise<void> {
  const { name, story, violations } = failure;
  const folder = join(values.folder, fileNameOf(failure));
  mkdirSync(folder, { recursive: true });
  const failing = scenarioOf(story);
  const again = `npm run simulate -- ${typeof story === 'number' ? `--seed ${story}` : `--case ${folder}/case.json`}`;
  writeFileSync(join(folder, 'laws.txt'), `${again}\n${violationsText(violations)}\n`);
  writeFileSync(join(folder, 'case.json'), `${JSON.stringify(failing, null, 2)}\n`);
  writeFileSync(join(folder, 'trace.txt'), `${(await play(failing)).story.join('\n')}\n`);
  const { scenario, tries } = await shrunkOf(failing, violations[0]!.law);
  writeFileSync(join(folder, 'case.json'), `${JSON.stringify(scenario, null, 2)}\n`);
  console.log(`${name}, shrunk in ${tries} tries: npm run simulate -- --case ${folder}/case.json --trace`);
}

/** The story with as little as breaks the same law. */
function shrunkOf(failing: Scenario, law: string): Promise<Shrunk> {
  const isBroken = async (scenario: Scenario) => (await play(scenario)).violations.some((each) => each.law === law);
  return shrink(failing, isBroken);
}

/** Shrinks the story, writes it to a file, and prints it. */
async function keep(failing: Scenario, law: string, name: string): Promise<void> {
  const { scenario, tries } = await shrunkOf(failing, law);
  const place = `test/simulation/cases/${law}-${name}.json`;
  writeFileSync(new URL(`../../${place}`, import.meta.url), `${JSON.stringify(scenario, null, 2)}\n`);
  const { story, violations } = await play(scenario);
  console.log(`\n${name}, shrunk in ${tries} tries: npm run simulate -- --case ${place} --trace`);
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
