// A theme about contacts of other lists: rows take their keys, or are theirs, and more of them are freed than the limits allow.
import type { Setting } from '../../world/setting.ts';
import type { Step } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';
import { chaosOf, oddKeys, policies } from './identity.ts';

/** I2, I7, G2, G4: what the service answered is stored, asked again by full scans, and by runs that are held. */
export function elsewhere(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, part, random, chance } = draw;
  const inSheet = () =>
    random.pick([
      () => sheet('take key'),
      () => sheet('take key'),
      () => sheet('take key'),
      () => sheet('enter away'),
      () => sheet('enter away'),
      () => sheet('swap keys', { a: part(), b: part() }),
      () => sheet('edit'),
      () => sheet('edit key'),
    ])();
  const inCrm = () =>
    random.pick([
      () => crm('free key'),
      () => crm('free key'),
      () => crm('free key'),
      () => crm('enter away'),
      () => crm('move back'),
      () => crm('edit key'),
      () => crm('status'),
    ])();
  const calls = ['contacts.update', 'contacts.upsert', 'contacts.get', 'contacts.lookup-one'];
  const decide = (): readonly Step[] => {
    if (chance(40)) return [];
    return [{ do: 'decide', what: random.pick(['approve', 'approve', 'approve', 'retry'] as const), a: part() }];
  };
  const next = () => [
    run({ isFull: chance(50) }, chance(15) ? chaosOf(draw, calls, inCrm) : {}),
    pass(20_000, 400_000),
  ];
  const rounds = repeat(2, 4, () => [
    ...repeat(1, 5, inSheet),
    ...next(),
    ...(chance(50) ? next() : []),
    ...repeat(1, 4, inCrm),
    ...next(),
    ...decide(),
    ...next(),
  ]);
  return {
    setting: plainly(setting, {
      settleSecs: chance(80) ? 0 : 10,
      limits: random.pick(['tight', 'tight', 'tight', 'default', 'wide'] as const),
      conflict: random.pick(policies),
      moveToList: chance(20),
      ...(chance(25) && { filter: random.pick(['status', 'position'] as const) }),
      switches: oddKeys(draw),
    }),
    steps: [
      ...repeat(6, 9, () => crm('enter')),
      ...repeat(2, 4, () => crm('enter away')),
      run({ isFull: true }),
      pass(60_000),
      ...repeat(0, 1, () => crm('move out')),
      ...rounds.flat(),
    ],
  };
}
