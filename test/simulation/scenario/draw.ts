// Turns a seed into a story.
import { createRandom, type Random } from '../../../src/standin/service/random.ts';
import { actStep, drawAct, drawAnyAct, type Drawing, type Mood, repeat } from './draw-acts.ts';
import { drawChaos } from './draw-chaos.ts';
import { drawRemap } from './draw-remap.ts';
import { drawHealing } from './draw-healing.ts';
import { drawSetting, withOddService, withRareOptions, withSegment, withShownChanges } from './draw-setting.ts';
import { type Chaos, feedActs, type Scenario, type Step } from './scenario.ts';
import { createSwarm, everything } from './swarm.ts';
import { createDraw, type Theme } from './themes/draw.ts';
import { driveStep } from './themes/hints.ts';
import { themes, themesApart, themesBeside } from './themes/themes.ts';

export interface DrawOptions {
  readonly stepsMax?: number | undefined;
  /** No story leaves anything out, to compare. */
  readonly isWhole?: boolean | undefined;
}

const stepsMaxDefault = 7;

/** Every third story has a theme; the themes take turns. */
const themeEvery = 3;

/** Every ninth story is about a job beside the sync: none of those with another theme, which leave two of three. */
const besideEvery = 9;
const besideAt = 4;

/** Every twenty-seventh, the same. */
const apartEvery = 27;
const apartAt = 25;

export function drawScenario(seed: number, options: DrawOptions = {}): Scenario {
  return withHealing(drawPlain(seed, options));
}

/** Every so many stories ends with calls that fail for good, of which half heal. */
const healingEvery = 8;

/** With chance of its own, as hints. A fleet is judged by its own theme. */
function withHealing(story: Scenario): Scenario {
  if (story.seed % healingEvery !== 1 || story.setting.isFleet || story.steps.at(-1)?.do === 'heal') return story;
  return { ...story, steps: [...story.steps, drawHealing(createRandom(story.seed + 2), story.setting)] };
}

/** Undefined: the story is about nothing in particular, and leaves things out. */
export function themeOf(seed: number): Theme | undefined {
  if (seed % themeEvery === themeEvery - 1) return themes[Math.floor(seed / themeEvery) % themes.length];
  if (seed % besideEvery === besideAt) return themesBeside[Math.floor(seed / besideEvery) % themesBeside.length];
  if (seed % apartEvery === apartAt) return themesApart[Math.floor(seed / apartEvery) % themesApart.length];
  return undefined;
}

function drawPlain(seed: number, { stepsMax = stepsMaxDefault, isWhole = false }: DrawOptions): Scenario {
  const random = createRandom(seed);
  const chance = (percent: number) => random.integer(1, 100) <= percent;
  const drawn = drawSetting(random, chance);
  const theme = themeOf(seed);
  if (theme) return { seed, ...theme(createDraw(random), withShownChanges(withSegment(drawn, seed), seed)) };
  const swarm = isWhole ? everything : createSwarm(seed);
  const ofService = isWhole ? drawn : withOddService(drawn, random, swarm);
  const setting = withRareOptions(withShownChanges(withSegment(ofService, seed), seed), seed);
  const mood: Mood = {
    isBusy: chance(60),
    isFailing: chance(60),
    isDeadly: chance(55),
    hasAutomation: setting.automation !== undefined,
  };
  const begin: Step[] = [
    ...repeat(random.integer(0, chance(25) ? 8 : 4), () => actStep({ ...drawAct(random), side: 'crm', what: 'enter' })),
    ...repeat(random.integer(0, 3), () => actStep({ ...drawAct(random), side: 'sheet', what: 'enter' })),
    ...repeat(random.integer(0, 2), () => actStep({ ...drawAct(random), side: 'sheet', what: 'enter known' })),
    ...(chance(10) ? [actStep({ ...drawAct(random), side: 'crm', what: 'duplicate' })] : []),
  ];
  const steps = repeat(random.integer(2, stepsMax), () => drawSteps({ random, chance, mood, swarm })).flat();
  return withHints(withFeed({ seed, setting, steps: [...begin, ...steps] }));
}

/** Every so many stories without a theme has a feed. */
const feedEvery = 14;

/** With chance of its own, as hints: a run after each of the sync, and people who change lists and type over the feed. */
function withFeed(story: Scenario): Scenario {
  if (story.seed % feedEvery !== 0) return story;
  const random = createRandom(story.seed + 3);
  const act = (): Step => {
    const what = random.pick(feedActs);
    return actStep({ ...drawAct(random), side: what.includes('list') ? 'crm' : 'sheet', what });
  };
  const steps = story.steps.flatMap((step) => [...repeat(random.integer(0, 1), act), step]);
  return { ...story, setting: { ...story.setting, hasFeed: true }, steps };
}

