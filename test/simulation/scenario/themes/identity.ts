// Themes about who is who, in a service with odd habits: keys that change hands, and rows and contacts that are mixed up.
import type { ConflictPolicy, Setting } from '../../world/setting.ts';
import type { Chaos, ServiceFault, Step } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** What identifies people is sent, kept and shown in other ways than expected. */
export function oddKeys({ random, chance }: Draw): Setting['switches'] {
  return {
    ...(chance(30) && { emailStoredAs: 'personal_email' as const }),
    ...(chance(20) && { blankValue: random.pick(['stored', 'refused', 'ignored'] as const) }),
    ...(chance(20) && { normalises: ['trim', 'email_case'] as const }),
    ...(chance(20) && { searchLagMs: random.pick([2_000, 30_000]) }),
    ...(chance(20) && { upsertExisting: random.pick(['refused', 'duplicated'] as const) }),
    ...(chance(20) && { deleteDelayMs: 30_000 }),
    ...(chance(15) && { totalDriftMax: 1 }),
  };
}

export const policies: readonly ConflictPolicy[] = ['manual', 'crm', 'sheet', 'newest'];

/** `operations`: of which one fails. */
export function chaosOf(draw: Draw, operations: readonly string[], act: () => Step): Partial<Chaos> {
  const { random, chance, meanwhile } = draw;
  const fault = (): ServiceFault => ({
    on: 'crm',
    operation: random.pick(operations),
    kind: random.pick(['lost', 'status', 'html', 'blank'] as const),
    status: 502,
    when: random.pick(['before', 'after'] as const),
    times: random.pick([1, 2, 3, 6]),
    skip: random.integer(0, 4),
  });
  const refusal = (): ServiceFault => ({ ...fault(), kind: 'status', status: 422, when: 'before' });
  return {
    ...(chance(30) && { acts: meanwhile(1, 2, act) }),
    ...(chance(40) && { faults: [chance(70) ? fault() : refusal()] }),
    ...(chance(20) && {
      end: { at: random.integer(8, 60), how: random.pick(['kill', 'kill', 'power', 'stop'] as const) },
    }),
  };
}

/** Few people on both sides, whom a first run has linked, and then the rounds. */
function amongFew(
  draw: Draw,
  setting: Setting,
  {
    settleSecs,
    movesPercent,
    people: [least, most],
    rounds,
  }: {
    readonly settleSecs: number;
    readonly movesPercent: number;
    readonly people: readonly [least: number, most: number];
    readonly rounds: readonly (readonly Step[])[];
  },
): Themed {
  const { crm, sheet, pass, run, repeat, random, chance } = draw;
  return {
    setting: plainly(setting, {
      settleSecs,
      limits: 'wide',
      conflict: random.pick(policies),
      moveToList: chance(movesPercent),
      switches: oddKeys(draw),
    }),
    steps: [
      ...repeat(least, most, () => random.pick([crm, crm, sheet])('enter')),
      run({ isFull: true }),
      pass(60_000),
      ...rounds.flat(),
    ],
  };
}

/** I7: keys change hands on either side, in pairs and in circles. */
export function keysPassedOn(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, part, random, chance } = draw;
  const swap = () =>
    random.pick([sheet, sheet, crm])(chance(70) ? 'swap keys' : 'swap profiles', { a: part(), b: part() });
  const other = (): Step =>
    random.pick([
      () => sheet('edit key', { b: part() }),
      () => crm('edit key', { b: part() }),
      () => sheet('edit'),
      () => crm('edit'),
      () => sheet('clear ID'),
      () => sheet('clear ID column'),
      () => sheet('copy row'),
      () => crm('delete'),
      () => crm('move out'),
      (): Step => ({ do: 'lose state' }),
    ])();
  const meddle = () => random.pick([swap, () => sheet('edit key'), () => crm('edit key'), () => crm('edit')])();
  const calls = ['contacts.update', 'contacts.update', 'contacts.get', 'contacts.lookup-one'];
  const rounds = repeat(2, 4, () => [
    ...repeat(1, 4, swap),
    ...repeat(0, 2, other),
    run({ isFull: chance(30) }, chaosOf(draw, calls, meddle)),
    pass(1_000, 60_000, 400_000),
  ]);
  return amongFew(draw, setting, { settleSecs: 0, movesPercent: 20, people: [3, 5], rounds });
}

/** I1 to I10, D1 to D6: rows are copied, deleted, put back and lose their IDs; contacts are deleted, made anew and duplicated. */
export function mixedUp(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, part, random, chance } = draw;
  const inSheet = [
    'copy row',
    'copy row',
    'edit copied',
    'edit key copied',
    'delete copied',
    'clear ID copied',
    'empty copied',
    'clear ID',
    'clear ID',
    'clear ID column',
    'break ID',
    'empty row',
    'delete row',
    'put back',
    'enter known',
    'enter',
    'edit',
    'edit key',
    'clear',
    'swap keys',
    'swap profiles',
    'sort',
  ] as const;
  const inCrm = [
    'delete',
    'delete',
    'recreate',
    'duplicate',
    'move out',
    'move back',
    'enter known',
    'enter',
    'edit',
    'edit key',
    'clear',
    'swap keys',
    'swap profiles',
  ] as const;
  const act = () =>
    random.integer(1, inSheet.length + inCrm.length) <= inSheet.length
      ? sheet(random.pick(inSheet), { a: part(), b: part() })
      : crm(random.pick(inCrm), { a: part(), b: part() });
  const calls = [
    'contacts.update',
    'contacts.upsert',
    'contacts.get',
    'contacts.lookup-one',
    'contacts.search',
    'contacts.delete',
  ];
  const rounds = repeat(2, 4, () => [
    ...repeat(1, 3, act),
    run({ isFull: chance(35) }, chaosOf(draw, calls, act)),
    pass(1_000, 60_000, 400_000),
    ...(chance(25) ? [{ do: 'quiet' } as const] : []),
  ]);
  return amongFew(draw, setting, { settleSecs: chance(80) ? 0 : 10, movesPercent: 30, people: [2, 4], rounds });
}
