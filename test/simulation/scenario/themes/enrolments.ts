// Themes about wishes: more than the cap, vetoes, and interrupted calls.
import type { Setting } from '../../world/setting.ts';
import type { Fault, Step } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** E1 to E6: more wishes than the cap, vetoes, calls without an answer, and a process that ends during them. */
export function wishes(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, part, random, chance } = draw;
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
          ...(trouble === 1 && { faults: [lostCall(draw)] }),
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

/** E8: more wishes than the cap, of which people take some back before their turn; some they wish for again. */
export function cancelledWishes(
  { crm, sheet, pass, run, repeat, part, random, chance }: Draw,
  setting: Setting,
): Themed {
  const cancel = (): Step => ({ do: 'decide', what: 'cancel', a: part() });
  const rounds = repeat(2, 3, () => [
    ...repeat(3, 5, () => sheet('wish')),
    run(),
    ...repeat(1, 3, cancel),
    ...(chance(20) ? [sheet('wish cleared'), run()] : []),
    pass(1_000, 60_000, 3_700_000),
    run(
      { restart: chance(20) },
      chance(30) ? { end: { at: random.integer(8, 70), how: random.pick(['kill', 'kill', 'power'] as const) } } : {},
    ),
    ...(chance(30) ? [{ do: 'decide', what: 'retry', a: part() } as const] : []),
    pass(3_700_000),
    run(),
  ]);
  return {
    setting: plainly(setting, {
      automation: { onClear: random.pick(['ignore', 'cancel'] as const), cap: 2, isVetoed: chance(40) },
      settleSecs: 0,
      limits: 'wide',
    }),
    steps: [...repeat(4, 6, () => crm('enter')), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}

/** E3: calls that enrol are interrupted, by the end of the process or by a lost answer. */
export function lostWishes(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, random, chance } = draw;
  const rounds = repeat(2, 4, () => [
    ...repeat(2, 4, () => sheet('wish')),
    ...repeat(0, 1, () => sheet('enter')),
    run(
      {},
      chance(50)
        ? { faults: [lostCall(draw)] }
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

/** A call that enrols is carried out or not, and its answer is lost. */
function lostCall({ random, chance }: Draw): Fault {
  return {
    on: 'crm',
    operation: random.pick(['automations.add-contact', 'automations.add-contact', 'automations.add-new-lead']),
    kind: random.pick(['lost', 'hang', 'html'] as const),
    when: chance(80) ? 'after' : 'before',
    times: random.pick([1, 1, 2]),
    skip: random.pick([0, 0, 1]),
  };
}
