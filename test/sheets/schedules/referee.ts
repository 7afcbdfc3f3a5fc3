// Checks every request of the adapter: each cell it changes must have been requested, in that row and column, over the
// value of the plan.
//
// One exception is allowed, because Sheets offers no way to prevent it: edits between the adapter's last look and its
// write. In that window it may overwrite an edit of the very cell, and values may land elsewhere when cells or columns
// move. Then it has to restore the overwritten cells, or to report them.
import type { ColumnKey } from '../../../src/sheets/port.ts';
import { type Content, look, type Seen, type SeenRow } from './view.ts';

/** One cell that the adapter has to set. */
export interface Intent {
  readonly id: string;
  readonly tag: string;
  /** The id the row has afterwards. */
  readonly idAfter: string;
  readonly key: ColumnKey;
  readonly value: string;
  readonly before: string;
  hits: number;
  misses: number;
}

/** A row that the adapter has to add. */
export interface RowIntent {
  readonly id: string;
  readonly cells: ReadonlyMap<ColumnKey, string>;
  count: number;
}

/** A row that the adapter has to delete. */
export interface RemovalIntent {
  readonly id: string;
  /** From the snapshot. It tells apart rows without an id, and copies. */
  readonly number: number;
  /** The pins it got at that number; from then on they identify it. */
  marks: readonly number[];
  count: number;
  /** Rows in its place after it was deleted since the adapter's last look, and which were deleted instead. */
  displaced: number;
}

interface Debt {
  readonly before: string;
  readonly wrong: string;
  readonly where: string;
  /** People changed the cell after the snapshot: the restored content is that of the snapshot. */
  readonly isNewerThanSnapshot: boolean;
  /** Marks of the row at that moment. */
  readonly marks: string;
  readonly key: string | undefined;
  /** Restored, or changed by people since. */
  isSettled: boolean;
}

export class Referee {
  /** The present workbook. */
  readonly present: () => Seen;
  readonly story: string[] = [];
  /** Kinds, step by step. */
  readonly outcomes: string[][] = [];
  readonly violations: string[] = [];
  readonly debts: Debt[] = [];
  cells: Intent[] = [];
  appends: RowIntent[] = [];
  removals: RemovalIntent[] = [];
  /** Values that were sent, for the rest of the trial. */
  readonly sent = new Map<string, Intent>();
  readonly appended = new Map<string, RowIntent>();
  /** Sent values that people moved or copied elsewhere afterwards: no longer effects of the adapter. */
  readonly movedByPeople = new Set<string>();
  /**
   * Ids that people put, after the adapter's last look, where it then wrote another one: the cells beside them have no
   * owner.
   */
  readonly idsOverwritten = new Set<string>();
  /** The workbook at the adapter's last look. */
  lastLook: Seen | undefined;

  /** The workbook at the snapshot of the plan. */
  private planned: Seen | undefined;
  private peopleMovedMeanwhile = false;
  /** All looks of the step. */
  private looks: Seen[] = [];
  /** Row, column and value of all that the adapter wrote in the step. */
  private ownWrites = new Set<string>();

  /** Writes during which people moved cells or columns. After the second in a step, the first may be beyond repair. */
  strayWrites = 0;
  /** Mapped columns whose anchor an append made anew on another column. */
  readonly revivedKeys = new Set<string>();
  /** In this step such an anchor was detected and removed. */
  hasTakenAnchorAway = false;
  /** In this step a write was applied and its answer was lost. */
  isAnswerLost = false;
  isBeyondRepair = false;

  constructor(present: () => Seen) {
    this.present = present;
  }

  ask(cells: Intent[], appends: RowIntent[], removals: RemovalIntent[]): void {
    this.planned = this.lastLook;
    this.peopleMovedMeanwhile = false;
    this.isBeyondRepair ||= this.strayWrites > 1;
    this.strayWrites = 0;
    this.isAnswerLost = false;
    this.hasTakenAnchorAway = false;
    this.looks = [];
    this.ownWrites = new Set();
    this.cells = cells;
    this.appends = appends;
    this.removals = removals;
    for (const intent of cells) if (intent.value !== '') this.sent.set(intent.value, intent);
    for (const row of appends) this.appended.set(row.id, row);
  }

  tell(sentence: string): void {
    this.story.push(sentence);
  }

  report(violations: readonly string[]): void {
    this.violations.push(...violations);
  }

  /** Called before a request of the adapter is processed. */
  requested(content: Content, isWrite: boolean): void {
    if (!this.lastLook) return;
    const haveMoved = this.havePeopleMovedSinceLook(look(content));
    this.peopleMovedMeanwhile ||= haveMoved;
    if (isWrite && haveMoved) this.strayWrites += 1;
  }

