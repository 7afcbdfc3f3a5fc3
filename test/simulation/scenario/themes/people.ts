// Themes about identity: copies, deletions, limits, and a person who is entered twice.
import type { Setting } from '../../world/setting.ts';
import type { Step } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** I4, I5: rows are copied; then one of them is edited or made a row of its own. */
export function copies({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
  const changes = () =>
    random.pick([
      () => sheet('edit', { a: 999 }),
      () => sheet('edit', { a: 999 }),
      () => sheet('edit', { a: 0 }),
      () => sheet('enter known'),
      () => crm('edit'),
      () => sheet('clear ID', { a: 999 }),
      () => sheet('sort'),
      () => sheet('drag row', { a: 999 }),
    ])();
  const rounds = repeat(1, 3, () => [...repeat(1, 2, changes), run(), pass(20_000, 130_000)]);
  return {
    setting: plainly(setting, {}),
    steps: [
      ...repeat(1, 3, () => crm('enter')),
      run(),
      pass(20_000),
      sheet('copy row', { a: random.pick([0, part()]) }),
      ...(chance(60) ? [sheet('edit', { a: 999 }), run(), pass(20_000)] : []),
      ...rounds.flat(),
    ],
  };
}

/**
 * I4: a person is typed over a copy of a row. Both rows are edited in either order, moved, sorted and cut. In the end the
 * row or the copy is deleted or loses its ID.
 */
export function editedCopies({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
  const change = () =>
    random.pick([
      () => sheet('edit copied'),
      () => sheet('edit copied'),
      () => sheet('edit copied'),
      () => sheet('edit copied'),
      () => sheet('sort'),
      () => sheet('drag row'),
      () => sheet('cut row'),
      () => sheet('insert row'),
      () => sheet('paste over'),
      () => sheet('copy row'),
      () => sheet('empty copied'),
      () => sheet('edit key copied'),
      () => crm('edit'),
    ])();
  const readAll = (): Step[] => [run({ restart: chance(20) }), pass(20_000, 130_000)];
  const rounds = repeat(1, 4, () => [...repeat(1, 3, change), ...readAll()]);
  const end = random.pick([
    () => [],
    () => [sheet('clear ID copied')],
    () => [sheet('delete copied')],
    () => [sheet('delete copied'), sheet('edit', { a: part() })],
    () => [sheet('sort'), sheet('delete copied')],
  ])();
  return {
    setting: plainly(setting, {
      limits: 'wide',
      settleSecs: chance(70) ? 0 : 10,
      ...(chance(50) && { conflict: 'sheet' }),
    }),
    steps: [
      ...repeat(1, 3, () => crm('enter')),
      run(),
      pass(20_000),
      sheet('paste over'),
      ...(chance(60) ? readAll() : []),
      ...rounds.flat(),
      ...end,
      ...(end.length > 0 ? readAll() : []),
    ],
  };
}

/** D1 to D6: a record that is removed from one side is edited on the other, before the run or during it. */
export function deletions(
  { crm, sheet, pass, run, repeat, part, meanwhile, random, chance }: Draw,
  setting: Setting,
): Themed {
  const rounds = repeat(2, 3, () => {
    const [from, on] = random.pick([
      [sheet('delete row', { a: 0 }), crm],
      [crm('delete', { a: 0 }), sheet],
      // While an ID is in doubt, no record counts as gone (I5).
      [sheet('break ID'), crm],
    ] as const);
    const edit = () => on('edit', { a: random.pick([0, 0, part()]), b: part() });
    const acts = [...(chance(40) ? [edit()] : []), from, ...(chance(20) ? [edit()] : [])];
    return [...acts, run({ isFull: true }, { acts: chance(60) ? meanwhile(2, 6, edit) : [] }), pass(60_000, 1_000_000)];
  });
  return {
    setting: plainly(setting, {
      onRowDeleted: chance(80) ? 'delete_contact' : setting.onRowDeleted,
      onContactDeleted: chance(80) ? 'delete_row' : setting.onContactDeleted,
      limits: 'wide',
      switches: chance(30) ? setting.switches : {},
    }),
    // One or two: the first in the service may not be the first in the sheet.
    steps: [...repeat(1, 2, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** D5, W3: a person edits a record during the run that deletes it. */
export function momentOfDeleting({ crm, sheet, pass, run, repeat, meanwhile, random }: Draw, setting: Setting): Themed {
  const rounds = repeat(2, 3, () => {
    const [from, on] = random.pick([
      [sheet('delete row'), crm],
      [sheet('delete row'), crm],
      [crm('delete'), sheet],
    ] as const);
    return [
      crm('enter'),
      run({ isFull: true }),
      pass(60_000),
      from,
      run({ isFull: true }, { acts: meanwhile(2, 5, () => on('edit', { a: 0 })) }),
      pass(60_000, 1_000_000),
    ];
  });
  const policies = { onRowDeleted: 'delete_contact', onContactDeleted: 'delete_row' } as const;
  return { setting: plainly(setting, { ...policies, limits: 'wide', settleSecs: 0 }), steps: rounds.flat() };
}

/** G1, G2: many records are removed at once, or a side is empty. */
export function limits({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
  const many = (make: () => Step) => repeat(2, 5, make);
  const rounds = repeat(1, 2, () => [
    ...random.pick([
      () => [sheet('delete all rows')],
      () => [sheet('delete all rows')],
      () => many(() => sheet('delete row')),
      () => many(() => crm('delete')),
      () => many(() => crm('move out')),
      () => repeat(4, 8, () => sheet('clear')),
      () => repeat(4, 9, () => crm('edit')),
      () => [sheet('clear ID column'), ...many(() => sheet('edit'))],
    ])(),
    run({ isFull: true }),
    ...(chance(30) ? [{ do: 'decide', what: 'approve', a: part() } as const] : []),
    pass(120_000, 1_000_000),
    run({ isFull: true }),
  ]);
  return {
    setting: plainly(setting, {
      limits: chance(70) ? 'default' : 'wide',
      onRowDeleted: chance(70) ? 'delete_contact' : setting.onRowDeleted,
      onContactDeleted: chance(70) ? 'delete_row' : setting.onContactDeleted,
    }),
    steps: [...repeat(4, 8, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** I2, W4: while the contact of a row is being created, a person enters the same contact in the service. */
export function samePersonTwice(
  { crm, sheet, pass, run, repeat, part, meanwhile, random }: Draw,
  setting: Setting,
): Themed {
  const rounds = repeat(2, 3, () => [
    sheet('enter', { c: random.integer(0, 800) }),
    run({}, { acts: meanwhile(1, 4, () => crm('enter known', { a: part() })) }),
    pass(60_000, 120_000),
  ]);
  const upsertExisting = random.pick(['unchanged', 'unchanged', 'refused', 'duplicated'] as const);
  const conflict = random.pick(['manual', 'manual', 'crm', 'newest'] as const);
  return {
    setting: plainly(setting, { settleSecs: 0, conflict, switches: { upsertExisting } }),
    steps: [...repeat(0, 1, () => crm('enter')), ...rounds.flat()],
  };
}
