// The laws as properties: what each plays, and what must hold. `share` is its part of the trials.
import { type Arbitrary, array, check, type Parameters, property, type RunDetails, tuple } from 'fast-check';
import { settleDown } from './laws.ts';
import { anyRun } from './options.ts';
import { anyPlainEdit } from './people.ts';
import { anyFreePlan, anyShuffle, symmetricFreePlan } from './records.ts';
import { readBoth } from './run.ts';
import { judgeByTable, judgeFrozen, judgeIncremental, judgeMirror, judgeOrder, judgeRepeatable } from './single.ts';
import { anyTrial, begin, crashTrial, plainTrial, play, type Trial, winningTrial } from './trial.ts';
import { judgeUndo } from './undo.ts';
import type { World } from './world.ts';

export interface Law {
  readonly name: string;
  readonly share: number;
  readonly check: (parameters: Parameters<[never]>) => RunDetails<[never]>;
}

const lawOf = <Input>(name: string, share: number, inputs: Arbitrary<Input>, hold: (input: Input) => unknown): Law => ({
  name,
  share,
  check: (parameters) =>
    check(
      property(inputs, (input) => {
        hold(input);
      }),
      parameters as unknown as Parameters<[Input]>,
    ) as unknown as RunDetails<[never]>,
});

function judge(world: World): void {
  if (world.violations.length === 0) return;
  throw new Error([...new Set(world.violations), '', ...world.story].join('\n'));
}

function playAndSettle(trial: Trial): World {
  const world = begin(trial);
  play(world, trial.steps);
  settleDown(world);
  judge(world);
  return world;
}

const edits = array(anyPlainEdit, { maxLength: 5 });

const settled = (trial: Trial): World => {
  const world = begin({ ...trial, setting: { ...trial.setting, habit: 'keeps' } });
  play(world, trial.steps);
  return world;
};

export const laws: readonly Law[] = [
  lawOf(
    'with a winning policy two quiet runs make both sides equal, and a third has nothing to do',
    3,
    winningTrial,
    playAndSettle,
  ),
  lawOf(
    'with any policy every field that is not reported converges, and no value is lost or invented',
    4,
    anyTrial,
    playAndSettle,
  ),
  lawOf('a crash between any two writes heals', 2, crashTrial, playAndSettle),
  lawOf('each field becomes what the table says, whatever the other fields become', 2, anyFreePlan, judgeByTable),
  lawOf('a conflict freezes its own field and nothing else', 1, anyFreePlan, judgeFrozen),
  lawOf('mirrored sides mirror the plan', 1, symmetricFreePlan, judgeMirror),
  lawOf(
    'neither the order of contacts, links and rows nor a contact that is seen twice changes the plan',
    1,
    tuple(anyTrial, anyRun, anyShuffle),
    ([trial, options, shuffle]) => judgeOrder(readBoth(settled(trial), options), shuffle),
  ),
  lawOf('the same input gives the same plan, and is not changed', 1, tuple(anyTrial, anyRun), ([trial, options]) =>
    judgeRepeatable(readBoth(settled(trial), options)),
  ),
  lawOf('an incremental reading and a whole one give the same plan', 1, tuple(plainTrial, edits), ([trial, acts]) =>
    judgeIncremental(settled(trial), acts),
  ),
  lawOf(
    'undo puts back what a run wrote, except what changed since',
    1,
    tuple(plainTrial, edits, edits),
    ([trial, acts, since]) => {
      const world = settled(trial);
      judgeUndo(world, acts, since);
      judge(world);
    },
  ),
];
