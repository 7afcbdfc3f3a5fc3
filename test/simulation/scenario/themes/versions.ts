// A theme about people who restore an earlier version of the spreadsheet, by its version history.
import type { ConflictPolicy, Setting } from '../../world/setting.ts';
import { chaosAmong } from './chaos.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

const policies: readonly ConflictPolicy[] = ['manual', 'crm', 'sheet', 'newest'];

const operations = [
  'contacts.update',
  'contacts.upsert',
  'contacts.search',
  'automations.add-contact',
  'automations.cancel',
];

/** I2 to I6, D1, E5, L7: what was deleted is there again, what was entered is gone, and IDs and wishes are those of then. */
export function versions(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, random, chance } = draw;
  const hasWishes = chance(50);
  const act = () =>
    random.pick([
      () => sheet('edit'),
      () => sheet('edit'),
      () => sheet('clear'),
      () => sheet('enter'),
      () => sheet('enter'),
      () => sheet('delete row'),
      () => sheet('sort'),
      () => crm('edit'),
      () => crm('edit'),
      () => crm('enter'),
      () => crm('delete'),
      () => crm('move out'),
      ...(hasWishes ? [() => sheet('wish'), () => sheet('wish'), () => sheet('wish cleared')] : []),
    ])();
  const restore = () => sheet('restore version');
  const meddle = () => random.pick([restore, act, act, act])();
  const chaos = () => chaosAmong(draw, operations, meddle);
  const round = () => [
    ...repeat(1, 3, act),
    run({ isFull: chance(30) }, chaos()),
    pass(1_000, 60_000, 400_000),
    ...(chance(50) ? repeat(0, 2, act) : []),
    ...(chance(70) ? [restore()] : []),
    run({ isFull: chance(30) }, chaos()),
    pass(1_000, 60_000, 400_000),
    ...(chance(10) ? [{ do: 'quiet' } as const] : []),
  ];
  return {
    setting: plainly(setting, {
      settleSecs: chance(80) ? 0 : 10,
      limits: chance(80) ? 'wide' : 'default',
      conflict: random.pick(policies),
      ...(hasWishes && {
        automation: { onClear: chance(50) ? 'cancel' : 'ignore', cap: 100, isVetoed: false } as const,
      }),
    }),
    steps: [
      ...repeat(2, 5, () => random.pick([crm, sheet])('enter', { c: random.integer(0, 940) })),
      run({ isFull: true }),
      pass(60_000),
      ...repeat(2, 3, round).flat(),
    ],
  };
}
