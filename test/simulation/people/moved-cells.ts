// People who move what they see of others to other rows, where the hidden ID stays, and put that right again (G1, I2, L9).
import type { Cell } from '../../../src/standin/sheets/cell.ts';
import type { Act, MovedCellsAct } from '../scenario/scenario.ts';
import { headerOf, idHeader, notesHeader, type Setting, tabTitle } from '../world/setting.ts';
import type { RowView } from '../world/view.ts';
import type { PeopleDep } from './dep.ts';
import { type Log, personLog } from './log.ts';
import { letterOf } from './sheet-acts.ts';
import { normalOf } from './token.ts';
import { pick, type Typing } from './typing.ts';

export interface MovedCells {
  readonly act: (what: MovedCellsAct, act: Act) => boolean;
}

/** Of fewer rows nothing tells whether people exchanged addresses, which they may (I7, G1). */
const movedRowsMin = 3;
const movedCellsMin = 2;

/** 0-based, the ends are left out. */
interface Range {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

type Grid = readonly (readonly (Cell | undefined)[])[];

/** Cells that are in other rows than their IDs. */
interface Mistake {
  readonly what: MovedCellsAct;
  readonly range: Range;
  /** When it was made. */
  readonly seq: number;
  readonly before: Grid;
  /** As people left it: also once some rows were put right. */
  readonly after: Grid;
  /** All of the tab. */
  readonly rowsBefore: readonly RowView[];
  readonly people: readonly string[];
  /** Whose cells are there no more: deleted, or filled over. */
  readonly lost: readonly RowView[];
}

export function createMovedCells(
  { sides: { person, file }, setting, log, personOf, view }: PeopleDep,
  { tell, tangle, forget }: Typing,
): MovedCells {
  const fields = setting.fields.map(({ field }) => field);
  let mistake: Mistake | undefined;

  const keyOf = (row: RowView) => normalOf('email', row.value('email'));
  const isAsSeen = (row: RowView) => row.id !== '' && log.seen.get(row.id) === shownIn(row, setting);

  function act(what: MovedCellsAct, by: Act): boolean {
    if (what === 'put cells right') return putRight(by);
    if (log.misplaced.size > 0) return false;
    if (file.content.findSheetByTitle(tabTitle)!.merges.length > 0) return false;
    const columns = fields.map((field) => view().columnOf(headerOf[field]));
    if (columns.includes(undefined)) return false;
    const [left, right] = [Math.min(...(columns as number[])), Math.max(...(columns as number[])) + 1];
    const { rows, headerRow: top } = view();
    const keys = new Set(rows.map(keyOf));
    // Who is not told apart by an address cannot be put right by the IDs.
    if (right - left !== fields.length || keys.size < rows.length || rows.some((row) => !isPerson(row))) return false;
    const bottom = Math.max(top, ...rows.map(({ number }) => number));
    if (what === 'cut cells') return cut({ top, bottom: bottom + 1, left, right }, by);
    if (what === 'fill cells') return fillDown({ top, bottom, left, right }, by);
    if (what === 'insert cells') return insert({ top, bottom: bottom + 1, left, right }, by);
    return move(what, { top, bottom, left, right }, by);
  }

  /** Otherwise it is an address that somebody took over (I7). */
  function isFilled(row: RowView): boolean {
    return fields.filter((field) => row.value(field) !== '').length > movedCellsMin;
  }

  function isOther([one, other]: readonly RowView[]): boolean {
    if (!one || !other) return true;
    return fields.filter((field) => one.value(field) !== other.value(field)).length >= movedCellsMin;
  }

  /** Somebody whom an address identifies (I8). */
  function isPerson(row: RowView): boolean {
    return keyOf(row) !== '' && !keyOf(row).includes('example.com') && personOf(row) !== undefined;
  }

  /** `of`: the rows whose cells move. */
  function begin(
    what: MovedCellsAct,
    range: Range,
    of: readonly RowView[],
    edit: () => void,
    lost: readonly RowView[] = [],
  ): Mistake {
    const rowsBefore = view().rows;
    const people = of.map((row) => personOf(row)!);
    const before = gridOf(range);
    for (const each of people) log.misplaced.add(each);
    edit();
    mistake = { what, range, seq: log.seq, before, after: gridOf(range), rowsBefore, people, lost };
    return mistake;
  }

  /** Three rows at least must show what others showed when a run last read them: fewer may be what people mean. */
  function move(what: 'sort cells' | 'shift cells', range: Range, { a, b, c }: Act): boolean {
    const { rows } = view();
    if (what === 'sort cells') {
      const field = pick(fields, b)!;
      const order = c < 500 ? 'ASCENDING' : 'DESCENDING';
      const column = letterOf(view().columnOf(headerOf[field])!);
      tell(`sheet: sorts the cells of people by ${field}, and not their IDs`);
      begin(what, range, rows, () => person.sortRange(placeOf(range), column, order));
    } else {
      const row = pick(
        rows.filter(({ number }) => number <= range.bottom - movedRowsMin),
        a,
      );
      if (!row) return false;
      tell(`sheet: deletes the cells of row ${row.number} ${personOf(row)}, and those below move up, but not the IDs`);
      const below = { ...range, top: row.number - 1 };
      const moved = rows.filter(({ number }) => number >= row.number);
      begin(what, below, moved, () => shiftUp(below), [row]);
    }
    takeBackFew();
    return true;
  }

  function takeBackFew(): void {
    if (movedRows(mistake!) >= movedRowsMin) return;
    tell('sheet: and takes it back at once');
    takeBack(mistake!);
  }

  /** The last person comes to stand in a row without an ID. */
  function insert(range: Range, { a }: Act): boolean {
    const rows = view().rows.toSorted((one, other) => one.number - other.number);
    const row = pick(rows, a);
    if (!row) return false;
    tell(
      `sheet: inserts cells in row ${row.number} ${personOf(row)}, and those from there on move down, but not the IDs`,
    );
    const below = { ...range, top: row.number - 1 };
    const moved = rows.filter(({ number }) => number >= row.number);
    // I2: of fewer rows than three, one is emptied, the last has no ID, and the one between shows the first.
    const areFew =
      moved.length < movedRowsMin && moved.every((each) => isAsSeen(each) && isFilled(each)) && isOther(moved);
    begin('insert cells', below, moved, () => setGrid(below, [[], ...gridOf(below)]));
    if (!areFew) takeBackFew();
    return true;
  }

  function movedRows({ rowsBefore }: Mistake): number {
    const byKey = new Map(rowsBefore.map((row) => [keyOf(row), row]));
    return view().rows.filter((row) => {
      const own = rowsBefore.find(({ number }) => number === row.number);
      const source = byKey.get(keyOf(row));
      if (!own || !source || source.number === row.number || !log.seen.has(own.id) || !isAsSeen(source)) return false;
      const changed = fields.filter((field) => own.value(field) !== source.value(field));
      return changed.length >= movedCellsMin;
    }).length;
  }

  function cut(range: Range, { a }: Act): boolean {
    const row = pick(view().rows, a);
    if (!row || !isAsSeen(row) || !isFilled(row)) return false;
    const source = { ...range, top: row.number - 1, bottom: row.number };
    tell(`sheet: cuts the cells of row ${row.number} ${personOf(row)}, and pastes them below, without the ID`);
    begin('cut cells', range, [row], () =>
      person.cutPaste(placeOf(source), `'${tabTitle}'!${letterOf(range.left)}${range.bottom}`),
    );
    return true;
  }

  /** Over rows of which a name changes: whoever gives colleagues a shared address has edited them (I2). */
  function fillDown(range: Range, { a, b }: Act): boolean {
    const { rows } = view();
    const source = pick(rows, a);
    if (!source || !isAsSeen(source)) return false;
    const names = fields.filter((field) => field === 'first_name' || field === 'last_name');
    const isOver = (row: RowView) => {
      const changed = fields.filter((field) => row.value(field) !== source.value(field));
      const isNamed = names.length === 0 || names.some((name) => changed.includes(name));
      return isAsSeen(row) && isNamed && changed.length >= movedCellsMin;
    };
    const below = rows.filter(({ number }) => number > source.number && number <= source.number + 1 + (b % 3));
    if (below.length === 0 || !below.every(isOver)) return false;
    const numbers = below.map(({ number }) => number);
    const filled = { ...range, top: source.number, bottom: Math.max(...numbers) };
    tell(
      `sheet: drags the cells of row ${source.number} ${personOf(source)} down over the rows ${numbers.join(', ')}, and not the ID`,
    );
    const [cells] = gridOf({ ...range, top: source.number - 1, bottom: source.number });
    begin(
      'fill cells',
      filled,
      below,
      () =>
        setGrid(
          filled,
          gridOf(filled).map(() => cells!),
        ),
      below,
    );
    return true;
  }

  function putRight({ c }: Act): boolean {
    if (!mistake || log.misplaced.size === 0) return false;
    // Once some rows are right, others are there twice, or not at all: their IDs say nothing of whom they show.
    if (isAsLeft(mistake) && (c < 700 || log.isPartlyRight)) {
      if (c >= 350 && isHeld(mistake)) return takeBackOne(mistake, c);
      tell('sheet: takes that back');
      takeBack(mistake);
    } else {
      followAdvice(mistake);
    }
    return true;
  }

  /** Nobody else changed these cells since, and no row came or went: as an undo in the spreadsheet needs it. */
  function isAsLeft({ range, after, rowsBefore }: Mistake): boolean {
    const { rows } = view();
    const areThere = rowsBefore.every(({ number, id }) => rows.some((row) => row.number === number && row.id === id));
    return areThere && JSON.stringify(gridOf(range)) === JSON.stringify(after);
  }

  function takeBack({ range, before }: Mistake): void {
    noteRight();
    setGrid(range, before);
  }

  /** Of fewer rows than three nothing told that they moved, had no run held them: a person who exchanges two has edited them. */
  function isHeld({ what, seq }: Mistake): boolean {
    return what !== 'cut cells' && what !== 'insert cells' && log.toldMisplaced > seq;
  }

  /** G4: one row, by hand. The others stay as they are until the next time. */
  function takeBackOne(mine: Mistake, at: number): boolean {
    const { range, before, after } = mine;
    const wrong = before.flatMap((cells, row) => (JSON.stringify(cells) === JSON.stringify(after[row]) ? [] : [row]));
    const row = pick(wrong, at)!;
    tell(`sheet: puts the cells of row ${range.top + row + 1} back`);
    setGrid(
      range,
      after.map((cells, index) => (index === row ? before[row]! : cells)),
    );
    mistake = { ...mine, after: gridOf(range) };
    // Runs hold all rows while cells are sorted. Of rows that were filled over, the others go on.
    const whose = view().rows.find(({ number }) => number === range.top + row + 1);
    if (mine.what === 'fill cells' && whose) log.misplaced.delete(personOf(whose)!);
    if (wrong.length === 1) noteRight();
    else log.isPartlyRight = true;
    return true;
  }

  function noteRight(): void {
    log.misplaced.clear();
    log.isPartlyRight = false;
  }

  function followAdvice(mine: Mistake): void {
    if (mine.what === 'fill cells') deleteRows(mine);
    else clearIds(mine);
  }

  function deleteRows({ lost }: Mistake): void {
    const ids = new Set(lost.map(({ id }) => id));
    const rows = view().rows.filter(({ id }) => ids.has(id));
    tell(`sheet: deletes the rows ${rows.map(({ number }) => number).join(', ')}`);
    forgetLost(lost);
    noteRight();
    for (const { number } of rows.toReversed()) person.deleteRows(tabTitle, number);
  }

  function forgetLost(lost: readonly RowView[]): void {
    for (const row of lost) {
      const whose = personOf(row)!;
      for (const field of fields) forget('sheet', whose, field, row.value(field));
      personLog(log, whose).deletedIn.add('sheet');
    }
  }

  /** The IDs are cleared, and the notes are written beside their people: each row is the person whom it shows. */
  function clearIds({ what, rowsBefore, people, lost }: Mistake): void {
    const { rows, columnOf } = view();
    const byKey = new Map(rowsBefore.map((row) => [keyOf(row), row]));
    const emptied = rows.filter((row) => fields.every((field) => row.value(field) === ''));
    const cleared = what === 'cut cells' ? emptied : rows;
    tell(
      `sheet: clears the IDs of the rows ${cleared.map(({ number }) => number).join(', ')}, and moves the notes along`,
    );
    const notes = columnOf(notesHeader)!;
    for (const row of rows) {
      const note = byKey.get(keyOf(row))?.notedPerson;
      const cell = `'${tabTitle}'!${letterOf(notes)}${row.number}`;
      if (note === row.notedPerson) continue;
      if (note === undefined) person.clear(cell);
      else person.paste(cell, [[`note on ${note}`]]);
    }
    for (const each of people) tangle(each, 'ID');
    forgetLost(lost);
    noteRight();
    for (const row of cleared) person.clear(`'${tabTitle}'!${letterOf(columnOf(idHeader)!)}${row.number}`);
    for (const row of emptied) person.clear(`'${tabTitle}'!${row.number}:${row.number}`);
  }

  function shiftUp(range: Range): void {
    const cells = gridOf(range);
    setGrid(range, [...cells.slice(1), []]);
  }

  function gridOf({ top, bottom, left, right }: Range): Grid {
    const { rows } = file.content.findSheetByTitle(tabTitle)!;
    return Array.from({ length: bottom - top }, (_, row) =>
      Array.from({ length: right - left }, (__, column) => rows[top + row]?.cells[left + column]),
    );
  }

  function setGrid(range: Range, grid: Grid): void {
    file.edit({ email: file.ownerEmail }, (edit) =>
      edit.spreadsheet
        .findSheetByTitle(tabTitle)!
        .editCells(range, (_, row, column) => grid[row - range.top]?.[column - range.left]),
    );
  }

  return { act };
}

function placeOf({ top, bottom, left, right }: Range): string {
  return `'${tabTitle}'!${letterOf(left)}${top + 1}:${letterOf(right - 1)}${bottom}`;
}

function shownIn(row: RowView, { fields }: Setting): string {
  return JSON.stringify(fields.map(({ field }) => row.value(field)));
}

/** A run has gone to its end. `began`: what is typed after that it may not have read. */
export function noteSeen(
  log: Log,
  {
    setting,
    rows,
    began,
    personOf,
  }: Pick<PeopleDep, 'personOf' | 'setting'> & { readonly rows: readonly RowView[]; readonly began: number },
): void {
  for (const row of rows) {
    const person = personOf(row);
    if (row.id === '' || (person !== undefined && log.misplaced.has(person))) continue;
    const isTypedSince = log.typed.some((each) => each.side === 'sheet' && each.person === person && each.seq >= began);
    if (isTypedSince) log.seen.delete(row.id);
    else log.seen.set(row.id, shownIn(row, setting));
  }
}
