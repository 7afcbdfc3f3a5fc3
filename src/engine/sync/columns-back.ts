// A column that was lost and is in the tab again: its blank cells are nobody's edit (W11, V3).
import { isBlank } from '../../sync/value/value.ts';
import { pack, type Packed, type RowRecord, unpack } from '../../sync/record/record.ts';
import { lastSeen, type Link } from '../../sync/record/base.ts';
import { returnedColumns } from '../columns.ts';
import type { Memory } from './memory.ts';
import type { Pulled } from './pull.ts';

/**
 * The memory without the base of such a field, for each contact whose row holds nothing in it: the cell is then filled from the
 * contact, as that of a new column (M9). Where the row holds a value, the base says which side was edited meanwhile; of rows with
 * one ID each has to, as it is not known yet which of them is the contact's (I4). The links are stored so with the fact that the
 * column is back: the run after would take the blank cells for edits.
 */
export function withColumnsBack(memory: Memory, { snapshot, sheet }: Pick<Pulled, 'snapshot' | 'sheet'>): Memory {
  const { base, facts } = memory;
  const isBack = new Set(returnedColumns(facts, snapshot));
  const places = base.fields.flatMap((name, place) => (isBack.has(name) ? [place] : []));
  if (places.length === 0) return memory;
  const rowsOf = rowFinder(sheet.rows, new Set(places));
  const links = [...base.links].map(([uuid, link]): [string, Link] => {
    const rows = rowsOf(uuid, link).map(({ values }) => unpack(values));
    const agreed = unpack(link.agreed);
    for (const place of places) {
      const isFilled = rows.length > 0 && rows.every(({ [place]: cell }) => cell !== undefined && !isBlank(cell));
      if (!isFilled) agreed[place] = undefined;
    }
    const known = pack(agreed, link.agreed);
    if (known === link.agreed) return [uuid, { ...link, isOpen: true }];
    // The link keeps the last reading of each side. This run may not read the contact again.
    const seen = { crm: lastSeen(link, 'crm'), sheet: lastSeen(link, 'sheet') };
    return [uuid, { ...link, ...seen, agreed: known, isOpen: true }];
  });
  return { ...memory, base: { ...base, links: new Map(links) }, isReopened: true };
}

/**
 * The row of a link, or the row and its copies: by its ID, or by the ID that could not be written over yet (I10). A row without an
 * ID is known by what its other cells held last (I5). Empty: none, or not the only one.
 */
function rowFinder(
  rows: readonly RowRecord[],
  places: ReadonlySet<number>,
): (uuid: string, link: Link) => readonly RowRecord[] {
  const byId = Map.groupBy(rows, ({ id }) => id);
  const others = (values: Packed) => JSON.stringify(unpack(values).filter((_, place) => !places.has(place)));
  const withoutId = Map.groupBy(byId.get('') ?? [], ({ values }) => others(values));
  return (uuid, link) => {
    const ofId = [...(byId.get(uuid) ?? []), ...(link.rowId ? (byId.get(link.rowId) ?? []) : [])];
    if (ofId.length > 0 || withoutId.size === 0) return ofId;
    const alike = withoutId.get(others(lastSeen(link, 'sheet'))) ?? [];
    return alike.length === 1 ? alike : [];
  };
}
