// Watches every request the adapter makes and judges what it did to the workbook: each changed cell must be one that was
// asked for, in the row and column it was asked for, over the value it was planned against.
//
// One thing is not held against the adapter, because Sheets offers no way to prevent it: what people do between its last
// look and its write. In that window it may write over an edit of the very cell, and values may land elsewhere when
// cells or columns are moved; then it has to put back what it hit, or to tell.
import type { ColumnKey } from '../../../src/sheets/port.ts';
import { type Content, look, type Seen, type SeenRow } from './view.ts';

/** One cell that the adapter was asked to set. */
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

/** A row that the adapter was asked to add. */
export interface RowIntent {
  readonly id: string;
  readonly cells: ReadonlyMap<ColumnKey, string>;
  count: number;
}

/** A row that the adapter was asked to delete. */
export interface RemovalIntent {
  readonly id: string;
  /** As in the snapshot. Rows without an id, and copies, are told apart by it. */
  readonly number: number;
  /** The pins it got at that number; from then on they are what tells it. */
  marks: readonly number[];
  count: number;
  /** Rows that came into its place when somebody deleted it after the adapter's last look, and were deleted for it. */
  displaced: number;
}

interface Debt {
  readonly before: string;
  readonly wrong: string;
  readonly where: string;
  /** People changed the cell after the snapshot: what was put back is what the snapshot had. */
  readonly isNewerThanSnapshot: boolean;
  /** Marks of the row when it happened. */
  readonly marks: string;
  readonly key: string | undefined;
  /** Put back, or changed by people since. */
  isSettled: boolean;
}

export class Referee {
  /** The workbook as it is now. */
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
  /** Sent values that people moved or copied elsewhere afterwards: no longer the adapter's doing. */
  readonly movedByPeople = new Set<string>();
  /** Ids that people put, after the adapter's last look, where it then wrote another one: what stood beside them is nobody's. */
  readonly idsOverwritten = new Set<string>();
  /** The workbook as of the adapter's last look. */
  lastLook: Seen | undefined;

  /** The workbook as of the snapshot that was planned on. */
  private planned: Seen | undefined;
  private peopleMovedMeanwhile = false;
  /** All looks of the step. */
  private looks: Seen[] = [];
  /** Row, column and value of all that the adapter wrote in the step. */
  private ownWrites = new Set<string>();

  /** Writes that people moved cells or columns under. After the second in a step, the first may be beyond repair. */
  strayWrites = 0;
  /** Mapped columns whose anchor an append made anew on another column. */
  readonly revivedKeys = new Set<string>();
  /** In this step such an anchor was found out and removed. */
  hasTakenAnchorAway = false;
  /** In this step a write was applied whose answer the adapter did not get. */
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

  /** A request of the adapter is about to be taken. */
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

  /** After people: values of ours that changed their row or column are theirs to answer for. */
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
   * A row that is blank but for our value is told by its pins, which stay when its cells are cut, and so is one of several
   * with the same id; one whose ID cell holds a value that was meant for another column, by its tag.
   */
  private nameOf({ id, tag, marks }: SeenRow, { rows }: Seen): string {
    const strayKey = this.sent.get(JSON.stringify(id))?.key ?? '#id';
    if (id === '' || strayKey !== '#id') return tag || marks.join();
    return rows.filter((row) => row.id === id).length > 1 ? `${id} ${marks.join()}` : id;
  }

  /** After a request of the adapter that changed the workbook. */
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
   * The adapter moves no column. But an anchor that was deleted with its column after the adapter's last look is made anew
   * by an append, on what came in its place; that is to be told, and the anchor to be taken away again.
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
    // A row without an id may have been a copy, tag and all, of this one: the id is the surer sign.
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
      // Taken out again; whether that is all depends on what was there.
      debt.isSettled = debt.before === now;
    } else if (this.debts.some(({ wrong }) => wrong === this.cellAtLook(row, key) && wrong !== before)) {
      // Put back over what people put there since the last look: the window that Sheets leaves open.
    } else if (own && this.cells.includes(own) && now === '' && this.peopleMovedMeanwhile) {
      // What the last look did not show there, people have put there since: then it was hit like anything of theirs.
      if (this.cellAtLook(row, key) === before) {
        own.hits -= 1;
        own.misses += 1;
      }
    } else if (
      this.peopleMovedMeanwhile &&
      this.ownWrites.has(ownWrite(before)) &&
      (now === '' || this.wasLookedAt(now))
    ) {
      // Something put back that went astray itself is taken out again.
    } else if (right) {
      right.hits += 1;
      if (key === '#id' && before !== right.before) this.idsOverwritten.add(row.id);
      if (before !== right.before && !this.wasEditedSinceLook(right, before)) {
        this.violations.push(
          `${where}: ${before} was overwritten by ${now}, which was planned against ${right.before}`,
        );
      }
    } else if ((wasSeen || (isBack && before === '')) && this.peopleMovedMeanwhile) {
      // Put back as it was last seen, after people moved cells in the moment of writing.
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
   * A pinned row is the intent's if the pin was on its row at the last look, and its row is still in that place: a copy
   * that was pasted over somebody else's pin is not. Without an id, the tag at the last look has to do.
   */
  private isRowOf(row: SeenRow, intent: Intent): boolean {
    const pinned = row.marks.length > 0;
    const seen = pinned ? this.lastLook?.rows.find(({ marks }) => marks.join() === row.marks.join()) : undefined;
    if (seen === undefined) return isRow(row, intent);
    return isRow(seen, intent) && (intent.id === '' || isRow(row, intent));
  }

  /** A value that stood somewhere in the tab during the step: one that is being put back. */
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
    // There when the adapter last looked, and deleted by people since: what Sheets leaves open.
    const goneSinceLook = this.removals.filter((intent) => has(this.lastLook, intent) && !has(before, intent));
    const intentOf = (row: SeenRow) =>
      this.removals.find(({ marks, count }) => count === 0 && marks.some((mark) => row.marks.includes(mark)));
    // Of two rows that read the same, one a copy that was pasted over another pinned row, the one that was meant.
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

/** Which rows were taken out, told by what is left: pinned ones, and at most so many others. */
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
