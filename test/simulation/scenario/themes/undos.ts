// Themes about runs that a person takes back.
import type { Setting } from '../../world/setting.ts';
import type { Step } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** S4, S7, S8: a run is undone, perhaps after people typed again, and perhaps cut short; then it is undone again. */
export function undos({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
  const undo = (): Step => ({
    do: 'undo',
    which: part(),
    part: random.pick(['all', 'all', 'contact', 'field'] as const),
    a: part(),
    deletesCreated: chance(70),
    chaos: {
      acts: [],
      faults: [],
      ...(chance(25) && { end: { at: random.integer(8, 50), how: random.pick(['kill', 'kill', 'power'] as const) } }),
    },
  });
  // Often of the person who was entered last.
  const edit = () => random.pick([crm, sheet])('edit', { a: random.pick([0, 999, part()]), b: part() });
  const rounds = repeat(2, 4, () => [
    ...repeat(0, 2, edit),
    ...repeat(0, 2, () => random.pick([crm, sheet])('enter')),
    run({ isFull: chance(30) }),
    pass(20_000),
    ...(chance(30) ? [crm('edit', { a: 999 })] : repeat(0, 1, edit)),
    undo(),
    pass(1_000, 60_000),
    ...(chance(30) ? [undo(), pass(20_000)] : []),
    run(),
    pass(20_000),
  ]);
  return {
    setting: plainly(setting, { settleSecs: 0, limits: 'wide' }),
    steps: [...repeat(1, 3, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}
