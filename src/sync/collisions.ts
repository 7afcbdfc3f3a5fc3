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
  const keys = compileKeys({ ...mapping, match: soleKeyNames(mapping).map((name) => [name]) });
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
 * Givers before takers. Where they go in a circle, one of them first lets go of its key altogether, and gets the new one
 * at the end.
 */
function inOrder(edits: readonly KeyEdit[], holdersOf: (key: string) => readonly string[]): Update[] {
  const ordered: Update[] = [];
  const last: Update[] = [];
  let waiting = [...edits];
  const isHeldBack = ({ update, takes }: KeyEdit) =>
    takes.some((key) => {
      const holders = holdersOf(key);
      return waiting.some(
        (other) =>
          other.update.uuid !== update.uuid && holders.includes(other.update.uuid!) && other.gives.includes(key),
      );
    });
  while (waiting.length > 0) {
    const free = waiting.filter((edit) => !isHeldBack(edit));
    ordered.push(...free.map(({ update }) => update));
    waiting = waiting.filter((edit) => !free.includes(edit));
    if (free.length > 0 || waiting.length === 0) continue;
    const [first] = waiting;
    ordered.push(releaseOf(first!));
    last.push(first!.update);
    waiting = waiting.slice(1);
  }
  return [...ordered, ...last];
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
