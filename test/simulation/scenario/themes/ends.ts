// Processes that end, and two at once.
import type { Setting } from '../../world/setting.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** L10: the process ends in the midst of everything, again and again; two at once, too. */
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
