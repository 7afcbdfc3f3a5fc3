// A column that was lost and is in the tab again: its blank cells are nobody's edit (W11, V3).
import { isBlank } from '../../sync/value/value.ts';
import { pack, unpack } from '../../sync/record/record.ts';
import type { Link } from '../../sync/record/base.ts';
import { returnedColumns } from '../columns.ts';
import type { Memory } from './memory.ts';
import type { Pulled } from './pull.ts';

/**
 * The memory without the base of such a field, for each contact whose row holds nothing in it: the cell is then filled from the
 * contact, as that of a new column (M9). Where the row holds a value, the base says which side was edited meanwhile. The links
 * are stored so with the fact that the column is back: the run after would take the blank cells for edits.
 */
export function withColumnsBack(memory: Memory, { snapshot, sheet }: Pick<Pulled, 'snapshot' | 'sheet'>): Memory {
  const { base, facts } = memory;
  const isBack = new Set(returnedColumns(facts, snapshot));
  const places = base.fields.flatMap((name, place) => (isBack.has(name) ? [place] : []));
  if (places.length === 0) return memory;
  const cellsById = new Map(sheet.rows.map(({ id, values }) => [id, unpack(values)]));
  const links = [...base.links].map(([uuid, link]): [string, Link] => {
    const cells = cellsById.get(uuid);
    const agreed = unpack(link.agreed);
    for (const place of places) {
      const cell = cells?.[place];
      if (cell === undefined || isBlank(cell)) agreed[place] = undefined;
    }
    return [uuid, { ...link, agreed: pack(agreed, link.agreed), isOpen: true }];
  });
  return { ...memory, base: { ...base, links: new Map(links) }, isReopened: true };
}