  looked(content: Content): void {
    this.lastLook = look(content);
    this.looks.push(this.lastLook);
  }

  /** Called after edits: moved values of the adapter then count as people's. */
  peopleEdited(before: Seen, after: Seen): void {
    const [then, now] = [this.places(before), this.places(after)];
    for (const [value, place] of now) if (then.get(value) !== place) this.movedByPeople.add(value);
    for (const debt of this.debts) {
      if (!debt.isSettled && cellAt(before, debt) !== cellAt(after, debt)) debt.isSettled = true;
    }
  }

  private places(seen: Seen): Map<string, string> {
    const places = new Map<string, string>();
    for (const row of seen.rows) {
      for (const [index, { entered }] of row.cells.entries()) {
        const name = this.nameOf(row, seen);
        if (this.sent.has(entered)) places.set(entered, `${places.get(entered) ?? ''} ${name}/${seen.keys[index]}`);
      }
    }
    return places;
  }

  /**
   * Pins identify a row that is blank but for our value, and one of several with the same id: they stay when its cells
   * are cut. The tag identifies a row whose ID cell holds a value meant for another column.
   */
  private nameOf({ id, tag, marks }: SeenRow, { rows }: Seen): string {
    const strayKey = this.sent.get(JSON.stringify(id))?.key ?? '#id';
    if (id === '' || strayKey !== '#id') return tag || marks.join();
    return rows.filter((row) => row.id === id).length > 1 ? `${id} ${marks.join()}` : id;
  }

  /** Called after a request of the adapter that changed the workbook. */
  adapterWrote(contentBefore: Content, contentAfter: Content): void {
    const [before, after] = [look(contentBefore), look(contentAfter)];
    if (before.other !== after.other) this.violations.push('another tab was changed');
    this.judgeColumns(before, after);
    for (const intent of this.removals) {
      if (intent.marks.length === 0) intent.marks = after.rows[intent.number - 1]?.marks ?? [];
    }
    const grown = after.rows.length - before.rows.length;
    if (grown > 0) this.judgeAppend(before, after, grown);
    else if (grown < 0) this.judgeRemoval(before, after);
    else this.judgeCells(before, after);
  }

  /**
   * The adapter moves no column. But an append may make an anchor anew, on another column, if the anchored column was
   * deleted after the adapter's last look. That must be reported, and the anchor removed.
   */
  private judgeColumns({ keys: then }: Seen, { keys: now }: Seen): void {
    for (const [index, key] of now.entries()) {
      if (key === then[index]) continue;
      const hasRevived = this.appends.length > 0 && key !== undefined && !then.includes(key);
      if (hasRevived && this.lastLook?.keys.includes(key)) this.revivedKeys.add(key);
      else if (key !== undefined || !this.revivedKeys.delete(then[index]!)) this.violations.push('columns were moved');
      else this.hasTakenAnchorAway = true;
    }
  }

  private judgeCells(before: Seen, after: Seen): void {
    for (const [rowIndex, row] of before.rows.entries()) {
      for (const [columnIndex, then] of row.cells.entries()) {
        const now = after.rows[rowIndex]!.cells[columnIndex]!;
        const where = `row ${rowIndex + 1} (${row.id || row.tag || 'blank'}), ${before.keys[columnIndex]}`;
        if (then.dress !== now.dress)
          this.violations.push(`${where}: note or format went from ${then.dress} to ${now.dress}`);
        if (then.entered !== now.entered) this.judgeCell(row, before, columnIndex, then.entered, now.entered, where);
      }
    }
  }

