// Themes about acts during a run, and between the pages of a scan.
import type { Setting } from '../../world/setting.ts';
import type { Fault } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** W3: a field is edited while it is being written. */
export function momentOfWriting(
  { crm, sheet, pass, run, repeat, part, meanwhile, random, chance }: Draw,
  setting: Setting,
): Themed {
  const rounds = repeat(2, 4, () => {
    const [from, to] = random.pick([
      [crm, sheet],
      [sheet, crm],
    ]);
    const its = { a: 0, b: part() };
    return [
      from('edit', its),
      ...repeat(0, 1, () => from('edit', { a: 0 })),
      run({}, { acts: meanwhile(2, 4, () => to('edit', chance(70) ? its : { a: 0 })) }),
      pass(20_000, 130_000),
    ];
  });
  const conflict = random.pick(['manual', 'manual', 'newest'] as const);
  return {
    setting: plainly(setting, { conflict, settleSecs: 0 }),
    steps: [crm('enter'), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** L9: rows change places, or become other rows, while they are written. */
export function movingRows({ crm, sheet, pass, run, repeat, meanwhile, random }: Draw, setting: Setting): Themed {
  const moves = () =>
    sheet(
      random.pick([
        'swap rows',
        'swap rows',
        'swap rows',
        'swap rows',
        'swap rows',
        'swap rows',
        'sort',
        'sort',
        'drag row',
        'insert row',
        'break ID',
        'delete row',
        'move column',
        'clear ID',
      ] as const),
    );
  const rounds = repeat(2, 4, () => [
    ...repeat(2, 4, () => crm('edit')),
    ...repeat(0, 1, () => crm('enter')),
    ...repeat(0, 1, () => sheet('enter')),
    run({}, { acts: meanwhile(3, 6, moves) }),
    pass(20_000, 130_000),
  ]);
  return {
    setting: plainly(setting, { settleSecs: 0, limits: 'wide' }),
    steps: [...repeat(2, 5, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** L6: changes are carried over without a full scan. Deleted or moved contacts need one (D3), and are left out. */
export function changesOnly({ crm, sheet, pass, run, repeat, random }: Draw, setting: Setting): Themed {
  const rounds = repeat(2, 6, () => [
    ...repeat(1, 2, () =>
      random.pick([
        () => crm('edit'),
        () => crm('edit'),
        () => crm('clear'),
        () => crm('enter'),
        () => sheet('edit'),
        () => sheet('enter'),
      ])(),
    ),
    pass(1_000, 5_000, 20_000, 50_000),
    run({ isFull: false }),
    pass(1_000, 5_000, 20_000, 50_000),
  ]);
  return {
    setting: plainly(setting, { settleSecs: 0, conflict: random.pick(['crm', 'sheet'] as const), limits: 'wide' }),
    steps: [
      ...repeat(1, 4, () => crm('enter')),
      run({ isFull: true }),
      pass(20_000),
      ...rounds.flat(),
      { do: 'quiet', isFull: false },
    ],
  };
}

/** G5, D3, I8: contacts are created, changed and deleted between the pages of a scan. */
export function pages({ crm, sheet, pass, run, repeat, meanwhile, random, chance }: Draw, setting: Setting): Themed {
  const moves = () => crm(random.pick(['enter', 'edit', 'edit', 'delete', 'move out', 'move back'] as const));
  const rounds = repeat(2, 3, () => [
    ...repeat(0, 2, () => random.pick([crm, sheet])('edit')),
    ...repeat(0, 1, () => crm(random.pick(['move out', 'delete'] as const))),
    run({ isFull: true }, { acts: meanwhile(0, 4, moves).map((each) => ({ ...each, at: Math.ceil(each.at / 2) })) }),
    pass(20_000, 130_000, 1_000_000),
  ]);
  return {
    setting: plainly(setting, {
      limits: 'wide',
      onContactDeleted: chance(60) ? 'delete_row' : setting.onContactDeleted,
      switches: {
        pageRowsMax: 2,
        ...(chance(40) && { totalDriftMax: 1 }),
        ...(chance(30) && { searchLagMs: 2_000 }),
        ...(chance(30) && { orderFieldIgnored: true }),
      },
    }),
    steps: [...repeat(3, 7, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** L12, T14, T16, T18: pages that fail, that are blank, or that the service does not order as asked. */
export function unwholePulls({ crm, sheet, pass, run, repeat, random, chance }: Draw, setting: Setting): Themed {
  const fault = (): Fault => {
    const kind = random.pick(['status', 'error_in_200', 'bad_rows', 'truncated', 'html'] as const);
    return {
      on: 'crm',
      operation: 'contacts.search',
      kind,
      when: 'before',
      times: random.pick([1, 5, 40]),
      skip: random.pick([1, 1, 2, 3]),
      ...(kind === 'status' && { status: random.pick([500, 503]) }),
      ...(kind === 'error_in_200' && chance(60) && { beside: 'no_rows' as const }),
    };
  };
  const rounds = repeat(2, 4, () => [
    ...repeat(0, 2, () => random.pick([crm, sheet])('edit')),
    ...repeat(0, 2, () => crm('enter')),
    run({ isFull: chance(70) }, chance(60) ? { faults: [fault()] } : {}),
    pass(20_000, 130_000, 1_000_000),
  ]);
  const trouble = () => random.pick(['refused', 'ignored', 'server_error'] as const);
  return {
    setting: plainly(setting, {
      limits: 'wide',
      switches: {
        pageRowsMax: 2,
        ...(chance(50) && { tieOrder: 'random' }),
        ...(chance(60) && {
          orderByField: {
            ...(chance(50) && { updated_at: trouble() }),
            ...(chance(40) && { uuid: trouble() }),
            ...(chance(20) && { created_at: trouble() }),
          },
        }),
      },
    }),
    steps: [...repeat(4, 8, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}
