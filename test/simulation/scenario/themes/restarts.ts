// The theme about quiet runs: of processes that run once and end, as commands do, or of one process that goes on.
import type { Setting } from '../../world/setting.ts';
import type { Step } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** W18: quiet runs, between edits of which many put back what was there when a run noted it. */
export function restarts({ crm, sheet, pass, run, repeat, random, chance, part }: Draw, setting: Setting): Themed {
  const { automation: _automation, hasFeed: _hasFeed, ...plain } = setting;
  const whom = part();
  // A run of a new process finds what a process that goes on has missed, so that a story has one or the other.
  const isApart = chance(50);
  const tick = (): Step[] => [
    pass(60_000, 240_000, 700_000),
    run({ isFull: false, isAsked: chance(70), restart: chance(isApart ? 90 : 5) }),
  ];
  const edit = (): Step =>
    random.pick([
      () => sheet('edit', { a: whom }),
      () => sheet('old value', { a: whom }),
      () => crm('edit', { a: whom }),
      () => crm('edit'),
      () => sheet('edit'),
      () => sheet('sort'),
      () => crm('enter'),
    ])();
  const undo = (): Step => ({
    do: 'undo',
    which: 0,
    part: 'all',
    a: part(),
    deletesCreated: false,
    chaos: { acts: [], faults: [] },
  });
  /** The cell that a run wrote holds what it held when an earlier run noted it. */
  const putBack = (): Step[] =>
    random.pick([
      () => [crm('edit', { a: whom }), ...tick(), sheet('turn back')],
      () => [sheet('edit', { a: whom }), ...tick(), crm('turn back')],
    ])();
  const rounds = repeat(2, 4, () => [
    ...repeat(1, 3, tick).flat(),
    ...(chance(50) ? putBack() : repeat(1, 2, edit)),
    ...(chance(50) ? tick() : []),
    ...(chance(15) ? [undo()] : []),
  ]);
  return {
    setting: plainly(plain, {
      settleSecs: 0,
      limits: 'wide',
      conflict: random.pick(['crm', 'sheet'] as const),
      ...(chance(30) && { isFleet: true as const }),
    }),
    steps: [
      ...repeat(1, 3, () => crm('enter')),
      run({ isFull: true }),
      ...rounds.flat(),
      { do: 'quiet', isFull: false, ...(isApart ? { isApart: true as const } : { goesOn: true as const }) },
    ],
  };
}
