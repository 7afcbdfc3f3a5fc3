// The mapping of a story, which may change between runs and while the daemon runs.
import type { Remap } from './scenario/scenario.ts';
import { type Direction, type FieldName, type FieldSetting, segment, type Setting } from './world/setting.ts';

export interface Mapping {
  /** As the configuration has it now. */
  readonly setting: () => Setting;
  /** The same with the columns that are not mapped at the moment. */
  readonly whole: () => Setting;
  readonly mapped: () => ReadonlySet<FieldName>;
  /** Those by which a run that begins now may go: two while a daemon takes a changed file up. */
  readonly inForce: () => readonly Setting[];
  /** Until it is over, the earlier mapping is in force as well. */
  within(work: () => Promise<void>): Promise<void>;
  /** Each whole configuration that was in force so far, the first one first. */
  readonly policies: () => readonly Setting[];
  /** Every direction that the column had so far. */
  readonly directions: (field: FieldName) => ReadonlySet<Direction>;
  /** Returns what to tell; undefined: nothing changed. */
  change(remap: Remap): string | undefined;
}

const directions = ['both', 'to_sheet', 'to_crm'] as const;
const conflicts = ['manual', 'crm', 'sheet', 'newest'] as const;
const ofRows = ['ignore', 'restore', 'cancel_automations', 'delete_contact'] as const;
const ofContacts = ['mark', 'delete_row', 'ignore'] as const;
const keys: readonly (readonly FieldName[])[] = [['network_id', 'email'], ['email', 'network_id'], ['email']];

export function createMapping(initial: Setting): Mapping {
  let whole = initial;
  const policies = [initial];
  const mapped = new Set(initial.fields.map(({ field }) => field));
  const known = new Map(initial.fields.map(({ field, direction }) => [field, new Set([direction])]));

  function turn(field: FieldSetting, by: number): string | undefined {
    // What an option of its own says of conflicts and blanks holds for both directions alone.
    if (field.conflict || field.blank || field.field === segment) return undefined;
    const others = directions.filter((direction) => direction !== field.direction);
    const direction = others[by % others.length]!;
    const changed: FieldSetting = { field: field.field, direction };
    whole = { ...whole, fields: whole.fields.map((each) => (each === field ? changed : each)) };
    known.get(field.field)!.add(direction);
    return `${field.field} is synced ${direction} from now on`;
  }

  function changeKeys(by: number): string | undefined {
    if (!mapped.has('network_id')) return undefined;
    const now = String(whole.match ?? keys[0]);
    const others = keys.filter((each) => String(each) !== now);
    whole = { ...whole, match: others[by % others.length]! };
    return `rows are matched by ${whole.match!.join(', then ')} from now on`;
  }

  /** What is told of it; undefined: it is as before. */
  function changePolicy(by: number): string | undefined {
    const { conflict, blank, onRowDeleted, onContactDeleted, filter, automation } = whole;
    const nth = Math.floor(by / (automation ? 7 : 5));
    const changes: readonly Partial<Setting>[] = [
      { blank: blank === 'sync' ? 'ignore' : 'sync' } as const,
      { conflict: otherOf(conflicts, conflict, nth) },
      { onRowDeleted: otherOf(ofRows, onRowDeleted, nth) },
      { onContactDeleted: otherOf(ofContacts, onContactDeleted, nth) },
      { filter: filter === undefined ? 'status' : undefined },
      ...(automation
        ? [
            { automation: { ...automation, onClear: automation.onClear === 'cancel' ? 'ignore' : 'cancel' } as const },
            { automation: { ...automation, cap: automation.cap === 2 ? 100 : 2 } },
          ]
        : []),
    ];
    const changed = changes[by % changes.length]!;
    whole = { ...whole, ...changed };
    if ('filter' in changed) return `the filter is ${changed.filter ?? 'none'} from now on`;
    return `the policy is ${JSON.stringify(changed)} from now on`;
  }

  const setting = () => ({ ...whole, fields: whole.fields.filter(({ field }) => mapped.has(field)) });
  let earlier: Setting | undefined;
  let last = setting();

  return {
    setting,
    inForce: () => [setting(), ...(earlier ? [earlier] : [])],
    async within(work) {
      earlier = last;
      await work();
      earlier = undefined;
    },
    whole: () => whole,
    policies: () => policies,
    mapped: () => mapped,
    directions: (field) => known.get(field) ?? new Set(['both']),
    change({ column, what, turn: by = 0 }) {
      last = setting();
      if (what === 'keys') return changeKeys(by);
      if (what === 'policy') {
        const told = changePolicy(by);
        policies.push(whole);
        return told;
      }
      const field = whole.fields[column % whole.fields.length]!;
      if (what === 'direction') return turn(field, by);
      if (field.field === 'email') return undefined;
      const isMapped = mapped.delete(field.field);
      if (!isMapped) mapped.add(field.field);
      return `${field.field} ${isMapped ? 'leaves' : 'is back in'} the mapping`;
    },
  };
}

function otherOf<Policy>(all: readonly Policy[], now: Policy, turn: number): Policy {
  const others = all.filter((each) => each !== now);
  return others[turn % others.length]!;
}
