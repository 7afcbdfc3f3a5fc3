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
