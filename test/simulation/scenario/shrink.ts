// Shrinks a story that breaks a law: fewer steps, people and faults, and a plainer service.
import { usualDirection } from '../world/setting.ts';
import type { Chaos, Scenario, Step } from './scenario.ts';

export interface Shrunk {
  readonly scenario: Scenario;
  /** How many smaller stories were played. */
  readonly tries: number;
}

/** A story takes up to a second; more tries take too long. */
const triesMax = 400;

/** `isBroken` plays a story and returns whether it still breaks the same law. */
export async function shrink(failing: Scenario, isBroken: (scenario: Scenario) => Promise<boolean>): Promise<Shrunk> {
  let scenario = failing;
  let tries = 0;
  for (let hasShrunk = true; hasShrunk;) {
    hasShrunk = false;
    for (const smaller of candidates(() => scenario)) {
      if (tries >= triesMax) return { scenario, tries };
      tries += 1;
      if (!(await isBroken(smaller))) continue;
      scenario = smaller;
      hasShrunk = true;
    }
  }
  return { scenario, tries };
}

/** Each candidate is made from the current scenario. */
function* candidates(current: () => Scenario): Generator<Scenario> {
  for (let size = Math.ceil(current().steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = current().steps.length - size; start >= 0; start -= size) {
      const { steps } = current();
      if (start < steps.length) yield { ...current(), steps: [...steps.slice(0, start), ...steps.slice(start + size)] };
    }
  }
  for (let index = current().steps.length - 1; index >= 0; index -= 1) {
    for (const change of simplerSteps) {
      const step = current().steps[index];
      const simpler = step && change(step);
      if (!simpler) continue;
      yield { ...current(), steps: current().steps.map((each, place) => (place === index ? simpler : each)) };
    }
  }
  for (const change of simplerSettings) {
    const { setting } = current();
    const simpler = { ...setting, ...change };
    if (JSON.stringify(simpler) !== JSON.stringify(setting)) yield { ...current(), setting: simpler };
  }
  for (const name of Object.keys(current().setting.switches)) {
    const { setting } = current();
    const switches = Object.fromEntries(Object.entries(setting.switches).filter(([each]) => each !== name));
    yield { ...current(), setting: { ...setting, switches } };
  }
  const { automation: _automation, ...withoutAutomation } = current().setting;
  if (_automation) yield { ...current(), setting: withoutAutomation };
  for (const { field, direction, ...policies } of current().setting.fields) {
    if (Object.keys(policies).length === 0 && direction === usualDirection(field)) continue;
    const { setting } = current();
    const fields = setting.fields.map((each) =>
      each.field === field ? { field, direction: usualDirection(field) } : each,
    );
    yield { ...current(), setting: { ...setting, fields } };
  }
}

const simplerSettings: readonly Partial<Scenario['setting']>[] = [
  { hasStatus: false },
  { hasDates: false },
  { isShouting: false },
  { moveToList: false },
  { isListMissing: false },
  { filter: undefined },
  { matchesNames: undefined },
  { showsChanges: undefined },
  { limits: 'wide' },
  { settleSecs: 0 },
  { blank: 'sync' },
  { onRowDeleted: 'ignore' },
  { onContactDeleted: 'mark' },
];

type Simplify = (step: Step) => Step | undefined;

const inChaos =
  (change: (chaos: Chaos) => Chaos | undefined): Simplify =>
  (step) => {
    const chaos = 'chaos' in step ? change(step.chaos) : undefined;
    return chaos && ({ ...step, chaos } as Step);
  };

const simplerSteps: readonly Simplify[] = [
  (step) => ('both' in step && step.both ? { ...step, both: false } : undefined),
  (step) => (step.do === 'run' && step.restart ? { ...step, restart: false } : undefined),
  (step) => (step.do === 'run' && !step.isAsked ? { ...step, isAsked: true } : undefined),
  (step) => (step.do === 'pass' && step.ms > 1_000 ? { ...step, ms: 1_000 } : undefined),
  inChaos((chaos) => (chaos.faults.length > 0 ? { ...chaos, faults: chaos.faults.slice(1) } : undefined)),
  inChaos((chaos) => (chaos.faults.length > 0 ? { ...chaos, faults: chaos.faults.slice(0, -1) } : undefined)),
  inChaos((chaos) => (chaos.acts.length > 0 ? { ...chaos, acts: chaos.acts.slice(1) } : undefined)),
  inChaos((chaos) => (chaos.acts.length > 0 ? { ...chaos, acts: chaos.acts.slice(0, -1) } : undefined)),
  (step) => (step.do === 'heal' && step.broken.length > 0 ? { ...step, broken: step.broken.slice(1) } : undefined),
  (step) => (step.do === 'heal' && step.broken.length > 0 ? { ...step, broken: step.broken.slice(0, -1) } : undefined),
  (step) => (step.do === 'heal' && step.acts.length > 0 ? { ...step, acts: step.acts.slice(1) } : undefined),
  (step) => (step.do === 'heal' && step.acts.length > 0 ? { ...step, acts: step.acts.slice(0, -1) } : undefined),
  (step) => (step.do === 'heal' && step.restart ? { ...step, restart: false } : undefined),
  inChaos(({ reads, ...rest }) => reads && rest),
  inChaos((chaos) => (chaos.reads?.length ? { ...chaos, reads: chaos.reads.slice(1) } : undefined)),
  inChaos(({ end, ...rest }) => end && rest),
  inChaos(({ disk, ...rest }) => disk && rest),
  inChaos(({ diskFullAt, ...rest }) => (diskFullAt === undefined ? undefined : rest)),
];
