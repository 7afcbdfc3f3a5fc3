// A theme about what one wrong click does to a whole column: it is sorted or emptied alone, or its cells move up.
import type { ConflictPolicy, Setting } from '../../world/setting.ts';
import type { Step } from '../scenario.ts';
import { chaosAmong } from './chaos.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

const policies: readonly ConflictPolicy[] = ['manual', 'crm', 'sheet', 'newest'];

const operations = ['contacts.update', 'contacts.update', 'contacts.search', 'automations.cancel'];

const mistakes = [
  'sort column',
  'sort column',
  'shift column',
  'shift column',
  'empty column',
  'paste list',
  'paste list',
] as const;

/** Acts choose a column by a share of a thousand; that of the wishes is the last one. */
const columnOfWishes = 999;

/** G1, G2, E1, E5: with default limits, and more people than two who swap what they have. */
export function columns(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, random, chance } = draw;
  const isOfWishes = chance(45);
  /** Every other one of many is in one automation: enough of their wishes move at once. */
  const isOfMany = isOfWishes && chance(50);
  const mistake = () =>
    isOfMany && chance(60)
      ? sheet(random.pick(['sort column', 'shift column'] as const), { b: columnOfWishes })
      : sheet(random.pick(mistakes));
  const typed = () =>
    random.pick([
      () => sheet('edit'),
      () => sheet('clear'),
      () => sheet('enter'),
      () => sheet('delete row'),
      () => sheet('sort'),
      () => crm('edit'),
      () => crm('edit'),
      () => crm('clear'),
      () => crm('enter'),
      () => crm('delete'),
      ...(isOfWishes ? [() => sheet('wish'), () => sheet('wish'), () => sheet('wish cleared')] : []),
    ])();
  const meddle = () => random.pick([mistake, typed, typed, () => sheet('put column right')])();
  const chaos = () => chaosAmong(draw, operations, meddle);
  const decide = (): Step => ({
    do: 'decide',
    what: random.pick(['approve', 'approve', 'refuse'] as const),
    a: random.integer(0, 999),
  });
  const round = () => [
    ...repeat(0, 2, typed),
    mistake(),
    ...repeat(0, 1, typed),
    run({ isFull: chance(30) }, chaos()),
    pass(1_000, 60_000, 400_000),
    ...(chance(40) ? [decide(), run({ isFull: chance(30) }, chaos()), pass(60_000)] : []),
    ...(chance(50) ? [sheet('put column right'), run({ isFull: chance(30) }, chaos()), pass(60_000)] : []),
    ...(chance(8) ? [{ do: 'quiet' } as const] : []),
  ];
  return {
    setting: plainly(setting, {
      isShouting: chance(20),
      settleSecs: chance(70) ? 0 : 10,
      limits: chance(50) ? 'default' : 'wide',
      conflict: random.pick(policies),
      ...(isOfWishes && {
        automation: { onClear: chance(60) ? 'cancel' : 'ignore', cap: 100, isVetoed: false } as const,
      }),
    }),
    steps: [
      ...repeat(isOfMany ? 20 : 8, isOfMany ? 24 : 11, () =>
        random.pick([crm, crm, sheet])('enter', { c: random.integer(0, 940) }),
      ),
      run({ isFull: true }),
      pass(60_000),
      ...(isOfWishes ? [...repeat(8, 20, () => sheet('wish', isOfMany ? { b: 0 } : {})), run(), pass(60_000)] : []),
      ...repeat(2, 3, round).flat(),
    ],
  };
}
