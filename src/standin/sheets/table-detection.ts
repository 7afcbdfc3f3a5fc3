// values.append looks for a "table" in the given range and writes below it. A table is a group of filled cells that
// touch each other (also diagonally), described by its bounding box.
import type { Rect } from './a1.ts';
import { hasContent } from './cell.ts';
import { type Sheet, intersection } from './sheet.ts';

interface Run {
  readonly left: number;
  right: number;
  block: number;
}

/** The table of the range: the last one, by rows and then by columns, that it touches. */
export function findTable(sheet: Sheet, range: Rect): Rect | undefined {
  let found: Rect | undefined;
  for (const block of findBlocks(sheet)) {
    if (!intersection(block, range)) continue;
    if (!found || block.bottom > found.bottom || (block.bottom === found.bottom && block.right > found.right))
      found = block;
  }
  return found;
}

/** The bounding boxes of all groups of touching cells, made row by row by joining runs that touch. */
function findBlocks(sheet: Sheet): readonly Rect[] {
  const boxes: Rect[] = [];
  const parents: number[] = [];
  const root = (block: number): number => {
    let at = block;
    while (parents[at] !== at) at = parents[at] ?? at;
    return at;
  };
  let above: Run[] = [];
  for (const [row, entry] of sheet.rows.entries()) {
    const runs = entry ? filledRuns(entry.cells) : [];
    for (const run of runs) {
      run.block = boxes.length;
      parents.push(run.block);
      boxes.push({ top: row, left: run.left, bottom: row + 1, right: run.right });
      for (const other of above) {
        if (other.left > run.right || other.right < run.left) continue;
        const [a, b] = [root(other.block), root(run.block)];
        if (a === b) continue;
        parents[b] = a;
        boxes[a] = union(boxes[a], boxes[b]);
      }
    }
    above = runs;
  }
  return boxes.filter((_, block) => parents[block] === block);
}

function filledRuns(cells: readonly Parameters<typeof hasContent>[0][]): Run[] {
  const runs: Run[] = [];
  for (const [column, cell] of cells.entries()) {
    if (!hasContent(cell)) continue;
    const last = runs.at(-1);
    if (last?.right === column) last.right = column + 1;
    else runs.push({ left: column, right: column + 1, block: -1 });
  }
  return runs;
}

function union(a: Rect | undefined, b: Rect | undefined): Rect {
  if (!a || !b) throw new Error('a block has a bounding box');
  return {
    top: Math.min(a.top, b.top),
    left: Math.min(a.left, b.left),
    bottom: Math.max(a.bottom, b.bottom),
    right: Math.max(a.right, b.right),
  };
}
