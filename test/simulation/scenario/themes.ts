// Stories with a theme: few people, one thing to be seen, and little else. What takes three rare things to meet is met by these.
import type { Random } from '../../../src/standin/service/random.ts';
import type { Setting } from '../world/setting.ts';
import type { Act, Chaos, CrmAct, Fault, SheetAct, Step, ThemedCrmAct, ThemedSheetAct } from './scenario.ts';

export interface Themed {
  readonly setting: Setting;
  readonly steps: readonly Step[];
}

/** `setting`: as it was drawn; a theme changes what it is about. */
type Theme = (draw: Draw, setting: Setting) => Themed;

/** In this order, one after the other: each is met by few stories. */
export const themes: readonly Theme[] = [
  newest,
  blanks,
  copies,
  deletions,
  momentOfDeleting,
  limits,
  lostCreates,
  lostAppends,
  samePersonTwice,
  momentOfWriting,
  movingRows,
  oddCells,
  wishes,
  lostWishes,
  kills,
  twoAtOnce,
  changesOnly,
  pages,
  unknownUpdates,
  mapping,
];

/** What themes draw with. */
export function createDraw(random: Random) {
  const part = () => random.integer(0, 999);
  const chance = (percent: number) => random.integer(1, 100) <= percent;
  const repeat = <Item>(least: number, most: number, make: () => Item): Item[] =>
    Array.from({ length: random.integer(least, most) }, make);
  const any = (side: Act['side'], what: Act['what']): Act => ({ side, what, a: part(), b: part(), c: part() });
  const crm = (what: CrmAct | ThemedCrmAct, its: Partial<Act> = {}): Step => act({ ...any('crm', what), ...its });
  const sheet = (what: SheetAct | ThemedSheetAct, its: Partial<Act> = {}): Step =>
    act({ ...any('sheet', what), ...its });
  const pass = (...ms: readonly number[]): Step => ({ do: 'pass', ms: random.pick(ms) });
  /** What of `acts` is done while a run is under way, which takes thirty to forty instants with so few people. */
  const meanwhile = (least: number, most: number, acts: () => Step): Chaos['acts'] =>
    repeat(least, most, () => ({
      at: random.integer(8, 36),
      act: (acts() as Extract<Step, { do: 'act' }>).act,
    })).toSorted((a, b) => a.at - b.at);
  const run = (its: Partial<Extract<Step, { do: 'run' }>> = {}, chaos: Partial<Chaos> = {}): Step => ({
    do: 'run',
    isFull: chance(50),
    isAsked: true,
    restart: false,
    both: false,
    ...its,
    chaos: { acts: [], faults: [], ...chaos },
  });
  return { random, part, chance, repeat, crm, sheet, pass, meanwhile, run };
}

type Draw = ReturnType<typeof createDraw>;

function act(of: Act): Step {
  return { do: 'act', act: of };
}

/** All columns in both directions, by one policy. */
function plainly(setting: Setting, its: Partial<Setting>): Setting {
  const fields = setting.fields.map(({ field }) => ({ field, direction: 'both' as const }));
  return { ...setting, isShouting: false, isListMissing: false, switches: {}, fields, ...its };
}

