// One trial: a small world, what people do to it, and the runs in between.
import { type Arbitrary, array, oneof, record } from 'fast-check';
import { type Act, act, anyAct, anyPlainEdit, letterToValues, someValues } from './people.ts';
import { anyCrash } from './options.ts';
import { anyRun } from './options.ts';
import { healthy } from './options.ts';
import { type Ran, run } from './run.ts';
import type { RunOptions } from './options.ts';
import { anySetting, type Setting, winningSetting } from './setting.ts';
import { addContact, addRow, createWorld, persons, type World } from './world.ts';

export type Step = { readonly act: Act } | { readonly run: RunOptions };

export interface Trial {
  readonly setting: Setting;
  readonly contacts: readonly (readonly number[])[];
  readonly rows: readonly (readonly number[])[];
  /** Both sides are equal and linked before anything happens. */
  readonly steps: readonly Step[];
}

const anyActStep = anyAct.map((each): Step => ({ act: each }));
const anyRunStep = anyRun.map((each): Step => ({ run: each }));
const healthyStep: Step = { run: healthy };

const trialOf = (setting: Arbitrary<Setting>, step: Arbitrary<Step>, startsLinked: boolean): Arbitrary<Trial> =>
  record({
    setting,
    contacts: array(someValues, { maxLength: 4 }),
    rows: array(someValues, { maxLength: 3 }),
    steps: array(step, { maxLength: 10 }),
  }).map((trial) => (startsLinked ? { ...trial, steps: [healthyStep, ...trial.steps] } : trial));

export const anyTrial = trialOf(
  anySetting,
  oneof({ weight: 3, arbitrary: anyActStep }, { weight: 1, arbitrary: anyRunStep }),
  true,
);

export const winningTrial = trialOf(
  winningSetting,
  oneof({ weight: 3, arbitrary: anyActStep }, { weight: 1, arbitrary: anyRunStep }),
  false,
);

export const crashTrial = trialOf(
  anySetting,
  oneof({ weight: 3, arbitrary: anyActStep }, { weight: 1, arbitrary: anyCrash.map((each): Step => ({ run: each })) }),
  true,
);

export const plainTrial = trialOf(
  anySetting,
  anyPlainEdit.map((each): Step => ({ act: each })),
  true,
);

/** Each contact and row that a trial starts with has keys of its own, except those that are to share one. */
export function begin(trial: Trial): World {
  const world = createWorld(trial.setting);
  const ownKeys = (letters: readonly number[], prefix: string, index: number) => {
    const values = letterToValues(letters);
    if (letters[0]! < 4) values[0] = `${prefix}${index}`;
    if (letters[1]! < 4) values[1] = `${prefix}${index}@own.io`;
    return values;
  };
  for (const [index, letters] of trial.contacts.entries()) addContact(world, ownKeys(letters, 'c', index), true);
  for (const [index, letters] of trial.rows.entries()) addRow(world, '', persons(ownKeys(letters, 'r', index)));
  return world;
}

export function play(world: World, steps: readonly Step[]): Ran | undefined {
  let last: Ran | undefined;
  for (const step of steps) {
    if ('act' in step) act(world, step.act);
    else last = run(world, step.run);
  }
  return last;
}
