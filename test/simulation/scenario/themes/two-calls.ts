// A theme about changes that take two calls: an update of columns, and an upsert of the custom field.
import { segment, type Setting } from '../../world/setting.ts';
import type { Chaos, Fault, Step } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** W1, W4, L12: either call of a change is refused or has no answer, or the process ends between them. */
export function twoCalls(
  { crm, sheet, pass, run, repeat, meanwhile, part, random, chance }: Draw,
  setting: Setting,
): Themed {
  const fault = (): Fault => {
    const kind = random.pick(['lost', 'lost', 'hang', 'status', 'status', 'html', 'blank'] as const);
    const status = random.pick([422, 502, 502]);
    return {
      on: 'crm',
      operation: random.pick(['contacts.upsert', 'contacts.upsert', 'contacts.update', 'contacts.get']),
      kind,
      // A refusal means that nothing was done.
      when: kind === 'status' && status < 500 ? 'before' : random.pick(['before', 'after'] as const),
      times: random.pick([1, 1, 3, 6]),
      skip: random.pick([0, 0, 1]),
      ...(kind === 'status' && { status }),
    };
  };
  /** Of one person: the custom field is the last column. */
  const change = (a: number): readonly Step[] => [
    sheet(random.pick(['edit', 'edit', 'clear', 'old value'] as const), { a, b: 999 }),
    ...repeat(0, 2, () => sheet(random.pick(['edit', 'clear', 'edit key'] as const), { a, b: part() })),
  ];
  const meddle = (): Step =>
    chance(50)
      ? crm(random.pick(['edit', 'edit key', 'swap keys', 'duplicate', 'delete', 'recreate', 'move out'] as const))
      : sheet(random.pick(['edit', 'clear ID', 'copy row', 'delete row', 'put back', 'swap keys', 'enter'] as const));
  const chaos = (): Partial<Chaos> => ({
    ...(chance(40) && { acts: meanwhile(1, 2, meddle) }),
    ...(chance(50) && { faults: [fault()] }),
    ...(chance(25) && {
      end: { at: random.integer(8, 40), how: random.pick(['kill', 'kill', 'power', 'stop'] as const) },
    }),
  });
  const undo = (): Step => ({
    do: 'undo',
    which: part(),
    part: random.pick(['all', 'all', 'contact', 'field'] as const),
    a: part(),
    deletesCreated: chance(50),
    chaos: { acts: [], faults: chance(30) ? [fault()] : [] },
  });
  const rounds = repeat(2, 4, () => [
    ...change(random.pick([0, part()])),
    ...repeat(0, 1, meddle),
    run({ isFull: chance(30) }, chaos()),
    pass(1_000, 20_000, 120_000),
    ...(chance(25) ? [undo(), pass(20_000)] : []),
  ]);
  const plain = plainly(setting, { settleSecs: 0, limits: 'wide', blank: chance(80) ? 'sync' : 'ignore' });
  const others = plain.fields.filter(({ field }) => field !== segment);
  return {
    setting: { ...plain, fields: [...others, { field: segment, direction: 'to_crm' }] },
    steps: [
      ...repeat(1, 2, () => crm('enter')),
      ...repeat(0, 2, () => sheet('enter')),
      run({ isFull: true }),
      pass(60_000),
      ...rounds.flat(),
    ],
  };
}
