// Whether rows show other people than before, while their hidden IDs stayed (G1): a new list was pasted over the one of last month, or
// names were filled down. Each contact would become somebody else, who gets what was meant for the person before.
import { rowKey } from '../record/base.ts';
import { type Change, firstFew } from '../change.ts';
import type { PlanInput } from '../input.ts';
import { compileKeys, type Keys, nameFields, nameKey } from '../record/keys.ts';
import { isWritable } from '../record/mapping.ts';
import { type RowRecord, unpack } from '../record/record.ts';
import type { Reading, Value } from '../value/value.ts';
import { wasCounted } from './counted.ts';
import { suspectKey, type Suspects, type Suspicion } from '../record/suspects.ts';

/** Whoever follows somebody at a firm may be typed over them, and so may a second one. */
const replacedRowsMin = 3;
/** Namesakes are few. */
const filledRowsMin = 5;
/** Whoever replaces the last person of the tab may add another one. */
const newRowsMin = 2;

interface Renamed {
  readonly uuid: string;
  readonly row: RowRecord;
  /** What both sides agreed on: what was last seen may have been waiting to stand still (W10). */
  readonly before: readonly Reading[];
  readonly now: readonly Reading[];
}

/**
 * What is wrong, and what to do; undefined: nothing. `changes`: those of the plan. What a run was let through to send was judged then.
 */
export function whyReplaced(input: PlanInput, changes: readonly Change[]): Suspicion | undefined {
  const renamed = renamedRows(input, changes);
  if (renamed.length === 0) return undefined;
  const { mapping } = input;
  const names = mapping.fields.flatMap((field, index) =>
    nameFields.has(field.name) && isWritable(field, 'crm') ? [index] : [],
  );
  const keys = compileKeys(mapping);
  const others = renamed.filter(({ before, now }) => {
    const had = keys.of(before);
    const has = keys.of(now);
    // A row that had no key counts, too, if it has one now.
    const isKnown = had.length > 0 || has.length > 0;
    return isKnown && !has.some((key) => had.includes(key)) && isOtherName(names, before, now);
  });
  const stillThere = (kind: 'replaced' | 'filled') => renamed.filter((row) => showsStill(input, kind, names, row));
  const areMany = others.length >= replacedRowsMin;
  const created = new Set(changes.flatMap((change) => (change.op === 'create' ? [change.row] : [])));
  if (!areMany && others.some(({ row }) => isAboveNewRows(input, keys, row, created))) {
    return {
      reason: `other people than before stand in row ${numbersOf(others)}, right above new rows: was a list pasted over the last people? Undo that; or clear the ID there, and a new contact is made; or look at the plan, then approve it`,
      suspects: suspectNames(input, 'replaced', names, [...others, ...stillThere('replaced')]),
    };
  }
  const replaced = new Set([...(areMany ? others : []), ...stillThere('replaced')]);
  if (replaced.size > 0) {
    return {
      reason: `rows ${numbersOf(replaced)} show other people than before: was a list pasted over them? Undo that; or clear the IDs of these rows, and each becomes a new contact; or look at the plan, then approve it, and the contacts that are there become these people`,
      suspects: suspectNames(input, 'replaced', names, replaced),
    };
  }
  const many = [...Map.groupBy(renamed, ({ now }) => fullName(names, now))].find(
    ([name, rows]) => name !== undefined && rows.length >= filledRowsMin,
  );
  const filled = new Set([...(many?.[1] ?? []), ...stillThere('filled')]);
  if (filled.size === 0) return undefined;
  return {
    reason: `rows ${numbersOf(filled)} show one and the same name since they were edited: were cells filled down? Undo that; or look at the plan, then approve it`,
    suspects: suspectNames(input, 'filled', names, filled),
  };
}

/** Whether an earlier run held this row for the names that it shows. */
function showsStill(
  { mapping: { fields }, suspects }: PlanInput,
  kind: 'replaced' | 'filled',
  names: readonly number[],
  { uuid, now }: Renamed,
): boolean {
  const held = names.filter((index) => suspects?.has(suspectKey(kind, uuid, fields[index]!.name)));
  return (
    held.length > 0 && held.every((index) => suspects?.get(suspectKey(kind, uuid, fields[index]!.name)) === now[index])
  );
}

function suspectNames(
  { mapping: { fields } }: PlanInput,
  kind: 'replaced' | 'filled',
  names: readonly number[],
  rows: Iterable<Renamed>,
): Suspects {
  const suspects = new Map<string, Value>();
  for (const { uuid, now } of rows)
    for (const index of names) {
      const value = now[index];
      if (value !== undefined) suspects.set(suspectKey(kind, uuid, fields[index]!.name), value);
    }
  return suspects;
}

/** Rows whose edits give their contacts another name, which counts for the first time. */
function renamedRows(input: PlanInput, changes: readonly Change[]): readonly Renamed[] {
  const { base, sheet } = input;
  const updates = changes.filter((change) => isRenaming(input, change));
  if (updates.length === 0) return [];
  const rowByNumber = new Map(sheet.rows.map((row) => [row.number, row]));
  return updates.flatMap(({ uuid, row: number }) => {
    const row = rowByNumber.get(number ?? 0);
    const link = base.links.get(uuid ?? '');
    return row && link ? [{ uuid: uuid!, row, before: unpack(link.agreed), now: unpack(row.values) }] : [];
  });
}

function isRenaming(input: PlanInput, change: Change): boolean {
  if (change.op !== 'update' || change.releases) return false;
  const link = input.base.links.get(change.uuid ?? '');
  return (
    link !== undefined &&
    change.fields.some((field) => nameFields.has(field.field) && !wasCounted(input, link, 'crm', field))
  );
}

/** Each part of the name that was there is another one. */
function isOtherName(names: readonly number[], before: readonly Reading[], now: readonly Reading[]): boolean {
  const called = names.filter((index) => before[index] != null);
  const isOther = (index: number) =>
    now[index] != null && nameKey(String(before[index])) !== nameKey(String(now[index]));
  return called.length > 0 && called.every(isOther);
}

/**
 * Rows of people without an ID follow, at once or below another one that was pasted over: this plan makes contacts of them, or no run has
 * seen them. Others may have waited there for long.
 */
function isAboveNewRows(
  { base, sheet }: PlanInput,
  keys: Keys,
  { number }: RowRecord,
  created: ReadonlySet<number | null>,
): boolean {
  const isNew = (row: RowRecord) =>
    created.has(row.number) ||
    (row.id === '' && !base.strays.has(rowKey(row)) && keys.of(unpack(row.values)).length > 0);
  const below = sheet.rows.filter((row) => row.number > number && row.number <= number + replacedRowsMin);
  return below.filter(isNew).length >= newRowsMin;
}

/** undefined: a first name alone, or a last one, is no name that tells people apart. */
function fullName(names: readonly number[], values: readonly Reading[]): string | undefined {
  const parts = names.flatMap((index) => values[index] ?? []);
  return names.length > 1 && parts.length === names.length ? nameKey(parts.join(' ')) : undefined;
}

function numbersOf(renamed: Iterable<Renamed>): string {
  return firstFew([...renamed].map(({ row }) => row.number).toSorted((a, b) => a - b));
}
