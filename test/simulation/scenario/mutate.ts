// Makes another story from one that reached something rare: steps dropped, repeated or taken from a neighbour, other faults.
import type { Random } from '../../../src/standin/service/random.ts';
import { drawFault } from './draw-chaos.ts';
import type { Chaos, Scenario, Step } from './scenario.ts';
import type { Setting } from '../world/setting.ts';
import { everything } from './swarm.ts';

/** `neighbour`: gives some of its steps. */
export function mutate(story: Scenario, neighbour: Scenario, random: Random): Scenario {
  let { steps } = story;
  const times = random.integer(1, 3);
  for (let time = 0; time < times; time += 1) steps = random.pick(changes)({ steps, neighbour, random });
  return {
    ...story,
    steps: steps
      .filter((step) => fits(step, story.setting))
      .map(judgedWhole)
      .slice(0, stepsMax),
  };
}

/** Longer stories cost more than they find. */
const stepsMax = 60;

interface Changing {
  readonly steps: readonly Step[];
  readonly neighbour: Scenario;
  readonly random: Random;
}

type Change = (of: Changing) => readonly Step[];

const drop: Change = ({ steps, random }) => {
  const [at, count] = sliceOf(steps, random);
  return steps.toSpliced(at, count);
};

const repeat: Change = ({ steps, random }) => {
  const [at, count] = sliceOf(steps, random);
  return steps.toSpliced(random.integer(at, steps.length), 0, ...steps.slice(at, at + count));
};

const insert: Change = ({ steps, neighbour, random }) => {
  const [at, count] = sliceOf(neighbour.steps, random);
  return steps.toSpliced(random.integer(0, steps.length), 0, ...neighbour.steps.slice(at, at + count));
};

const otherFault: Change = (of) =>
  inChaos(of, (chaos) => ({ ...chaos, faults: [drawFault(of.random, everything), ...chaos.faults.slice(1)] }));

const otherEnd: Change = (of) =>
  inChaos(of, ({ end, ...chaos }) => {
    const { random } = of;
    if (end && random.integer(0, 1) === 0) return chaos;
    const how = random.pick(['kill', 'kill', 'power', 'stop'] as const);
    return { ...chaos, end: { at: random.integer(1, 130), how } };
  });

const changes: readonly Change[] = [drop, repeat, repeat, insert, insert, otherFault, otherEnd];

/** One to four steps: where, and how many. */
function sliceOf(steps: readonly Step[], random: Random): readonly [number, number] {
  return [random.integer(0, Math.max(0, steps.length - 1)), random.integer(1, 4)];
}

/** Changes what happens during one of the runs. */
function inChaos({ steps, random }: Changing, change: (chaos: Chaos) => Chaos): readonly Step[] {
  const places = steps.flatMap((step, place) => ('chaos' in step ? [place] : []));
  if (places.length === 0) return steps;
  const chosen = random.pick(places);
  return steps.map((step, place) =>
    place === chosen && 'chaos' in step ? { ...step, chaos: change(step.chaos) } : step,
  );
}

/**
 * Workers over a database have no files, and others are no workers. With further syncs a daemon runs all of them at once: which of
 * them learnt what cannot be told.
 */
function fits(step: Step, { isFleet, mirrors }: Setting): boolean {
  if (mirrors !== undefined && (step.do === 'daemon' || step.do === 'pauses')) return false;
  return isFleet ? ['act', 'pass', 'run', 'workers', 'drive'].includes(step.do) : step.do !== 'workers';
}

/** A story may be judged without a full scan only while no record is gone, which a mutant does not know. */
function judgedWhole(step: Step): Step {
  return step.do === 'quiet' ? { do: 'quiet' } : step;
}
