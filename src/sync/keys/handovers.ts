// The order in which updates pass keys on: each key is free before a contact takes it (I7).
import { compileSoleKeys, soleKeyNames } from '../record/keys.ts';
import { type KeyEdit, keyEdit, type Update } from './key-edits.ts';
import type { Mapping } from '../record/mapping.ts';

/**
 * A contact that gives a key up comes before the one that takes it. Updates that pass keys on among themselves stand
 * together. If they form a circle, one of them first empties its key, and gets the new one once that is free.
 */
export function orderUpdates(edits: readonly KeyEdit[]): Update[] {
  return groupsOf(edits).flatMap(inOrderOfGroup);
}

function inOrderOfGroup(group: readonly KeyEdit[]): Update[] {
  const ordered: Update[] = [];
  let waiting = [...group];
  for (;;) {
    const givers = giversByKey(waiting);
    const giverFor = (edit: KeyEdit) =>
      edit.takes.flatMap(({ key }) => givers.get(key) ?? []).find((giver) => giver.update.uuid !== edit.update.uuid);
    const stuck = waiting.filter((edit) => giverFor(edit) !== undefined);
    const isStuck = new Set(stuck);
    ordered.push(...waiting.filter((edit) => !isStuck.has(edit)).map(({ update }) => update));
    if (stuck.length === 0) return ordered;
    if (stuck.length === waiting.length) {
      // Follows the givers until one repeats: that one is in the circle. The others may only wait for it.
      const passed = new Set<KeyEdit>();
      let next = stuck[0]!;
      while (!passed.has(next)) {
        passed.add(next);
        next = giverFor(next)!;
      }
      const wanted = new Set(waiting.flatMap((edit) => (edit === next ? [] : edit.takes.map(({ key }) => key))));
      ordered.push(releaseOf(next, wanted));
      stuck.splice(stuck.indexOf(next), 1, { ...next, gives: next.gives.filter(({ key }) => !wanted.has(key)) });
    }
    waiting = stuck;
  }
}

function giversByKey(edits: readonly KeyEdit[]): ReadonlyMap<string, readonly KeyEdit[]> {
  const givers = new Map<string, KeyEdit[]>();
  for (const edit of edits) {
    for (const { key } of edit.gives) givers.set(key, [...(givers.get(key) ?? []), edit]);
  }
  return givers;
}

/**
 * Groups of edits that belong to one contact, or of which one takes what another gives, directly or through others. In
 * order.
 */
function groupsOf(edits: readonly KeyEdit[]): readonly (readonly KeyEdit[])[] {
  const givers = giversByKey(edits);
  const groupOf = new Map<string, Set<KeyEdit>>();
  const join = (a: string, b: string): void => {
    const [one, other] = [groupOf.get(a)!, groupOf.get(b)!];
    if (one === other) return;
    const [kept, added] = one.size < other.size ? [other, one] : [one, other];
    for (const edit of added) {
      kept.add(edit);
      groupOf.set(edit.update.uuid!, kept);
    }
  };
  for (const edit of edits) {
    const uuid = edit.update.uuid!;
    groupOf.set(uuid, (groupOf.get(uuid) ?? new Set()).add(edit));
  }
  for (const { update, takes } of edits) {
    for (const { key } of takes) for (const giver of givers.get(key) ?? []) join(update.uuid!, giver.update.uuid!);
  }
  return [...Map.groupBy(edits, ({ update }) => groupOf.get(update.uuid!)!).values()];
}

/** Groups of updates, in order: those that pass keys on among themselves stand together, and each other update alone. */
export function groupHandOvers(mapping: Mapping, updates: readonly Update[]): readonly (readonly Update[])[] {
  const keys = compileSoleKeys(mapping);
  const edits = updates.map((update) => {
    const before = mapping.fields.map(({ name }) => update.fields.find(({ field }) => field === name)?.before ?? null);
    return keyEdit(update, mapping, keys, before);
  });
  return groupsOf(edits).map((group) => group.map(({ update }) => update));
}

/** An update that gives a contact its keys back. undefined: the update changed no key. */
export function restoreKeys(mapping: Mapping, update: Update): Update | undefined {
  const names = soleKeyNames(mapping);
  const fields = update.fields.flatMap(({ field, before, after }) =>
    names.includes(field) && before !== undefined
      ? [
          {
            field,
            before: after,
            after: before,
            rule: 'I7' as const,
            reason: 'put back: not all keys could change hands',
          },
        ]
      : [],
  );
  if (fields.length === 0) return undefined;
  const { releases: _releases, ...rest } = update;
  return { ...rest, fields, rule: 'I7', reason: 'puts a key back', restores: true };
}

/** Only of the keys that others wait for: what is emptied needs a second call to be filled again. */
function releaseOf({ update, gives }: KeyEdit, wanted: ReadonlySet<string>): Update {
  const released = new Set(gives.flatMap(({ field, key }) => (wanted.has(key) ? [field] : [])));
  const fields = update.fields
    .filter(({ field }) => released.has(field))
    .map((change) => ({
      ...change,
      after: null,
      rule: 'I7' as const,
      reason: 'emptied so that another contact can take it',
    }));
  return { ...update, fields, rule: 'I7', reason: 'swaps a key with another contact', releases: true };
}
