// Whether a row shows the person of another row, while the IDs, which people hide, stayed where they were (I2, L9).
import { compareTexts } from '../change.ts';
import { lastSeen, type Link } from '../record/base.ts';
import { nameFields } from '../record/keys.ts';
import { isWritable, type Mapping } from '../record/mapping.ts';
import { type ContactRecord, type Packed, type RowRecord, unpack } from '../record/record.ts';
import { isSame } from '../value/kinds.ts';
import type { Reading } from '../value/value.ts';
import { addToIndex, computeOnce, type Index } from './key-index.ts';
import { type LinkedRow, type Matching, rowsWithId, withholdRow } from './matching.ts';

/** Of cells that moved to another row without their ID: fewer are an edit. */
const movedCellsMin = 2;

function areMost(cells: number, changed: readonly number[]): boolean {
  return cells >= movedCellsMin && cells * 2 > changed.length;
}

/**
 * Whether people moved what they see of a person to this row, and the hidden ID stayed in `left`. That row has none of the
 * person's keys any more, and most of what people changed in it stands here. One key that a new row takes is an edit (I7).
 */
export function isMovedFrom({ input, keys }: Matching, uuid: string, left: RowRecord, row: RowRecord): boolean {
  const link = input.base.links.get(uuid);
  if (link === undefined || lastSeen(link, 'sheet') === left.values) return false;
  const [before, now, there] = [unpack(lastSeen(link, 'sheet')), unpack(left.values), unpack(row.values)];
  const had = new Set(keys.of(before));
  if (!keys.of(there).some((key) => had.has(key)) || keys.of(now).some((key) => had.has(key))) return false;
  const changed = input.mapping.fields.flatMap((field, index) =>
    isWritable(field, 'crm') && now[index] !== undefined && now[index] !== before[index] ? [index] : [],
  );
  // Somebody may have corrected a cell of the person since.
  return areMost(changed.filter((index) => there[index] === before[index]).length, changed);
}

/**
 * A row that somebody filled down from the row of another person, or pasted over: it has none of its own keys any more, shows one that
 * this other row shows, too, and most of what changed in it is what that row holds. The service would keep the key with its contact
 * (I7), and give the names and all else to the contact of the ID.
 */
export function withholdFilledOver(matching: Matching): void {
  const { input, keys, contactByUuid } = matching;
  const { mapping, base } = input;
  const holders = computeOnce(() => indexHolders(matching));
  const rowless = computeOnce(() => indexRowless(matching));
  const isPerson = showsPerson(mapping);
  for (const [uuid, row] of rowsWithId(matching)) {
    const link = base.links.get(uuid);
    const contact = contactByUuid.get(uuid);
    const before = heldBefore(link, contact);
    if (before === undefined || before === row.values || isAway(link, contact)) continue;
    const [had, now] = [unpack(before), unpack(row.values)];
    const own = new Set(keys.of(had));
    const taken = keys.of(now);
    if (taken.some((key) => own.has(key))) continue;
    const changed = changedFields(mapping, had, now);
    const isShown = (values: Packed) => isPerson(changed, sameFields(mapping, changed, now, unpack(values)));
    const source = taken
      .flatMap((key) => holders().get(key) ?? [])
      .find((each) => each.row !== row && each.shows.some(isShown));
    // L10: a row that shows what its contact has was written by a run that was killed.
    const inCrm = contact?.values ?? (link && lastSeen(link, 'crm'));
    if (inCrm && sameFields(mapping, changed, now, unpack(inCrm)).length === changed.length) continue;
    const other = source
      ? undefined
      : taken.flatMap((key) => rowless().get(key) ?? []).find(({ shows }) => shows.some(isShown));
    if (other) withholdRowOfOther(matching, [uuid, row], other.uuid);
    if (!source) continue;
    const { number } = source.row;
    const remedy = 'put its cells back, or delete the whole row';
    const reasons = {
      ofRow: `holds what row ${number} holds, and the ID of somebody else: ${remedy}`,
      ofContact: `its row ${row.number} holds what row ${number} holds: nothing is written for it; ${remedy}`,
    };
    // The other row may be edited, written or deleted next. One that is no row of that person either may be the one that is put back.
    withholdRow(matching, [uuid, row], reasons, source.isEdited ? [] : [row.values]);
  }
}

/** I5: it may be the row of that contact, whose own row is not found: nobody counts as deleted meanwhile. */
function withholdRowOfOther(matching: Matching, [uuid, row]: LinkedRow, other: string): void {
  const remedy = 'clear its ID, and it is the row of that contact; or put its cells back';
  const reasons = {
    ofRow: `shows the person of ${other}, who has no other row, and has the ID of somebody else: ${remedy}`,
    ofContact: `its row ${row.number} shows the person of ${other}: nothing is written for it; for that row: ${remedy}`,
  };
  withholdRow(matching, [uuid, row], reasons, [row.values]);
  matching.doubtfulRows.push(row);
}

