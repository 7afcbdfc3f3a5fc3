// Rows that have the same contact ID (I4): decides which of them is the contact's row, and what is stored about the
// others.
//
// A row differs from its copy only by what both hold, and people edit either. So a link stores what its row held
// (`sheet`) and what the other rows with its ID held (`copies`). Row numbers do not help: people sort.
import { soleKeyNames, compileKeys, type Keys } from '../record/keys.ts';
import { isSame } from '../value/kinds.ts';
import { type Field, isWritable, type Mapping } from '../record/mapping.ts';
import { type Packed, type RowRecord, unpack } from '../record/record.ts';
import { isBlank, type Reading } from '../value/value.ts';

/** The knowledge of the contact whose ID the rows have. */
export interface KnownContact {
  /**
   * The values of its row when last seen. For a contact without a link: the values of the contact. undefined: nothing is
   * known.
   */
  readonly last: Packed | undefined;
  /** As `Link.copies`. */
  readonly copies: readonly Packed[];
  /** The contact as it was read, or last seen. undefined: nothing is known. */
  readonly contact: Packed | undefined;
  /** The values that both sides agreed on last. undefined: it has no link. */
  readonly agreed: Packed | undefined;
  /** All contents that have the contact's keys: the contact, and what both sides were last seen to hold. */
  readonly held: readonly Packed[];
}

/** The decision about the rows with one ID. */
export interface SharedId {
  /** undefined: in doubt. All of the rows are quarantined, and nothing is written for the contact. */
  readonly keeper: RowRecord | undefined;
  /** Upper ones first. */
  readonly others: readonly RowRecord[];
  /** For `Link.copies`. */
  readonly copies: readonly Packed[];
  /** In doubt, since a row with this ID was emptied, and more of it is blank or another than as it was. */
  readonly isStillEmptied?: true;
  /** In doubt, since these fields of a row that has the contact's keys hold what somebody else had there. Left out: none do. */
  readonly left?: readonly Field[];
}

interface Candidate {
  readonly row: RowRecord;
  /** The number of fields in which it differs from what was last seen. */
  readonly distance: number;
  /** The number of fields in which it differs from the most similar known copy; Infinity: no copy is known. */
  readonly distanceToCopy: number;
  readonly hasContactKeys: boolean;
  /** The contact has no key, and the row has one: it is another person's, or was typed into the contact's row. */
  readonly mayHaveNewKey: boolean;
  /** Less than half of what people had filled in changed: an edited row, not the row of another person. */
  readonly isMostlyAsSeen: boolean;
  /**
   * Known copies that do not show the contact, and that are still in part in the row: its cells are being put back one by one, of which
   * the contact's key may be the first.
   */
  readonly strangers: readonly Packed[];
  /** Fields that hold what one of them holds. */
  readonly left: readonly Field[];
}

/**
 * The contact's row is the one that holds what was last seen; if a copy held that too, a row that is as the contact goes
 * before it. If none does, it is the row that differs in the fewest fields. A row with other keys than the contact's is
 * never taken. A row that is more similar to a known copy is taken only if all of them are. If two different rows differ
 * in equally many fields, the decision is in doubt.
 *
 * For a contact without any key, a row without keys is taken only while less than half of it changed, and only if no row
 * with a key differs in as few fields.
 *
 * `rows`: at least one. A single row is judged too: it may be the copy, left behind when the row itself was deleted. It
 * is the contact's row if it has the contact's keys, or if it is clearly that row with an edited key, and nothing of somebody else is
 * left in it.
 */
export function judgeSharedId(rows: readonly RowRecord[], known: KnownContact, mapping: Mapping): SharedId {
  const upperFirst = rows.toSorted((a, b) => a.number - b.number);
  const asSeen = known.last === undefined ? upperFirst[0] : upperFirst.find(({ values }) => values === known.last);
  if (asSeen) return keptBy(asContact(upperFirst, asSeen, known, mapping) ?? asSeen, upperFirst);
  const candidates = compareRows(upperFirst, known, mapping);
  const unchanged = candidates.find(({ distance }) => distance === 0);
  if (unchanged) return keptBy(unchanged.row, upperFirst);
  const keeper = candidates.length === 1 ? keeperOfOne(candidates[0]!) : nearestRow(candidates);
  if (keeper) return keptBy(keeper, upperFirst);
  const doubt = inDoubt(candidates, mapping);
  // Of cells that are put back one by one, the first ones leave a row that is as near to what was seen as to what is there now.
  const strangers = candidates.flatMap((candidate) => candidate.strangers);
  const copies = new Set([...doubt.copies, ...strangers]);
  const isStillEmptied = strangers.some((copy) => isEmptied(copy, mapping));
  const left = candidates.flatMap((candidate) => candidate.left);
  return {
    ...doubt,
    copies: [...copies].toSorted(),
    ...(isStillEmptied && { isStillEmptied }),
    ...(left.length > 0 && { left }),
  };
}

/**
 * Where a copy held the same as the row, what was last seen does not tell which of them was edited since. Taking one that
 * is as the contact, or as both sides agreed last, writes nothing into the contact.
 */
function asContact(
  rows: readonly RowRecord[],
  asSeen: RowRecord,
  { contact, agreed, copies }: KnownContact,
  { fields }: Mapping,
): RowRecord | undefined {
  if (!copies.includes(asSeen.values)) return undefined;
  for (const known of [contact, agreed]) {
    if (known === undefined) continue;
    const values = unpack(known);
    const isAsKnown = (row: RowRecord) => differences(fields, values, unpack(row.values)) === 0;
    if (isAsKnown(asSeen)) return undefined;
    const found = rows.find(isAsKnown);
    if (found) return found;
  }
  return undefined;
}

