// Themes about several syncs in one process.
import type { Setting } from '../../world/setting.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** W17: syncs of one list share searches for changes; runs of them begin at any instant of each other. */
export function mirrors(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, random, chance, meanwhile } = draw;
  const count = random.pick([1, 2, 2, 3] as const);
  const at = () => Array.from({ length: count }, () => (chance(40) ? 0 : random.integer(1, 30)));
  const edit = () => random.pick([crm, crm, sheet])(random.pick(['edit', 'edit', 'edit', 'enter', 'clear'] as const));
  const rounds = repeat(3, 6, () => [
    ...repeat(0, 2, edit),
    // Some rounds leave syncs out, so that they ask from an earlier instant than others.
    run(
      { isFull: chance(10), ...(chance(75) && { mirrors: at() }) },
      {
        ...(chance(60) && { acts: meanwhile(1, 3, () => crm('edit')) }),
        ...(chance(15) && { end: { at: random.integer(8, 90), how: random.pick(['kill', 'power'] as const) } }),
      },
    ),
    pass(1_000, 20_000, 300_000, 900_000),
  ]);
  return {
    setting: plainly(setting, { mirrors: count, settleSecs: 0, limits: 'wide' }),
    steps: [
      ...repeat(2, 4, () => crm('enter')),
      run({ isFull: true, mirrors: at().map(() => 0) }),
      pass(20_000),
      ...rounds.flat(),
      { do: 'quiet', isFull: false },
    ],
  };
}
