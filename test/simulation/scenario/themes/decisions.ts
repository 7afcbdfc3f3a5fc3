// Themes about plans that are held until a person decides.
import type { Setting } from '../../world/setting.ts';
import type { Step } from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** G6, G7: more deletions than the limit allows; a person ticks some of them, refuses the plan, or both in turn. */
export function heldPlans({ crm, sheet, pass, run, repeat, part, random }: Draw, setting: Setting): Themed {
  const side = random.pick([crm, sheet, sheet]);
  const remove = () => (side === crm ? crm('delete') : sheet('delete row'));
  const other = () => (side === crm ? sheet('edit') : crm('edit'));
  const approve = (a: number): Step => ({ do: 'decide', what: 'approve', a });
  const refuse: Step = { do: 'decide', what: 'refuse', a: 0 };
  const whole = () => approve(2 * random.integer(0, 499));
  // An odd number: some of the records.
  const some = () => approve(2 * random.integer(0, 499) + 1);
  const again = run({ isFull: true });
  const decided = random.pick([
    // With one of three done, the rest alone would be within the limit.
    () => [...repeat(3, 4, remove), again, some()],
    // One of them is another record by then, and the others are still too many.
    () => [...repeat(5, 6, remove), again, some(), ...repeat(5, 8, other)],
    () => [...repeat(5, 6, remove), again, some(), ...repeat(5, 8, other)],
    () => [...repeat(3, 5, remove), again, whole(), refuse],
    () => [...repeat(3, 5, remove), again, whole(), refuse],
    () => [...repeat(3, 4, remove), again, refuse, again, some()],
  ]);
  const policies = { onRowDeleted: 'delete_contact', onContactDeleted: 'delete_row' } as const;
  return {
    setting: plainly(setting, { ...policies, limits: 'default', settleSecs: 0 }),
    steps: [
      ...repeat(10, 12, () => crm('enter', { a: part() })),
      run({ isFull: true }),
      pass(60_000),
      ...decided(),
      run({ isFull: true }),
      pass(60_000),
      run({ isFull: true }),
    ],
  };
}

/** G6: records are ticked, and another thing is to be done with one of them when the run comes; the rest is still too many. */
export function changedApprovals({ crm, sheet, pass, run, repeat, part, random }: Draw, setting: Setting): Themed {
  const approve: Step = { do: 'decide', what: 'approve', a: 2 * random.integer(0, 499) + 1 };
  const deleteFirst = () => sheet('delete row', { a: 0 });
  // A contact that changed while its row was deleted gets a new row (D2).
  const changeSome = repeat(7, 8, () => crm('edit', { a: part() }));
  return {
    setting: plainly(setting, { onRowDeleted: 'delete_contact', limits: 'default', settleSecs: 0 }),
    steps: [
      ...repeat(16, 18, () => crm('enter', { a: part() })),
      run({ isFull: true }),
      pass(60_000),
      ...repeat(10, 11, deleteFirst),
      run({ isFull: true }),
      approve,
      ...changeSome,
      run({ isFull: true }),
      pass(60_000),
      run({ isFull: true }),
    ],
  };
}

/** M1: a person looks at conflicts and decides one by its values; edits come before the decision, and before its run. */
export function seenConflicts(draw: Draw, setting: Setting): Themed {
  const { crm, sheet, pass, run, repeat, part, meanwhile, random, chance } = draw;
  const rounds = repeat(2, 4, () => {
    const its = { a: 0, b: part() };
    const edit = () => random.pick([crm, sheet])('edit', its);
    const look: Step = { do: 'decide', what: 'look', a: 0 };
    const decide: Step = { do: 'decide', what: 'resolve seen', a: part() };
    return [
      crm('edit', its),
      sheet('edit', its),
      run(),
      look,
      ...(chance(20) ? [edit()] : []),
      decide,
      ...(chance(60) ? [pass(1_000, 20_000), edit()] : []),
      run(
        {},
        {
          ...(chance(30) && { acts: meanwhile(1, 2, edit) }),
          ...(chance(25) && { end: { at: random.integer(8, 40), how: random.pick(['kill', 'power'] as const) } }),
        },
      ),
      pass(20_000, 130_000),
      run(),
      pass(20_000, 130_000),
    ];
  });
  return {
    setting: plainly(setting, { conflict: 'manual', settleSecs: 0, limits: 'wide' }),
    steps: [crm('enter'), run({ isFull: true }), pass(60_000), ...rounds.flat()],
  };
}
