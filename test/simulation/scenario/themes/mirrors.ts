// Themes about several syncs in one process.
import type { Setting } from '../../world/setting.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** W17: syncs of one list share searches for changes; runs of them begin at any moment of each other. */
export function mirrors(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, random, chance, meanwhile } = draw;
  const count = random.pick([2, 3, 3] as const);
  // Some are left out of a run, so that they ask from an earlier instant than others.
  const offsets = () => Array.from({ length: count }, () => random.pick([-1, -1, 0, 500, 1_000, 2_000, 4_000]));
  const edit = () => random.pick([crm, crm, sheet])(random.pick(['edit', 'edit', 'edit', 'enter', 'clear'] as const));
  const rounds = repeat(2, 4, () => [
    ...repeat(0, 2, edit),
    // Longer than the time by which scans overlap.
    ...(chance(60) ? [pass(900_000)] : []),
    run(
      { isFull: chance(10), ...(chance(85) && { mirrors: offsets() }) },
      {
        ...(chance(60) && { acts: meanwhile(1, 3, () => crm('edit')) }),
        ...(chance(15) && { end: { at: random.integer(8, 90), how: random.pick(['kill', 'power'] as const) } }),
      },
    ),
    pass(1_000, 20_000, 900_000),
  ]);
  return {
    setting: plainly(setting, {
      mirrors: count,
      settleSecs: 0,
      limits: 'wide',
      ...(chance(75) && { searchMs: 5_000 }),
    }),
    steps: [
      ...repeat(2, 4, () => crm('enter')),
      run({ isFull: true, mirrors: offsets() }),
      pass(20_000),
      ...rounds.flat(),
      { do: 'quiet', isFull: false },
    ],
  };
}
