// Themes about calls whose answer is lost or says nothing.
import type { Setting } from '../../world/setting.ts';
import type { Fault } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** W4, L8: a contact is created, and the answer is lost. */
export function lostCreates({ crm, sheet, pass, run, repeat, random, chance }: Draw, setting: Setting): Themed {
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

/**
 * W4, L8, I5: a contact is created, nobody sees the answer or its ID cannot be written, and its row is edited again and again. So few
 * people, with an address alone, that most edits are of such a row.
 */
export function editedLostCreates({ crm, sheet, pass, run, repeat, random, chance }: Draw, setting: Setting): Themed {
  const isWished = chance(50);
  const create = isWished ? 'automations.add-new-lead' : 'contacts.upsert';
  const lost = (operation: string, its: Partial<Fault>): Fault =>
    ({
      on: 'crm',
      operation,
      kind: random.pick(['lost', 'hang', 'html'] as const),
      when: 'before',
      times: 1,
      skip: 0,
      ...its,
    }) as Fault;
  const lookupsLost = (its: Partial<Fault>) => lost('contacts.lookup-one', { times: 60, ...its });
  const unwritten = (): Fault => ({
    on: 'sheet',
    target: 'write',
    effect: random.pick(['lost', 503] as const),
    when: 'before',
    times: 9,
    skip: random.pick([0, 0, 1]),
  });
  const troubles = [
    () => ({
      faults: [lost(create, { when: 'after' }), lookupsLost({ skip: random.pick(isWished ? [0, 1] : [1, 1, 2]) })],
    }),
    () => ({ faults: [lookupsLost({ skip: random.pick(isWished ? [0, 1] : [1, 1, 2]) })] }),
    () => ({ faults: [unwritten()] }),
    () => ({ end: { at: random.integer(10, 24), how: random.pick(['kill', 'power'] as const) } }),
  ];
  const edit = () => [
    ...repeat(1, 2, () => sheet(random.pick(['edit', 'edit', 'edit key'] as const))),
    ...(chance(20) ? [sheet('sort')] : []),
    ...(chance(10) ? [crm('edit')] : []),
    run({}, chance(20) ? { faults: [lookupsLost({})] } : {}),
    pass(20_000, 120_000),
  ];
  const rounds = repeat(1, 2, () => [
    sheet('enter'),
    ...(isWished ? [sheet('wish')] : []),
    run({}, random.pick(troubles)()),
    pass(1_000, 20_000),
    sheet('edit key'),
    ...repeat(1, 5, edit).flat(),
  ]);
  const searchLagMs = random.pick([0, 0, 2_000, 30_000]);
  const plain = plainly(setting, {
    settleSecs: 0,
    switches: { upsertExisting: 'duplicated', searchLagMs },
    ...(isWished && { automation: { onClear: 'ignore', cap: 100, isVetoed: false } }),
  });
  return {
    setting: { ...plain, fields: plain.fields.filter(({ field }) => field !== 'network_id') },
    steps: [...(chance(30) ? [crm('enter')] : []), run({ isFull: true }), ...rounds.flat()],
  };
}

/** W4, L8: rows are appended, and the answer is lost. */
export function lostAppends({ crm, sheet, pass, run, repeat, random, chance }: Draw, setting: Setting): Themed {
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

/** W4, L3: an update is carried out or not, neither its answer nor a reading shows it, and a person types again. */
export function unknownUpdates(
  { crm, sheet, pass, run, repeat, part, random, chance }: Draw,
  setting: Setting,
): Themed {
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

/** L1, W3: the search lags, and a lookup in the same run shows what it does not show yet. */
export function laggingLookups(
  { crm, sheet, pass, run, repeat, part, random, chance }: Draw,
  setting: Setting,
): Themed {
  const rounds = repeat(2, 3, () => {
    const its = { a: 0, b: part() };
    return [
      sheet(random.pick(['edit', 'clear'] as const), its),
      sheet(random.pick(['clear ID', 'clear ID', 'edit key', 'enter', 'copy row'] as const), {
        a: random.pick([0, part()]),
      }),
      ...(chance(30) ? [sheet('clear ID', { a: 0 })] : []),
      crm(random.pick(['edit', 'edit', 'clear', 'old value'] as const), chance(60) ? its : { a: 0 }),
      ...(chance(40) ? [crm(random.pick(['edit key', 'swap keys'] as const), { a: 0 })] : []),
      ...(chance(60) ? [crm(random.pick(['move out', 'move out', 'move back'] as const), { a: 0 })] : []),
      run({ isFull: chance(20) }),
      pass(1_000, 20_000, 120_000),
      ...(chance(50) ? [run()] : []),
      pass(20_000, 130_000),
    ];
  });
  const switches = { searchLagMs: random.pick([2_000, 30_000]) };
  return {
    setting: plainly(setting, { settleSecs: 0, limits: 'wide', switches }),
    steps: [crm('enter'), crm('enter'), run({ isFull: true }), pass(120_000), ...rounds.flat()],
  };
}
