import { type FeedRowView, feedRowsOf } from '../people/feed-acts.ts';
import type { Violation } from '../oracle/evidence.ts';
import { feedTab } from '../world/setting.ts';
import type { SideEvent } from '../world/sides.ts';

export interface FeedSeen {
  /** The records of the collection, by uuid. */
  readonly nameById: ReadonlyMap<string, string>;
  readonly rows: readonly FeedRowView[];
  /** V3: merged cells cover IDs, so that no record gets a row. */
  readonly areIdsCovered: boolean;
  /** IDs that people put into more than one row. */
  readonly copied: ReadonlySet<string>;
  /** Write calls of a run over an unchanged feed. */
  readonly idleWrites: number;
}

/** F1, F3, F5, I4. Once all is quiet each record has one row that shows it, what each row says is true, and a further run writes nothing. */
export function feeds({ nameById, rows, copied, areIdsCovered, idleWrites }: FeedSeen): readonly Violation[] {
  const broken: Violation[] = [];
  const tell = (law: string, text: string) => void broken.push({ law, text });
  for (const [uuid, name] of nameById) {
    const own = rows.filter(({ id }) => id === uuid);
    if (own.length === 0 && areIdsCovered) continue;
    if (own.length > 1 && copied.has(uuid) ? isShownBeside(own, name) : own.length === 1 && isShown(own[0]!, name))
      continue;
    const found = own.map((row) => `row ${row.number} "${row.name}" (${row.sync})`).join(', ') || 'no row';
    tell('F1', `the list "${name}" (${uuid}) has ${found}`);
  }
  for (const row of rows) {
    if (row.id === '' || row.isCovered) continue;
    if (row.sync.startsWith('typed')) tell('F1', `what a person typed over is not put back: ${JSON.stringify(row)}`);
    if (row.sync === 'in sync' && !nameById.has(row.id)) tell('F3', `no such list: ${JSON.stringify(row)}`);
  }
  if (idleWrites > 0) tell('F5', `a run over an unchanged feed made ${idleWrites} write calls`);
  return broken;
}

/**
 * L13, F2: notes stay beside their IDs, and a row without an ID as it is, whatever leadsheet writes. A row that it deletes (F3) goes
 * with its note. What it wrote into a row whose ID went in that moment, and takes back (W4), was nothing.
 */
export function createFeedHandsOff() {
  const overwritten = new Map<string, Violation>();
  /** What stands in such a row, and is not of people. */
  const ours = new Set<string>();

  return {
    onWrite({ before, after }: Extract<SideEvent, { side: 'sheet' }>): void {
      if (before.findSheetByTitle(feedTab)?.rows === after.findSheetByTitle(feedTab)?.rows) return;
      const [rows, rowsNow] = [before, after].map(feedRowsOf);
      const kept = new Set(rowsNow!.map(keptOf));
      // F3: its ID may stand in another row by then, into which somebody pasted it.
      const isThere = new Set(rowsNow!.length < rows!.length ? [] : rowsNow!.map(({ id }) => id));
      for (const row of rows!) {
        const held = keptOf(row);
        // V3: merged cells may have covered its ID in the moment of writing.
        if (kept.has(held) || ours.has(held) || !(row.id === '' ? !row.isCovered : isThere.has(row.id))) continue;
        const text = `leadsheet wrote over cells of people in the feed: ${JSON.stringify(row)}`;
        overwritten.set(held, { law: 'L13', text });
        const now = rowsNow!.find(({ number }) => number === row.number);
        if (now) ours.add(keptOf(now));
      }
      // W4: an earlier version that was restored in that moment has nothing there.
      const numbers = new Set(rows!.map(({ number }) => number));
      for (const now of rowsNow!) if (now.id === '' && !numbers.has(now.number)) ours.add(keptOf(now));
      for (const held of kept) overwritten.delete(held);
    },
    /** What was not taken back by the end of the step. */
    take(): readonly Violation[] {
      const left = [...overwritten.values()];
      overwritten.clear();
      ours.clear();
      return left;
    },
  };
}

function keptOf({ id, note, name, sync }: FeedRowView): string {
  return JSON.stringify(id === '' ? { note, name, sync } : { id, note });
}

/** V3: of a cell that merged ones cover nobody knows what it would hold. */
function isShown(row: FeedRowView, name: string): boolean {
  return row.name === name || row.isCovered;
}

/** I4: one of the rows is the record's, and the others say that they are copies; or none of them can be told from a copy. */
function isShownBeside(own: readonly FeedRowView[], name: string): boolean {
  const isApart = ({ sync, isCovered }: FeedRowView) => isCovered || sync.startsWith('quarantined');
  const keepers = own.filter((row) => !isApart(row));
  return keepers.length > 1 ? false : keepers.every((row) => isShown(row, name));
}
