// Whether the cells of one column were moved to other rows, and those beside them were not (G1): it was sorted alone, or cells of it
// were deleted or inserted.
import { type Change, firstFew } from '../change.ts';
import type { PlanInput } from '../input.ts';
import { unpack } from '../record/record.ts';
import { isBlank, type Value } from '../value/value.ts';
import { wasCounted } from './counted.ts';
import { suspectKey, type Suspicion } from '../record/suspects.ts';

/** Two people may swap what they have, and three may pass an address on. Moved cells are more. */
const movedCellsMin = 5;
/** Whoever hands contacts of six salespeople round moves no cells: few values stand in many of them. */
const distinctShareMin = 0.5;
/** Others of the column may be edited in the same run. */
const movedShareMin = 0.8;

interface Edit {
  readonly uuid: string;
  readonly row: number | null;
  readonly before: Value;
  readonly after: Value;
}

/**
 * What is wrong; undefined: no column holds in many rows what others of these rows held before, or did when an earlier run looked.
 * `changes`: those of the plan.
 */
export function whyColumnMoved(input: PlanInput, changes: readonly Change[]): Suspicion | undefined {
  const edits = editsByField(input, changes);
  const moved = input.mapping.fields.flatMap(({ name, header }, index) => {
    const ofField = edits.get(name) ?? [];
    const isLeft = ({ uuid, after }: Edit) => input.suspects?.get(suspectKey('column', uuid, name)) === after;
    const cells = new Set([...movedCells(input, index, ofField), ...ofField.filter(isLeft)]);
    return cells.size > 0 ? [{ name, header, cells: [...cells] }] : [];
  });
  const [first] = moved;
  if (!first) return undefined;
  const suspects = new Map(
    moved.flatMap(({ name, cells }) =>
      cells.map(({ uuid, after }) => [suspectKey('column', uuid, name), after] as const),
    ),
  );
  const headers = moved.map(({ header }) => `"${header}"`).join(', ');
  const rows = firstFew(first.cells.flatMap(({ row }) => row ?? []).toSorted((a, b) => a - b));
  return { reason: movedColumnText(headers, rows), suspects };
}

/** Those of the edits of a column that show that it was moved; empty: it was not. `index`: the place of the field. */
function movedCells(input: PlanInput, index: number, ofField: readonly Edit[]): readonly Edit[] {
  if (ofField.length < movedCellsMin) return [];
  const cells = takenFrom(ofField, givenUp(input, index), ({ after }) => after);
  const values = cells.flatMap(({ after }) => (isBlank(after) ? [] : [after]));
  const distinct = new Set(values).size;
  const areMany = distinct >= movedCellsMin && distinct >= values.length * distinctShareMin;
  return areMany && cells.length >= ofField.length * movedShareMin ? cells : [];
}

export function movedColumnText(column: string, rows: string): string {
  return `in ${column}, rows ${rows} hold what others of these rows held: was the column sorted alone, or were cells of it deleted or inserted? Undo that in the spreadsheet; or look at the plan, then approve it`;
}

/** How often each value, or a blank, left a cell of the column: also of a row that is in conflict, and of which nothing is sent. */
function givenUp({ base, sheet }: PlanInput, index: number): Map<Value, number> {
  const left = new Map<Value, number>();
  for (const { id, values } of sheet.rows) {
    const link = base.links.get(id);
    // Most rows are as agreed, and are not unpacked.
    if (!link || link.agreed === values) continue;
    const [before, now] = [unpack(link.agreed)[index], unpack(values)[index]];
    if (before !== undefined && now !== undefined && before !== now) left.set(before, (left.get(before) ?? 0) + 1);
  }
  return left;
}

/** Each that takes what another cell gave up, once for each time that it was given up. `left` is used up. */
export function takenFrom<Cell, Key>(
  cells: readonly Cell[],
  left: Map<Key, number>,
  keyOf: (cell: Cell) => Key,
): readonly Cell[] {
  return cells.filter((cell) => {
    const count = left.get(keyOf(cell)) ?? 0;
    left.set(keyOf(cell), count - 1);
    return count > 0;
  });
}

/** What people changed in rows, and the service is to get. What a run was let through to send was judged then. */
function editsByField(input: PlanInput, changes: readonly Change[]): ReadonlyMap<string, readonly Edit[]> {
  const edits = new Map(input.mapping.fields.map(({ name }) => [name, new Array<Edit>()]));
  for (const change of changes) {
    if (change.op !== 'update' || change.releases) continue;
    const link = input.base.links.get(change.uuid ?? '');
    if (!link) continue;
    const held = unpack(link.agreed);
    for (const field of change.fields) {
      const before = held[input.mapping.fields.findIndex(({ name }) => name === field.field)];
      if (before === undefined || before === field.after || wasCounted(input, link, 'crm', field)) continue;
      edits.get(field.field)?.push({ uuid: change.uuid!, row: change.row, before, after: field.after });
    }
  }
  return edits;
}
