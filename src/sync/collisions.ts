// I7: a key that is edited in the sheet must not be one that somebody else holds, unless they give it up in the same plan.
import { type Change, type Problem, problem } from './change.ts';
import type { Mapping } from './mapping.ts';
import { compileKeys, type Keys } from './keys.ts';
import type { Reading } from './value.ts';

type Update = Extract<Change, { op: 'update' }>;

export interface Untangled {
  /** In an order in which no contact takes a key before the one that holds it has let go. */
  readonly changes: readonly Update[];
  readonly problems: readonly Problem[];
}

/** `valuesByUuid`: what every contact holds now, the updated ones among them. */
export function untangle(
  mapping: Mapping,
  updates: readonly Update[],
  valuesByUuid: ReadonlyMap<string, readonly Reading[]>,
): Untangled {
  const keys = compileSoleKeys(mapping);
  const holders = new Map<string, string[]>();
  for (const [uuid, values] of valuesByUuid) {
    for (const key of keys.of(values)) holders.set(key, [...(holders.get(key) ?? []), uuid]);
  }
  const holdersOf = (key: string): readonly string[] => holders.get(key) ?? [];
  let edits = updates.map((update) => keyEdit(update, mapping, keys, valuesByUuid.get(update.uuid!) ?? []));
  const problems: Problem[] = [];
  for (;;) {
    const held = edits.filter((edit) => isBlocked(edit, edits, holdersOf));
    if (held.length === 0) break;
    for (const { update, keyFields } of held) {
      for (const field of keyFields) problems.push(collisionProblem(update, field, mapping));
    }
    edits = edits.map((edit) => (held.includes(edit) ? withoutKeys(edit) : edit));
  }
  return { changes: inOrder(edits, holdersOf).filter(({ fields }) => fields.length > 0), problems };
}

interface KeyEdit {
  readonly update: Update;
  /** Names of the fields in it that are keys. */
  readonly keyFields: readonly string[];
  readonly takes: readonly string[];
  readonly gives: readonly string[];
}

/** Fields that are a key by themselves. A name, and a name with a company, is shared by many and taken from nobody. */
export function soleKeyNames({ match }: Mapping): readonly string[] {
  return match.flatMap(([name, ...more]) => (name !== undefined && more.length === 0 && name !== 'name' ? [name] : []));
}

function compileSoleKeys(mapping: Mapping): Keys {
  return compileKeys({ ...mapping, match: soleKeyNames(mapping).map((name) => [name]) });
}

function keyEdit(update: Update, { fields }: Mapping, keys: Keys, before: readonly Reading[]): KeyEdit {
  const after = fields.map(({ name }, index) => {
    const change = update.fields.find(({ field }) => field === name);
    return change ? change.after : before[index];
  });
  const [had, has] = [keys.of(before), keys.of(after)];
  return {
    update,
    keyFields: update.fields
      .map(({ field }) => field)
      .filter((name) => keys.positions.has(fields.findIndex((field) => field.name === name))),
    takes: has.filter((key) => !had.includes(key)),
    gives: had.filter((key) => !has.includes(key)),
  };
}

function isBlocked(edit: KeyEdit, edits: readonly KeyEdit[], holdersOf: (key: string) => readonly string[]): boolean {
  return edit.takes.some((key) => {
    const holders = holdersOf(key).filter((uuid) => uuid !== edit.update.uuid);
    const isTakenTwice = edits.some((other) => other !== edit && other.takes.includes(key));
    const isGivenUp = holders.every((uuid) =>
      edits.some((other) => other.update.uuid === uuid && other.gives.includes(key)),
    );
    return isTakenTwice || !isGivenUp;
  });
}

function withoutKeys({ update, keyFields }: KeyEdit): KeyEdit {
  const fields = update.fields.filter(({ field }) => !keyFields.includes(field));
  return { update: { ...update, fields }, keyFields: [], takes: [], gives: [] };
}