  private judgeCell(row: SeenRow, seen: Seen, columnIndex: number, before: string, now: string, where: string): void {
    const key = seen.keys[columnIndex];
    const candidates = this.cells.filter(({ value }) => value === now);
    const rights = candidates.filter((intent) => this.isRowOf(row, intent) && intent.key === key);
    // A row without an id may have been a copy of this one, with its tag: the id is the surer sign.
    const right = rights.find(({ id }) => id !== '') ?? rights[0];
    this.tell(`    ${where}: ${before || 'blank'} -> ${now || 'blank'}`);
    const debt = this.debts.find(
      (each) => !each.isSettled && each.wrong === before && (each.before === now || now === ''),
    );
    const isChangedRow = this.lastLook?.rows.find(({ marks }) => marks.join() === row.marks.join())?.id !== row.id;
    const isBack = this.looks.some((each) => cellAt(each, { marks: row.marks.join(), key }) === now);
    const wasSeen = this.planned?.rows.some(
      (each) =>
        (each.id === row.id || isChangedRow || this.cellAtLook(row, key) !== before) &&
        each.cells[this.planned!.keys.indexOf(key ?? '')]?.entered === now,
    );
    const own = this.sent.get(before);
    const ownWrite = (entered: string) => `${row.marks.join()}/${key}/${entered}`;
    this.ownWrites.add(ownWrite(now));
    if (debt) {
      // Removed again; whether that is all depends on the former content.
      debt.isSettled = debt.before === now;
    } else if (this.debts.some(({ wrong }) => wrong === this.cellAtLook(row, key) && wrong !== before)) {
      // Restored over an edit since the last look: the window that Sheets leaves open.
    } else if (own && this.cells.includes(own) && now === '' && this.peopleMovedMeanwhile) {
      // Content that the last look did not show was put there by people since: then it was overwritten like any of
      // theirs.
      if (this.cellAtLook(row, key) === before) {
        own.hits -= 1;
        own.misses += 1;
      }
    } else if (
      this.peopleMovedMeanwhile &&
      this.ownWrites.has(ownWrite(before)) &&
      (now === '' || this.wasLookedAt(now))
    ) {
      // A restored value in a wrong cell itself is removed.
    } else if (right) {
      right.hits += 1;
      if (key === '#id' && before !== right.before) this.idsOverwritten.add(row.id);
      if (before !== right.before && !this.wasEditedSinceLook(right, before)) {
        this.violations.push(
          `${where}: ${before} was overwritten by ${now}, which was planned against ${right.before}`,
        );
      }
    } else if ((wasSeen || (isBack && before === '')) && this.peopleMovedMeanwhile) {
      // Restored as last seen, after people moved cells at the moment of writing.
    } else if ((candidates[0] || this.wasLookedAt(now)) && this.havePeopleMovedSinceLook(seen)) {
      if (candidates.length === 1) candidates[0]!.misses += 1;
      const isIdEdit = key === '#id' && this.cellAtLook(row, key) !== before;
      const planned = this.planned?.rows.filter(({ id, tag }) => id === row.id && tag === row.tag) ?? [];
      const wasPlanned = planned.some(({ cells }) => cells[this.planned!.keys.indexOf(key)]?.entered === before);
      this.debts.push({
        isNewerThanSnapshot: !wasPlanned || isIdEdit,
        before,
        wrong: now,
        where,
        marks: row.marks.join(),
        key,
        isSettled: false,
      });
    } else {
      const meant = candidates.map((intent) => `${intent.id || intent.tag}/${intent.key}`).join(', ') || 'nobody';
      this.violations.push(`${where}: ${before} was overwritten by ${now}, which was meant for ${meant}`);
    }
  }

  /** The very cell was as planned at the last look, and people changed it since. */
  private wasEditedSinceLook(intent: Intent, before: string): boolean {
    const rows = this.lastLook?.rows.filter((row) => isRow(row, intent)) ?? [];
    const column = this.lastLook?.keys.indexOf(intent.key) ?? -1;
    const seen = rows.map((row) => row.cells[column]?.entered);
    return seen.includes(intent.before) && !(seen.length === 1 && seen[0] === before);
  }

  /**
   * A pinned row is the intent's if the pin was on its row at the last look, and its row is still in that place. A copy
   * pasted over another row's pin is not. Without an id, the tag at the last look decides.
   */
  private isRowOf(row: SeenRow, intent: Intent): boolean {
    const pinned = row.marks.length > 0;
    const seen = pinned ? this.lastLook?.rows.find(({ marks }) => marks.join() === row.marks.join()) : undefined;
    if (seen === undefined) return isRow(row, intent);
    return isRow(seen, intent) && (intent.id === '' || isRow(row, intent));
  }

  /** A value that was somewhere in the tab during the step: a restored one. */
  private wasLookedAt(entered: string): boolean {
    return this.looks.some(({ rows }) => rows.some(({ cells }) => cells.some((cell) => cell.entered === entered)));
  }

  private cellAtLook({ marks }: SeenRow, key: string | undefined): string | undefined {
    return this.lastLook && cellAt(this.lastLook, { marks: marks.join(), key });
  }

  private havePeopleMovedSinceLook(now: Seen): boolean {
    const then = this.lastLook;
    if (!then || then.keys.join() !== now.keys.join()) return true;
    const ids = (seen: Seen) =>
      seen.rows.flatMap(({ id, marks, tag }) => (marks.length > 0 ? [`${id} ${tag} ${marks.join()}`] : []));
    return ids(then).toSorted().join('\n') !== ids(now).toSorted().join('\n');
  }