/** Whether fields that are the same as in another row show its person. Colleagues may share an address and a company, and not their names. */
function showsPerson({ fields }: Mapping): (changed: readonly number[], same: readonly number[]) => boolean {
  const names = new Set(
    fields.flatMap((field, index) => (nameFields.has(field.name) && isWritable(field, 'crm') ? [index] : [])),
  );
  return (changed, same) => areMost(same.length, changed) && (names.size === 0 || same.some((each) => names.has(each)));
}

/** Nothing is written to a contact that is gone or has left. */
function isAway(link: Link | undefined, contact: ContactRecord | undefined): boolean {
  return contact === undefined && link?.standing !== undefined;
}

/** I9: what a row held that no state knows is what its contact holds. */
function heldBefore(link: Link | undefined, contact: ContactRecord | undefined) {
  return link ? lastSeen(link, 'sheet') : contact?.values;
}

/** Places of the fields in which people changed what goes to the service. */
function changedFields(mapping: Mapping, had: readonly Reading[], now: readonly Reading[]): readonly number[] {
  return mapping.fields.flatMap((field, index) =>
    isWritable(field, 'crm') &&
    now[index] !== undefined &&
    had[index] !== undefined &&
    !isSame(field.kind, now[index], had[index])
      ? [index]
      : [],
  );
}

function sameFields(
  { fields }: Mapping,
  among: readonly number[],
  now: readonly Reading[],
  other: readonly Reading[],
): readonly number[] {
  return among.filter((index) => isSame(fields[index]!.kind, now[index], other[index]));
}

/** A row that may be what somebody filled down or pasted over others. */
interface Holder {
  readonly row: RowRecord;
  /** It has none of the keys any more that it had. */
  readonly isEdited: boolean;
  /** The values of the row now. Of a row that kept one of its keys, also those of the last look: somebody may have edited a cell of it. */
  readonly shows: readonly Packed[];
}

/** A contact without a row. */
interface Rowless {
  readonly uuid: string;
  /** The values of the contact, and those of its row at the last look. */
  readonly shows: readonly Packed[];
}

/** Contacts that are there and have no row, or one that has lost its ID, by the keys that they have or their row had. */
function indexRowless(matching: Matching): Index<Rowless> {
  const { input, keys, contactByUuid, rowByUuid, sharedIds } = matching;
  const { links } = input.base;
  const uuids = new Set([...links.keys(), ...contactByUuid.keys()]).difference(rowByUuid).difference(sharedIds);
  const index = new Map<string, Rowless[]>();
  for (const uuid of [...uuids].toSorted(compareTexts)) {
    const link = links.get(uuid);
    const contact = contactByUuid.get(uuid);
    if (link?.standing === 'left' || link?.standing === 'contact-gone') continue;
    const inCrm = contact?.values ?? (link && lastSeen(link, 'crm'));
    const shows = [...(inCrm === undefined ? [] : [inCrm]), ...(link ? [lastSeen(link, 'sheet')] : [])];
    addToIndex(index, [...new Set(shows.flatMap((values) => keys.of(unpack(values))))], { uuid, shows });
  }
  return index;
}

/** Rows of contacts that are there, by the keys that they show: first those that showed them before, each part by its place in the tab. */
function indexHolders({ input: { base }, keys, rowByUuid, contactByUuid }: Matching): Index<Holder> {
  const [asBefore, edited]: [Holder[], Holder[]] = [[], []];
  for (const [uuid, row] of rowByUuid) {
    const link = base.links.get(uuid);
    const contact = contactByUuid.get(uuid);
    if (isAway(link, contact)) continue;
    const before = heldBefore(link, contact);
    const had = new Set(before === undefined || before === row.values ? [] : keys.of(unpack(before)));
    const isEdited = had.size > 0 && !keys.of(unpack(row.values)).some((key) => had.has(key));
    const shows = isEdited || before === undefined ? [row.values] : [row.values, before];
    (isEdited ? edited : asBefore).push({ row, isEdited, shows });
  }
  const index = new Map<string, Holder[]>();
  const byPlace = (holders: readonly Holder[]) => holders.toSorted((a, b) => a.row.number - b.row.number);
  for (const holder of [...byPlace(asBefore), ...byPlace(edited)])
    addToIndex(index, keys.of(unpack(holder.row.values)), holder);
  return index;
}
