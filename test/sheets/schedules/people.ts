// People at the sheet: one edit, applied at the place that its numbers give in the present workbook.
import { columnLetter } from '../../../src/sheets/google/address.ts';
import type { Person } from '../../../src/standin/sheets/people.ts';
import type { PersonEdit, Typed } from './schedule.ts';
import type { Seen } from './view.ts';

export interface Sheet {
  readonly person: Person;
  /** Changes when the tab is renamed. */
  title: string;
  readonly doesSortMoveMarks: boolean;
  /** Gives each typed text its own number. */
  typed: number;
}

/** Returns the edit as a sentence. The header row stays in its place; only its columns move. */
export function applyEdit(sheet: Sheet, seen: Seen, edit: PersonEdit): string {
  const { person, title } = sheet;
  const rowCount = seen.rows.length;
  const columnCount = seen.keys.length;
  /** A row below the header, counted as people do. */
  const rowAt = (row: number) => 2 + (row % (rowCount - 1));
  const letterAt = (column: number) => columnLetter(column % columnCount);
  const at = (column: number, row: number) => `'${title}'!${letterAt(column)}${rowAt(row)}`;
  const wholeRow = (row: number) => `'${title}'!A${rowAt(row)}:${columnLetter(columnCount - 1)}${rowAt(row)}`;
  const keyAt = (column: number) => seen.keys[column % columnCount];
  switch (edit.kind) {
    case 'type': {
      // Ids are not typed, and the referee needs the tags: a typed text goes to the next other column.
      const column = [0, 1, 2]
        .map((step) => edit.column + step)
        .find((each) => !['#id', 'notes'].includes(keyAt(each) ?? ''))!;
      const text = toKeys(edit.what, `typed ${(sheet.typed += 1)}`);
      person.type(at(column, edit.row), text);
      return `types "${text}" into ${at(column, edit.row)} (${keyAt(column)})`;
    }
    case 'clear': {
      if (keyAt(edit.column) === 'notes') return 'does nothing';
      person.clear(at(edit.column, edit.row));
      return `clears ${at(edit.column, edit.row)} (${keyAt(edit.column)})`;
    }
    case 'insert row':
      person.insertRows(title, rowAt(edit.row));
      return `inserts a row above ${rowAt(edit.row)}`;
    case 'delete row':
      if (rowCount <= 3) return 'does nothing';
      person.deleteRows(title, rowAt(edit.row));
      return `deletes row ${rowAt(edit.row)}`;
    case 'move row':
      person.moveRows(title, rowAt(edit.row), 1, rowAt(edit.to));
      return `moves row ${rowAt(edit.row)} to ${rowAt(edit.to)}`;
    case 'sort':
      person.sort(title, letterAt(edit.column), edit.isDescending ? 'DESCENDING' : 'ASCENDING');
      return `sorts by ${letterAt(edit.column)}${edit.isDescending ? ', descending' : ''}`;
    case 'sort some columns': {
      // Marks that moved with half a row would leave no identifiable row: there, people sort all columns.
      if (sheet.doesSortMoveMarks) return applyEdit(sheet, seen, { ...edit, kind: 'sort' });
      const first = edit.column % (columnCount - 1);
      // Tags that leave their rows no longer identify them.
      if ([keyAt(first), keyAt(first + 1)].includes('notes')) return 'does nothing';
      const range = `'${title}'!${columnLetter(first)}2:${columnLetter(first + 1)}${rowCount}`;
      person.sortRange(range, columnLetter(first), edit.isDescending ? 'DESCENDING' : 'ASCENDING');
      return `sorts ${range} only`;
    }
    case 'move column':
      person.moveColumns(title, letterAt(edit.column), 1, letterAt(edit.to));
      return `moves column ${letterAt(edit.column)} (${keyAt(edit.column)}) to ${letterAt(edit.to)}`;
    case 'insert column':
      person.insertColumns(title, letterAt(edit.column));
      return `inserts a column before ${letterAt(edit.column)}`;
    case 'delete column':
      // Without ids and tags a row cannot be identified, not even by the referee.
      if (['#id', 'notes'].includes(keyAt(edit.column) ?? '')) return 'does nothing';
      person.deleteColumns(title, letterAt(edit.column));
      return `deletes column ${letterAt(edit.column)} (${keyAt(edit.column)})`;
    case 'cut and paste cells': {
      if (keyAt(edit.column) === 'notes') return 'does nothing';
      person.cutPaste(at(edit.column, edit.row), at(edit.column, edit.to));
      return `cuts ${at(edit.column, edit.row)} and pastes it to ${at(edit.column, edit.to)}`;
    }
    case 'cut and paste row':
      person.cutPaste(wholeRow(edit.row), `'${title}'!A${rowAt(edit.to)}`);
      return `cuts ${wholeRow(edit.row)} and pastes it to row ${rowAt(edit.to)}`;
    case 'copy and paste row':
      person.copyPaste(wholeRow(edit.row), wholeRow(edit.to));
      return `copies ${wholeRow(edit.row)} to row ${rowAt(edit.to)}`;
    case 'rename tab':
      sheet.title = title === 'Prospects' ? "Ann's list" : 'Prospects';
      person.renameTab(title, sheet.title);
      return `renames the tab to ${sheet.title}`;
  }
}

/** The typed keys; an apostrophe in front makes the rest a text. */
function toKeys(what: Typed, text: string): string {
  switch (what) {
    case 'text':
      return text;
    case 'formula':
      return `=UPPER("${text}")`;
    case 'failing formula':
      return `="${text}"/0`;
    case 'text like a formula':
      return `'=UPPER("${text}")`;
    case 'text like an error':
      return `#REF! ${text}`;
    case 'quote':
      return `''${text}`;
  }
}