  private judgeAppend(before: Seen, after: Seen, grown: number): void {
    const texts = (rows: readonly SeenRow[]) => rows.map(({ cells }) => JSON.stringify(cells)).join('\n');
    const start = before.rows.findIndex(
      (_, index) =>
        texts(before.rows.slice(0, index)) === texts(after.rows.slice(0, index)) &&
        texts(before.rows.slice(index)) === texts(after.rows.slice(index + grown)),
    );
    const first = start === -1 ? before.rows.length : start;
    if (start === -1 && texts(before.rows) !== texts(after.rows.slice(0, first))) {
      this.violations.push('an append changed rows that were there');
    }
    for (const [offset, row] of after.rows.slice(first, first + grown).entries()) {
      const where = `row ${first + offset + 1}`;
      const intent = this.appends.find(({ id }) => id === row.id);
      this.tell(`    ${where} appended: ${row.id}`);
      if (!intent) {
        this.violations.push(`${where}: a row with the id "${row.id}" was added, which nobody asked for`);
        continue;
      }
      intent.count += 1;
      for (const [index, { entered }] of row.cells.entries()) {
        const key = after.keys[index];
        const wanted = intent.cells.get(key ?? '') ?? '';
        if (entered !== wanted)
          this.violations.push(`${where}: the new row ${row.id} has ${entered} in ${key}, not ${wanted}`);
      }
    }
  }

  private judgeRemoval(before: Seen, after: Seen): void {
    const has = (seen: Seen | undefined, { marks }: RemovalIntent) =>
      seen?.rows.some((row) => row.marks.some((mark) => marks.includes(mark))) ?? false;
    // Present at the adapter's last look, and deleted by people since: the window that Sheets leaves open.
    const goneSinceLook = this.removals.filter((intent) => has(this.lastLook, intent) && !has(before, intent));
    const intentOf = (row: SeenRow) =>
      this.removals.find(({ marks, count }) => count === 0 && marks.some((mark) => row.marks.includes(mark)));
    // Of two rows that read the same, one a copy that was pasted over another pinned row: the one meant.
    const isMeant = (row: SeenRow) => intentOf(row)?.id === row.id;
    const removed = removedRows(before.rows, after.rows, goneSinceLook.length, isMeant);
    if (!removed) this.violations.push('a deletion changed rows that stay, or took a row that was not pinned');
    for (const row of removed ?? []) {
      this.tell(`    deleted: ${row.id || row.tag || 'a blank row'}`);
      const intent = intentOf(row);
      const displaced = goneSinceLook.find((each) => each.displaced === 0);
      if (intent) intent.count += 1;
      else if (displaced && row.marks.length === 0) displaced.displaced += 1;
      else this.violations.push(`the row of "${row.id}" was deleted, which nobody asked for`);
    }
  }
}

function cellAt(seen: Seen, { marks, key }: Pick<Debt, 'marks' | 'key'>): string | undefined {
  return seen.rows.find((row) => row.marks.join() === marks)?.cells[seen.keys.indexOf(key)]?.entered;
}

/** The deleted rows, by those that are left: pinned ones, and at most this many others. */
function removedRows(
  before: readonly SeenRow[],
  after: readonly SeenRow[],
  othersMax: number,
  isMeant: (row: SeenRow) => boolean,
): readonly SeenRow[] | undefined {
  const texts = (rows: readonly SeenRow[]) => rows.map(({ cells }) => JSON.stringify(cells)).join('\n');
  const wanted = texts(after);
  const isPinned = ({ marks }: SeenRow) => marks.length > 0;
  const candidates = othersMax === 0 ? before.filter(isPinned) : before;
  const subsets = Array.from({ length: 2 ** candidates.length }, (_, subset) =>
    candidates.filter((_row, index) => (subset >> index) & 1),
  );
  return subsets
    .filter((removed) => removed.length === before.length - after.length)
    .filter((removed) => removed.filter((row) => !isPinned(row)).length <= othersMax)
    .toSorted((a, b) => b.filter(isPinned).length - a.filter(isPinned).length)
    .toSorted((a, b) => b.filter(isMeant).length - a.filter(isMeant).length)
    .find((removed) => texts(before.filter((row) => !removed.includes(row))) === wanted);
}

export function isRow(row: SeenRow, { id, tag }: Pick<Intent, 'id' | 'tag'>): boolean {
  return id === '' ? row.tag === tag : row.id === id;
}