/** M1: both sides are edited, minutes or seconds apart, and an edit may have been seen long before the other is made. */
function newest({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
  const rounds = repeat(3, 5, () => {
    // The same person, the same field.
    const its = { a: 0, b: part() };
    const edits = [crm('edit', its), pass(1_000, 20_000, 130_000, 300_000), sheet('edit', its)];
    const isSeenFirst = chance(40);
    if (isSeenFirst)
      edits.splice(0, 3, sheet('edit', its), run({ isAsked: false }), pass(150_000, 400_000), crm('edit', its));
    else if (chance(50)) edits.reverse();
    return [...edits, pass(1_000, 70_000, 130_000, 400_000), run({ isAsked: chance(70) }), pass(5_000, 130_000)];
  });
  const settleSecs = random.pick([0, 10, 30]);
  return {
    setting: plainly(setting, { conflict: 'newest', settleSecs }),
    steps: [crm('enter'), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** M2, M3: fields are emptied, and filled again, on either side and on both. */
function blanks({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
  const rounds = repeat(3, 6, () => {
    const its = { a: part(), b: part() };
    const emptied = random.pick([crm, sheet])('clear', its);
    const edited = random.pick([crm, sheet])(chance(70) ? 'edit' : 'clear', its);
    return [emptied, ...(chance(40) ? [edited] : []), run(), pass(1_000, 130_000)];
  });
  const blank = chance(65) ? 'ignore' : 'sync';
  return {
    setting: plainly(setting, { blank, limits: 'wide' }),
    steps: [...repeat(1, 2, () => crm('enter')), ...repeat(0, 1, () => sheet('enter')), run(), ...rounds.flat()],
  };
}

/** I4, I5: rows are copied, and then edited, the copy or the other one, or made a row of their own. */
function copies({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
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

/** D1 to D6: who is taken off one side is edited on the other, before the run or in the midst of it. */
function deletions({ crm, sheet, pass, run, repeat, part, meanwhile, random, chance }: Draw, setting: Setting): Themed {
  const rounds = repeat(2, 3, () => {
    const [from, on] = random.pick([
      [sheet('delete row', { a: 0 }), crm],
      [crm('delete', { a: 0 }), sheet],
      // Whose ID is in doubt is not gone, nor is anybody else then (I5).
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
    // One or two: who is first in the service need not be first in the sheet.
    steps: [...repeat(1, 2, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** D5, W3: in the midst of the run that deletes a record somebody edits it. */
function momentOfDeleting({ crm, sheet, pass, run, repeat, meanwhile, random }: Draw, setting: Setting): Themed {
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

/** G1, G2: much goes at once, or a side is empty. */
function limits({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
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

/** W4, L8: a contact is created, and no answer comes. */
function lostCreates({ crm, sheet, pass, run, repeat, random, chance }: Draw, setting: Setting): Themed {
  const fault = (): Fault => {
    const kind = random.pick(['lost', 'lost', 'hang', 'status', 'html'] as const);
    return {
      on: 'crm',
      operation: 'contacts.upsert',
      kind,
      when: chance(80) ? 'after' : 'before',
      times: random.pick([1, 1, 1, 2]),
      skip: random.pick([0, 0, 0, 1]),
      ...(kind === 'status' && { status: 502 }),
    };
  };
  const rounds = repeat(2, 4, () => [
    ...repeat(1, 2, () => sheet('enter')),
    ...repeat(0, 1, () => crm('enter')),
    run({}, { faults: [fault()] }),
    pass(1_000, 120_000),
  ]);
  const upsertExisting = random.pick(['unchanged', 'refused', 'duplicated', 'duplicated', 'duplicated'] as const);
  return { setting: plainly(setting, { settleSecs: 0, switches: { upsertExisting } }), steps: rounds.flat() };
}

/** W4, L8: rows are appended, and no answer comes. */
function lostAppends({ crm, sheet, pass, run, repeat, random, chance }: Draw, setting: Setting): Themed {
  const fault = (): Fault => ({
    on: 'sheet',
    target: 'write',
    effect: random.pick(['lost', 'lost', 'hang', 503, 'empty'] as const),
    when: chance(80) ? 'after' : 'before',
    times: random.pick([1, 1, 2, 3]),
    skip: random.pick([0, 0, 0, 1]),
  });
  const rounds = repeat(2, 4, () => [
    ...repeat(1, 2, () => crm('enter')),
    ...repeat(0, 1, () => sheet('edit')),
    run({}, { faults: [fault()] }),
    pass(1_000, 120_000),
  ]);
  return {
    setting: plainly(setting, { settleSecs: 0 }),
    steps: [crm('enter'), run({ isFull: true }), pass(20_000), ...rounds.flat()],
  };
}

/** I2, W4: whom a row names, somebody enters in the service too, while it is being created. */
function samePersonTwice({ crm, sheet, pass, run, repeat, part, meanwhile, random }: Draw, setting: Setting): Themed {
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

/** W3: what is being written is edited there meanwhile. */
function momentOfWriting(
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
function movingRows({ crm, sheet, pass, run, repeat, meanwhile, random }: Draw, setting: Setting): Themed {
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

/** V4 to V6: cells that cannot be read, or must not be written, while the contact changes. */
function oddCells({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
  const rounds = repeat(2, 4, () => {
    const its = { a: 0, b: random.pick([0, part()]) };
    const odd = random.pick(['formula', 'error value'] as const);
    return [sheet(odd, its), ...(chance(70) ? [run()] : []), crm('edit', its), run(), pass(20_000, 130_000)];
  });
  return {
    setting: plainly(setting, { settleSecs: 0 }),
    steps: [crm('enter'), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** E1 to E6: more wishes than the cap, vetoes, calls without an answer, and a process that ends over them. */
function wishes({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
  const fault = (): Fault => ({
    on: 'crm',
    operation: random.pick(['automations.add-contact', 'automations.add-contact', 'automations.add-new-lead']),
    kind: random.pick(['lost', 'hang', 'html'] as const),
    when: chance(80) ? 'after' : 'before',
    times: random.pick([1, 1, 2]),
    skip: random.pick([0, 0, 1]),
  });
  const rounds = repeat(2, 4, () => {
    const trouble = random.integer(0, 3);
    return [
      ...repeat(1, 4, () => sheet('wish')),
      ...repeat(0, 1, () => crm('status', { a: part() })),
      ...repeat(0, 1, () => sheet('enter')),
      run(
        { restart: chance(20) },
        {
          ...(trouble === 0 && { end: { at: random.integer(10, 70), how: random.pick(['kill', 'power'] as const) } }),
          ...(trouble === 1 && { faults: [fault()] }),
        },
      ),
      pass(1_000, 60_000, 900_000),
    ];
  });
  return {
    setting: plainly(setting, {
      automation: {
        onClear: random.pick(['ignore', 'cancel'] as const),
        cap: random.pick([2, 2, 100]),
        isVetoed: chance(60),
      },
      settleSecs: 0,
      limits: 'wide',
    }),
    steps: [...repeat(2, 5, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** E3: calls that enrol are cut short, by the end of the process or by an answer that never comes. */
function lostWishes({ crm, sheet, pass, run, repeat, random, chance }: Draw, setting: Setting): Themed {
  const fault = (): Fault => ({
    on: 'crm',
    operation: random.pick(['automations.add-contact', 'automations.add-contact', 'automations.add-new-lead']),
    kind: random.pick(['lost', 'hang', 'html'] as const),
    when: chance(80) ? 'after' : 'before',
    times: random.pick([1, 1, 2]),
    skip: random.pick([0, 0, 1]),
  });
  const rounds = repeat(2, 4, () => [
    ...repeat(2, 4, () => sheet('wish')),
    ...repeat(0, 1, () => sheet('enter')),
    run(
      {},
      chance(50)
        ? { faults: [fault()] }
        : { end: { at: random.integer(12, 50), how: random.pick(['kill', 'kill', 'power'] as const) } },
    ),
    pass(1_000, 60_000),
    run(),
  ]);
  return {
    setting: plainly(setting, {
      automation: { onClear: 'ignore', cap: 100, isVetoed: false },
      settleSecs: 0,
      limits: 'wide',
    }),
    steps: [...repeat(3, 6, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** L10: the process ends in the midst of everything, again and again; two at once, too. */
function kills({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
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
function twoAtOnce({ crm, sheet, pass, run, repeat, random, chance }: Draw, setting: Setting): Themed {
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

/** L6: what changes is carried without a full scan. Who is deleted or moved away takes one (D3), and is not part of it. */
function changesOnly({ crm, sheet, pass, run, repeat, random }: Draw, setting: Setting): Themed {
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

/** G5, D3, I8: a scan of several pages, between which contacts come, change and go. */
function pages({ crm, sheet, pass, run, repeat, meanwhile, random, chance }: Draw, setting: Setting): Themed {
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

/** W4, L3: an update is carried out or not, and neither its answer nor a look tells; and somebody types once more. */
function unknownUpdates({ crm, sheet, pass, run, repeat, part, random, chance }: Draw, setting: Setting): Themed {
  const faults = (): readonly Fault[] => {
    const when = chance(60) ? 'after' : 'before';
    const kind = random.pick(['lost', 'status', 'html'] as const);
    const times = random.pick([3, 6]);
    const status = kind === 'status' && { status: 502 };
    return [
      { on: 'crm', operation: 'contacts.update', kind, when, times, skip: 0, ...status },
      { on: 'crm', operation: 'contacts.get', kind: 'status', status: 502, when: 'before', times: 6, skip: 0 },
    ];
  };
  const rounds = repeat(2, 3, () => {
    const its = { a: 0, b: random.pick([0, part()]) };
    return [
      sheet('edit', its),
      run({}, { faults: faults() }),
      ...(chance(50) ? [sheet(random.pick(['edit', 'old value'] as const), its)] : []),
      pass(1_000, 60_000),
      run(),
      pass(20_000),
    ];
  });
  return {
    setting: plainly(setting, { settleSecs: 0 }),
    steps: [crm('enter'), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** M9: columns leave the mapping and come back, while people edit what is in the others. */
function mapping({ crm, sheet, pass, run, repeat, part, random }: Draw, setting: Setting): Themed {
  const rounds = repeat(2, 4, () => [
    { do: 'map', column: random.pick([0, 0, 1]) } as const,
    ...repeat(0, 1, () => random.pick([crm, sheet])('edit', { a: 0, b: part() })),
    run(),
    pass(20_000, 130_000),
    ...repeat(0, 2, () => random.pick([crm, sheet])('edit', { a: part(), b: part() })),
    run(),
  ]);
  return {
    setting: plainly(setting, { settleSecs: 0, limits: 'wide' }),
    steps: [...repeat(2, 3, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}
