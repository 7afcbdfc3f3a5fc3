// Themes about processes that end, and about two processes at once.
import { type Setting, usualDirection } from '../../world/setting.ts';
import type { Fault } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** L10: the process ends during anything, again and again; also with two at once. */
export function kills({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
  const rounds = repeat(3, 6, () => [
    ...repeat(1, 3, () => random.pick([crm, sheet])('edit', { a: part(), b: part() })),
    ...repeat(0, 1, () => random.pick([crm, sheet])('enter')),
    run(
      { both: chance(30) },
      {
        ...(chance(80) && {
          end: { at: random.integer(8, 50), how: random.pick(['kill', 'kill', 'power'] as const) },
        }),
      },
    ),
    ...repeat(0, 2, () => random.pick([crm, sheet])('edit', { a: part(), b: part() })),
    pass(1_000, 60_000),
  ]);
  return {
    setting: plainly(setting, { settleSecs: 0, limits: 'wide' }),
    steps: [...repeat(1, 3, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** G2, G4: a first run under default limits is interrupted or fails, and so are the next runs. */
export function firstRuns({ crm, sheet, pass, run, repeat, random, chance }: Draw, setting: Setting): Themed {
  const end = () => ({ at: random.integer(8, 90), how: random.pick(['kill', 'kill', 'power', 'stop'] as const) });
  const fault = (): Fault => ({
    on: 'sheet',
    target: 'write',
    effect: random.pick(['lost', 'html', 'empty', 503] as const),
    when: chance(60) ? 'before' : 'after',
    times: random.pick([1, 1, 3, 9]),
    skip: random.integer(0, 3),
  });
  const cut = () => (chance(60) ? { end: end() } : { faults: [fault()] });
  const rounds = repeat(1, 3, () => [...repeat(0, 6, () => sheet('enter')), run({}, cut()), pass(20_000, 60_000)]);
  return {
    // to_sheet columns are blank in a new row; the run that comes to it fills them.
    setting: {
      ...plainly(setting, { settleSecs: 0, limits: 'default' }),
      fields: setting.fields.map(({ field }) => ({
        field,
        direction: field === 'position' || field === 'headline' ? ('to_sheet' as const) : usualDirection(field),
      })),
      switches: chance(40) ? { normalises: ['trim'] } : {},
      isShouting: chance(30),
    },
    steps: [
      ...repeat(6, 9, () => sheet('enter')),
      ...repeat(0, 2, () => crm('enter')),
      run({ isFull: true }, cut()),
      pass(20_000),
      ...rounds.flat(),
    ],
  };
}

/** W7: two processes begin a run at the same instant. */
export function twoAtOnce({ crm, sheet, pass, run, repeat, random, chance }: Draw, setting: Setting): Themed {
  const rounds = repeat(2, 4, () => [
    ...repeat(1, 2, () => crm(random.pick(['enter', 'edit'] as const))),
    ...repeat(0, 2, () => sheet(random.pick(['enter', 'edit'] as const))),
    run({ both: true, restart: chance(50) }),
    pass(20_000, 130_000),
  ]);
  return {
    setting: plainly(setting, { settleSecs: 0, limits: 'wide' }),
    steps: [crm('enter'), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}
