// Whether cells of people were moved to other rows while the IDs stayed (G1, L9): a range that was sorted without the ID
// column, or cells that were deleted or inserted there.
import { lastSeen, type Link } from '../record/base.ts';
import { firstFew } from '../change.ts';
import type { PlanInput } from '../input.ts';
import { isWritable, type Mapping } from '../record/mapping.ts';
import { compileKeys } from '../record/keys.ts';
import { type Packed, unpack } from '../record/record.ts';
import { isSame } from '../value/kinds.ts';
import type { Reading, Value } from '../value/value.ts';
import { suspectKey, type Suspects, type Suspicion } from '../record/suspects.ts';

/** Two people may swap their addresses (I7). Of a sort or a deletion of cells, more rows change, and more cells of each. */
const movedRowsMin = 3;
/** So many of these came with most of their cells. Of the others, somebody edited or unmerged cells before they were moved. */
const wholeRowsMin = 2;
const movedCellsMin = 2;

interface EditedRow {
  readonly number: number;
  readonly uuid: string;
  /** Undefined: the state was lost, or is new (I9). */
  readonly link: Link | undefined;
  readonly before: readonly Reading[];
  readonly now: readonly Reading[];
}

interface MovedRow {
  readonly row: EditedRow;
  /** Places of the fields that are not as they were. */
  readonly changed: readonly number[];
  readonly isWhole: boolean;
}

/** What is wrong, and what to do; undefined: no row holds what another row held, or did when an earlier run looked. */
export function whyMoved(input: PlanInput): Suspicion | undefined {
  const { base, crm, sheet, mapping, suspects } = input;
  let contacts: ReadonlyMap<string, Packed> | undefined;
  const contactOf = (uuid: string) =>
    (contacts ??= new Map(crm.contacts.map((contact) => [contact.uuid, contact.values]))).get(uuid);
  const edited = sheet.rows.flatMap(({ number, id, values }): EditedRow[] => {
    const link = base.links.get(id);
    // I9: what a row held that no state knows is what its contact holds.
    const before = link === undefined ? id !== '' && contactOf(id) : lastSeen(link, 'sheet');
    if (!before || before === values) return [];
    return [{ number, uuid: id, link, before: unpack(before), now: unpack(values) }];
  });
  if (edited.length < (suspects ? 1 : movedRowsMin)) return undefined;
  const keys = compileKeys(mapping);
  // The row that the cells came from lost them, so it is among the edited ones too.
  const rowByKey = new Map(edited.flatMap((row) => keys.of(row.before).map((key) => [key, row] as const)));
  // Without a state a row is compared with its contact. A contact has no value for a column that is only sent (M4), and may have another
  // spelling of a handle (V2).
  const isAlike = (now: readonly Reading[], other: readonly Reading[], at: readonly number[]) =>
    at.every((index) => other[index] === undefined || isSame(mapping.fields[index]!.kind, now[index], other[index]));
  // People who differ in their address alone: all that people fill in the row is as it was in the other one.
  const ofPeople = mapping.fields.flatMap((field, index) => (isWritable(field, 'crm') ? [index] : []));
  const moved = edited.flatMap((row): MovedRow[] => {
    const { before, now } = row;
    const had = new Set(keys.of(before));
    const taken = keys.of(now).find((key) => !had.has(key) && rowByKey.has(key));
    const source = taken === undefined ? undefined : rowByKey.get(taken);
    const changed = now.flatMap((value, index) =>
      value === undefined || before[index] === undefined || isAlike(now, before, [index]) ? [] : [index],
    );
    if (source === undefined) return [];
    // Somebody may have edited the row, or unmerged a cell of it, before the cells were moved.
    const alike = changed.filter((index) => isAlike(now, source.before, [index])).length;
    const areMost = alike >= movedCellsMin && alike * 2 > changed.length;
    return [{ row, changed, isWhole: areMost || isAlike(now, source.before, ofPeople) }];
  });
  // L10: a row that shows what its contact has was not moved by a person. A run that was killed wrote it.
  const isTyped = ({ row: { uuid, link, now }, changed }: Pick<MovedRow, 'row' | 'changed'>) => {
    const contact = contactOf(uuid) ?? (link && lastSeen(link, 'crm'));
    return contact === undefined || !isAlike(now, unpack(contact), changed);
  };
  const typed = areEnough(moved) ? moved.filter(isTyped) : [];
  const found = areEnough(typed) ? typed : [];
  const left = suspects ? edited.flatMap((row) => stillMoved(mapping, suspects, row) ?? []).filter(isTyped) : [];
  const named = new Map([...found, ...left].map((each) => [each.row.uuid, each]));
  if (named.size === 0) return undefined;
  const rows = firstFew([...named.values()].map(({ row }) => row.number).toSorted((a, b) => a - b));
  return {
    reason: `rows ${rows} hold what other rows held, and the IDs did not move along: were cells sorted, deleted or inserted without the ID column? Undo that in the spreadsheet, or show the ID column and clear its cells: each row is then matched by its keys`,
    suspects: new Map([...named.values()].flatMap((each) => suspectCells(mapping, each))),
  };
}

/** What an earlier run held of this row, as far as the row shows most of it still; undefined: nothing, or somebody put it right. */
function stillMoved(
  { fields }: Mapping,
  suspects: Suspects,
  row: EditedRow,
): Pick<MovedRow, 'row' | 'changed'> | undefined {
  const held = fields.flatMap(({ name, kind }, index) => {
    const key = suspectKey('moved', row.uuid, name);
    return suspects.has(key) ? [{ index, isThere: isSame(kind, row.now[index], suspects.get(key)) }] : [];
  });
  const changed = held.flatMap(({ index, isThere }) => (isThere ? [index] : []));
  return changed.length * 2 > held.length ? { row, changed } : undefined;
}

function suspectCells(
  { fields }: Mapping,
  { row: { uuid, now }, changed }: Pick<MovedRow, 'row' | 'changed'>,
): readonly (readonly [string, Value])[] {
  return changed.flatMap((index) => {
    const value = now[index];
    return value === undefined ? [] : [[suspectKey('moved', uuid, fields[index]!.name), value] as const];
  });
}

function areEnough(moved: readonly Pick<MovedRow, 'isWhole'>[]): boolean {
  return moved.length >= movedRowsMin && moved.filter(({ isWhole }) => isWhole).length >= wholeRowsMin;
}