/** Every so many stories without a theme has hints. */
const hintsEvery = 5;

/** With chance of its own, so that the rest of the story is the same as without hints. */
function withHints(story: Scenario): Scenario {
  if (story.seed % hintsEvery !== hintsEvery - 1 || story.setting.hasFeed) return story;
  const random = createRandom(story.seed + 1);
  const steps = story.steps.flatMap((step): Step[] => {
    if (step.do !== 'run' && step.do !== 'daemon') return [step];
    const before = random.integer(1, 100) <= 40 ? [driveStep({ random })] : [];
    if (step.do === 'daemon') return [...before, step];
    // Only a run of the schedule may do without a look, and only after one that had nothing to do.
    const tick: Step = { ...step, isFull: false, isAsked: false, restart: false, both: false, chaos: calm };
    return [...before, step, ...repeat(random.integer(0, 3), () => tick)];
  });
  return { ...story, setting: { ...story.setting, hints: random.pick(['version', 'changes'] as const) }, steps };
}

const calm: Chaos = { acts: [], faults: [] };

function drawSteps(drawing: Drawing): Step[] {
  const { random, chance, swarm } = drawing;
  if (swarm.has('event', 'tug of war') && chance(3)) return drawTugOfWar(random);
  const acts = repeat(random.integer(0, 5), () => actStep(drawAnyAct(drawing)));
  return [...acts, drawEvent(drawing), { do: 'pass', ms: random.pick([1_000, 20_000, 120_000, 900_000]) }];
}

/** A person types, and a program in the service turns it back each time; and the other way round. */
function drawTugOfWar(random: Random): Step[] {
  const calmly = { isFull: false, isAsked: true, restart: false, both: false, chaos: { acts: [], faults: [] } };
  const run: Step = { do: 'run', ...calmly };
  const typed = actStep({ ...drawAct(random), side: 'sheet', what: 'edit' });
  const turnBack = (side: 'crm' | 'sheet') => actStep({ ...drawAct(random), side, what: 'turn back' });
  const pass: Step = { do: 'pass', ms: 120_000 };
  const round = [turnBack('crm'), run, pass, turnBack('sheet'), run, pass];
  return [run, pass, typed, run, pass, ...round, ...round];
}

/** Of a hundred events of a story that has all of them; the rest are runs. */
const events = {
  'set clock': 3,
  'back up': 6,
  'lose state': 2,
  damage: 2,
  map: 4,
  resolve: 2,
  approve: 2,
  retry: 2,
  quiet: 5,
  undo: 4,
  daemon: 6,
} as const;
type EventName = keyof typeof events;

function drawEvent(drawing: Drawing): Step {
  const { random, chance, swarm } = drawing;
  const names = swarm.kept('event', Object.keys(events) as EventName[]);
  const pool = names.flatMap((name) => Array.from({ length: events[name] * swarm.times }, () => name));
  const place = random.integer(0, 99);
  const name = pool[place];
  if (name !== undefined) return drawOf(name, drawing);
  const chaos = drawChaos(drawing);
  return { do: 'run', isFull: chance(35), isAsked: chance(60), restart: chance(20), both: chance(12), chaos };
}

function drawOf(name: EventName, drawing: Drawing): Step {
  const { random, chance } = drawing;
  switch (name) {
    case 'set clock':
      return { do: 'set clock', byMs: random.pick([-3_600_000, -90_000, 90_000, 3_600_000, 86_400_000]) };
    case 'back up':
      return random.pick([{ do: 'back up' }, { do: 'restore' }] as const);
    case 'lose state':
    case 'quiet':
      return { do: name };
    case 'damage':
      return { do: 'damage', a: random.integer(0, 999), b: random.integer(0, 999) };
    case 'map':
      return { do: 'map', ...drawRemap(random) };
    case 'resolve':
    case 'approve':
    case 'retry':
      return { do: 'decide', what: name, a: random.integer(0, 999) };
    case 'undo':
      return drawUndo(drawing);
    case 'daemon':
      return {
        do: 'daemon',
        ms: random.pick([30_000, 90_000, 240_000]),
        both: chance(25),
        ...(drawing.swarm.has('event', 'reload') && chance(15 * drawing.swarm.times) && { reload: drawRemap(random) }),
        chaos: drawChaos(drawing),
      };
  }
}

function drawUndo(drawing: Drawing): Step {
  const { random, chance } = drawing;
  const part = random.pick(['all', 'all', 'all', 'contact', 'field'] as const);
  const [which, a] = [random.integer(0, 999), random.integer(0, 999)];
  return { do: 'undo', which, part, a, deletesCreated: chance(50), chaos: drawChaos(drawing) };
}