function collisionProblem({ uuid, row }: Update, field: string, { fields }: Mapping): Problem {
  const header = fields.find(({ name }) => name === field)?.header ?? field;
  return problem('held', { uuid, row, field }, 'I7', `${header}: another contact has it`);
}

/**
 * Givers before takers, and those who pass keys on among themselves next to each other. Where they go in a circle, one of
 * them first lets go of its key altogether, and gets the new one once that is free.
 */
function inOrder(edits: readonly KeyEdit[], holdersOf: (key: string) => readonly string[]): Update[] {
  const isGivenBy = ({ update }: KeyEdit, key: string) => holdersOf(key).includes(update.uuid!);
  return groupsOf(edits, isGivenBy).flatMap((group) => inOrderOfGroup(group, isGivenBy));
}

type IsGivenBy = (edit: KeyEdit, key: string) => boolean;

function inOrderOfGroup(group: readonly KeyEdit[], isGivenBy: IsGivenBy): Update[] {
  const ordered: Update[] = [];
  let waiting = [...group];
  for (;;) {
    const givers = giversByKey(waiting, isGivenBy);
    const giverFor = (edit: KeyEdit) =>
      edit.takes.flatMap((key) => givers.get(key) ?? []).find((giver) => giver.update.uuid !== edit.update.uuid);
    const stuck = waiting.filter((edit) => giverFor(edit) !== undefined);
    const isStuck = new Set(stuck);
    ordered.push(...waiting.filter((edit) => !isStuck.has(edit)).map(({ update }) => update));
    if (stuck.length === 0) return ordered;
    if (stuck.length === waiting.length) {
      // From giver to giver until one comes again: that one is in the circle, and others may merely wait for it.
      const passed = new Set<KeyEdit>();
      let next = stuck[0]!;
      while (!passed.has(next)) {
        passed.add(next);
        next = giverFor(next)!;
      }
      ordered.push(releaseOf(next));
      stuck.splice(stuck.indexOf(next), 1, { ...next, gives: [] });
    }
    waiting = stuck;
  }
}

function giversByKey(edits: readonly KeyEdit[], isGivenBy: IsGivenBy): ReadonlyMap<string, readonly KeyEdit[]> {
  const givers = new Map<string, KeyEdit[]>();
  for (const edit of edits) {
    for (const key of edit.gives) if (isGivenBy(edit, key)) givers.set(key, [...(givers.get(key) ?? []), edit]);
  }
  return givers;
}

/** Edits that are of one contact, or of which one takes what the other gives, directly or over others. In order. */
function groupsOf(edits: readonly KeyEdit[], isGivenBy: IsGivenBy): readonly (readonly KeyEdit[])[] {
  const givers = giversByKey(edits, isGivenBy);
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
    for (const key of takes) for (const giver of givers.get(key) ?? []) join(update.uuid!, giver.update.uuid!);
  }
  return [...Map.groupBy(edits, ({ update }) => groupOf.get(update.uuid!)!).values()];
}

/** Of updates in order: those that pass keys on among themselves, together; every other one by itself. */
export function handovers(mapping: Mapping, updates: readonly Update[]): readonly (readonly Update[])[] {
  const keys = compileSoleKeys(mapping);
  const edits = updates.map((update) => {
    const before = mapping.fields.map(({ name }) => update.fields.find(({ field }) => field === name)?.before ?? null);
    return keyEdit(update, mapping, keys, before);
  });
  return groupsOf(edits, () => true).map((group) => group.map(({ update }) => update));
}

/** The keys of an update as they were before it, for a contact that is to get them back. None: nothing of it is a key. */
export function putBackOf(mapping: Mapping, update: Update): Update | undefined {
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

function releaseOf({ update, keyFields }: KeyEdit): Update {
  const fields = update.fields
    .filter(({ field }) => keyFields.includes(field))
    .map((change) => ({
      ...change,
      after: null,
      rule: 'I7' as const,
      reason: 'let go, so that another contact can take it',
    }));
  return { ...update, fields, rule: 'I7', reason: 'swaps a key with another contact', releases: true };
}