function keptBy(keeper: RowRecord, rows: readonly RowRecord[]): SharedId {
  const others = rows.filter((row) => row !== keeper);
  return { keeper, others, copies: contentsOf(others) };
}

function keeperOfOne(candidate: Candidate): RowRecord | undefined {
  const { row, distance, distanceToCopy, hasContactKeys, isMostlyAsSeen, strangers } = candidate;
  if (strangers.length > 0) return undefined;
  return hasContactKeys || (isMostlyAsSeen && distance < distanceToCopy) ? row : undefined;
}

function nearestRow(candidates: readonly Candidate[]): RowRecord | undefined {
  const originals = candidates.filter(isNoCopy);
  const pool = originals.length > 0 ? originals : candidates;
  const nearest = soleNearest(pool.filter(({ hasContactKeys }) => hasContactKeys));
  if (!nearest || pool.some((each) => each.mayHaveNewKey && each.distance <= nearest.distance)) return undefined;
  return nearest.row;
}

function isNoCopy({ distance, distanceToCopy }: Candidate): boolean {
  return distance <= distanceToCopy;
}

/** Of rows with the same contents the upper one is taken. */
function soleNearest(candidates: readonly Candidate[]): Candidate | undefined {
  const least = Math.min(...candidates.map(({ distance }) => distance));
  const closest = candidates.filter(({ distance }) => distance === least);
  return contentsOf(closest.map(({ row }) => row)).length === 1 ? closest[0] : undefined;
}

/**
 * The rows that are stored while the decision is in doubt: all rows except the one that is clearly the contact's row with an edited
 * key. Once the other rows are gone, that edit is sent like any other (I7).
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

/** Whether nothing of people stands in it. */
function isEmptied(copy: Packed, { fields }: Mapping): boolean {
  return unpack(copy).every((value, index) => !isWritable(fields[index]!, 'crm') || value === null);
}

function compareRows(rows: readonly RowRecord[], known: KnownContact, mapping: Mapping): readonly Candidate[] {
  const { last, copies, held } = known;
  const keys = createContactKeys(mapping, held);
  const lastValues = unpack(last!);
  const copyValues = copies.map(unpack);
  const isFilled = (value: Reading) => value !== undefined && !isBlank(value);
  // A copy keeps what leadsheet wrote into the row, also when another person is typed over it.
  const isOfPeople = (index: number) => isWritable(mapping.fields[index]!, 'crm');
  const contact = known.contact === undefined ? [] : unpack(known.contact);
  /** Values of a copy that the row did not have when it was seen, and the contact does not have. */
  const leftOf = (copy: readonly Reading[], values: readonly Reading[]) =>
    mapping.fields.filter(({ kind }, index) => {
      const { [index]: value } = values;
      const isOf = (other: readonly Reading[]) => other[index] !== undefined && isSame(kind, value, other[index]);
      return isFilled(value) && isOfPeople(index) && isOf(copy) && !isOf(lastValues) && !isOf(contact);
    });
  const strangersIn = (values: readonly Reading[], distance: number) => {
    // Whatever is left of others is in a row without the contact's keys, which is itself one of them from now on.
    const isStranger = keys.areKnown && !keys.areIn(values);
    return copies.filter((packed) => {
      const copy = unpack(packed);
      if (isEmptied(packed, mapping)) return differences(mapping.fields, copy, values) <= distance;
      return !isStranger && keys.areKnown && !keys.areIn(copy) && leftOf(copy, values).length > 0;
    });
  };
  const filled = lastValues.filter((value, index) => isFilled(value) && isOfPeople(index)).length;
  return rows.map((row) => {
    const values = unpack(row.values);
    const distance = differences(mapping.fields, lastValues, values);
    const typed = values.map((value, index) => (isOfPeople(index) ? value : lastValues[index]));
    const isMostlyAsSeen = differences(mapping.fields, lastValues, typed) * 2 < filled;
    const strangers = strangersIn(values, distance);
    return {
      row,
      distance,
      isMostlyAsSeen,
      mayHaveNewKey: !keys.areKnown && !keys.areIn(values),
      strangers,
      left: [...new Set(strangers.flatMap((copy) => leftOf(unpack(copy), values)))],
      distanceToCopy: Math.min(...copyValues.map((copy) => differences(mapping.fields, copy, values))),
      // That it has no key tells little of a row: one that was emptied has none.
      hasContactKeys: keys.areIn(values) && (keys.areKnown || isMostlyAsSeen),
    };
  });
}

/**
 * Counts the fields in which a row changed. A field that was unknown before is not compared; a field that is unreadable
 * now counts.
 */
function differences(fields: Mapping['fields'], before: readonly Reading[], now: readonly Reading[]): number {
  let count = 0;
  for (const [index, { kind }] of fields.entries()) {
    if (before[index] !== undefined && !isSame(kind, before[index], now[index])) count += 1;
  }
  return count;
}

/**
 * Whether a row names the contact: it has one of its keys, and no e-mail or handle of another contact. A row without keys
 * names a contact without keys.
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
    areKnown: known.size > 0,
    areIn(values: readonly Reading[]): boolean {
      const own = all.of(values);
      if (sole.readers.some((read) => isOther(read, values))) return false;
      return known.size === 0 ? own.length === 0 : own.some((key) => known.has(key));
    },
  };
}

/** Sorted, so that the order of the rows does not matter (L11). */
function contentsOf(rows: readonly RowRecord[]): readonly Packed[] {
  return [...new Set(rows.map(({ values }) => values))].toSorted();
}
