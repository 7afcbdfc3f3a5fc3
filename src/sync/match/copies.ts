// I4: rows that carry one contact ID. Decides which of them is the contact's row, and says what is remembered of the others.
//
// Nothing in a sheet tells a row from its copy but what both hold, and people edit either. So a link remembers what its
// row held (`sheet`), and what the other rows with its ID held (`copies`). A row number tells nothing: people sort.
import { soleKeyNames, compileKeys, type Keys } from '../record/keys.ts';
import { isSame } from '../value/kinds.ts';
import type { Mapping } from '../record/mapping.ts';
import { type Packed, type RowRecord, unpack } from '../record/record.ts';
import { isBlank, type Reading } from '../value/value.ts';

/** What is known of the contact whose ID stands in the rows. */
export interface KnownContact {
  /** What its row was last seen to hold; of a contact without a link, what the contact holds. undefined: nothing is known. */
  readonly last: Packed | undefined;
  /** What rows held that had its ID and were not its row, when a run last looked. */
  readonly copies: readonly Packed[];
  /** All that has the contact's keys: the contact, and what both sides were last seen to hold. */
  readonly held: readonly Packed[];
}

/** What became of the rows with one ID. */
export interface SharedId {
  /** undefined: in doubt, so that all of them are quarantined and nothing is written for the contact. */
  readonly keeper: RowRecord | undefined;
  /** Upper ones first. */
  readonly others: readonly RowRecord[];
  /** For `Link.copies`. */
  readonly copies: readonly Packed[];
}

interface Candidate {
  readonly row: RowRecord;
  /** In how many fields it differs from what was last seen. */
  readonly distance: number;
  /** In how many fields it differs from the copy that it is most like; Infinity: no copy is known. */
  readonly distanceToCopy: number;
  readonly hasContactKeys: boolean;
  /** Less than half of what was last seen is changed: a row in which somebody edited something, and not another person. */
  readonly isMostlyAsSeen: boolean;
}

/**
 * The row that is as it was last seen. Else the nearest to that, field by field: never one whose keys are other than the
 * contact's, and one that is more like a known copy only where all of them are. Two rows that are equally near, and not
 * equal, leave it in doubt.
 *
 * `rows`: at least one. A single row is judged too, since it may be the copy, left behind when the row itself was deleted:
 * it is the contact's row if it has the contact's keys, or is plainly that row with a key edited in it.
 */
export function judgeSharedId(rows: readonly RowRecord[], known: KnownContact, mapping: Mapping): SharedId {
  const upperFirst = rows.toSorted((a, b) => a.number - b.number);
  const asSeen = known.last === undefined ? upperFirst[0] : upperFirst.find(({ values }) => values === known.last);
  if (asSeen) return keptBy(asSeen, upperFirst);
  const candidates = compareRows(upperFirst, known, mapping);
  const unchanged = candidates.find(({ distance }) => distance === 0);
  if (unchanged) return keptBy(unchanged.row, upperFirst);
  const keeper = candidates.length === 1 ? keeperOfOne(candidates[0]!) : nearestRow(candidates);
  return keeper ? keptBy(keeper, upperFirst) : inDoubt(candidates, mapping);
}

function keptBy(keeper: RowRecord, rows: readonly RowRecord[]): SharedId {
  const others = rows.filter((row) => row !== keeper);
  return { keeper, others, copies: contentsOf(others) };
}

function keeperOfOne(candidate: Candidate): RowRecord | undefined {
  const { row, distance, distanceToCopy, hasContactKeys, isMostlyAsSeen } = candidate;
  return hasContactKeys || (isMostlyAsSeen && distance < distanceToCopy) ? row : undefined;
}

function nearestRow(candidates: readonly Candidate[]): RowRecord | undefined {
  const originals = candidates.filter(isNoCopy);
  const pool = originals.length > 0 ? originals : candidates;
  return soleNearest(pool.filter(({ hasContactKeys }) => hasContactKeys))?.row;
}

function isNoCopy({ distance, distanceToCopy }: Candidate): boolean {
  return distance <= distanceToCopy;
}

/** Rows that hold the same are as good as one: the upper one stands for them. */
function soleNearest(candidates: readonly Candidate[]): Candidate | undefined {
  const least = Math.min(...candidates.map(({ distance }) => distance));
  const closest = candidates.filter(({ distance }) => distance === least);
  return contentsOf(closest.map(({ row }) => row)).length === 1 ? closest[0] : undefined;
}

/**
 * What is remembered while it is in doubt: all rows, but for the one that is plainly the contact's with a key edited in it.
 * Once the others are gone that edit is sent like any other (I7).
 */
function inDoubt(candidates: readonly Candidate[], { fields }: Mapping): SharedId {
  const rows = candidates.map(({ row }) => row);
  const likely = soleNearest(candidates.filter(isNoCopy));
  const isLikely =
    likely?.isMostlyAsSeen === true &&
    rows.every(
      ({ values }) =>
        values === likely.row.values ||
        likely.distance <= differences(fields, unpack(values), unpack(likely.row.values)),
    );
  const others = isLikely && rows.length > 1 ? rows.filter(({ values }) => values !== likely.row.values) : rows;
  return { keeper: undefined, others: rows, copies: contentsOf(others) };
}

function compareRows(
  rows: readonly RowRecord[],
  { last, copies, held }: KnownContact,
  mapping: Mapping,
): readonly Candidate[] {
  const keys = createContactKeys(mapping, held);
  const lastValues = unpack(last!);
  const copyValues = copies.map(unpack);
  const filled = lastValues.filter((value) => value !== undefined && !isBlank(value)).length;
  return rows.map((row) => {
    const values = unpack(row.values);
    const distance = differences(mapping.fields, lastValues, values);
    return {
      row,
      distance,
      isMostlyAsSeen: distance * 2 < filled,
      distanceToCopy: Math.min(...copyValues.map((copy) => differences(mapping.fields, copy, values))),
      hasContactKeys: keys.areIn(values),
    };
  });
}

/** Fields in which a row is not as it was. What is not known of before is not compared; what cannot be read now differs. */
function differences(fields: Mapping['fields'], before: readonly Reading[], now: readonly Reading[]): number {
  let count = 0;
  for (const [index, { kind }] of fields.entries()) {
    if (before[index] !== undefined && !isSame(kind, before[index], now[index])) count += 1;
  }
  return count;
}

/**
 * Whether a row names the contact: it has one of its keys, and no e-mail or handle that is not the contact's. A row that
 * names nobody is the row of a contact that nothing names.
 */
function createContactKeys(mapping: Mapping, held: readonly Packed[]) {
  const sole = compileKeys({ ...mapping, match: soleKeyNames(mapping).map((name) => [name]) });
  const all = compileKeys(mapping);
  const heldValues = held.map(unpack);
  const known = new Set(heldValues.flatMap((values) => all.of(values)));
  const isOther = (read: Keys['readers'][number], values: readonly Reading[]) => {
    const key = read(values);
    const contacts = heldValues.flatMap((each) => read(each) ?? []);
    return key !== undefined && contacts.length > 0 && !contacts.includes(key);
  };
  return {
    areIn(values: readonly Reading[]): boolean {
      const own = all.of(values);
      if (sole.readers.some((read) => isOther(read, values))) return false;
      return known.size === 0 ? own.length === 0 : own.some((key) => known.has(key));
    },
  };
}

/** In an order of their own, whatever the rows' order is (L11). */
function contentsOf(rows: readonly RowRecord[]): readonly Packed[] {
  return [...new Set(rows.map(({ values }) => values))].toSorted();
}
