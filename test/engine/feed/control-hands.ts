// What people's hands do among the cells that start and stop automations (E7): they merge, paste, cut and sort cells, cut and
// empty rows, and type over IDs.
import type { Random } from '../../../src/standin/service/random.ts';
import { type createSyncTrial, spreadsheetId, tabTitle } from '../../support/app.ts';
import { columnOf, readRows } from './rows.ts';

interface Hands {
  readonly trial: Pick<ReturnType<typeof createSyncTrial>, 'person' | 'sheets'>;
  readonly random: Random;
  /** The cell of this automation shows another text from now on, and a person did that. */
  readonly noteTyped: (id: string, text: string) => void;
  /** Which of its rows counts, other rules say. */
  readonly noteMixedUp: (id: string) => void;
}

export function createControlHands({ trial, random, noteTyped, noteMixedUp }: Hands) {
  const { person } = trial;
  const sheet = () => trial.sheets.model.get(spreadsheetId)!.content.findSheetByTitle(tabTitle)!;
  const statusOf = (id: string) => readRows(trial).find((row) => row.id === id)?.cells['Status'] ?? '';
  const place = (number: number, header: string) => `'${tabTitle}'!${columnOf(trial, header)}${number}`;
  const whole = (number: number) => `'${tabTitle}'!${number}:${number}`;

  return { act, hasMerges, isCovered, unmerge };

  function hasMerges(): boolean {
    return sheet().merges.length > 0;
  }

  function isCovered(number: number, header: string): boolean {
    const left = columnOf(trial, header).codePointAt(0)! - 65;
    return sheet().isCovered(number - 1, left);
  }

  function act(): string {
    const rows = readRows(trial).filter(({ id }) => id !== '');
    if (rows.length < 2) return 'too few rows';
    if (hasMerges() && random.integer(0, 1) === 0) return unmerge();
    const apart = [pasteStatus, pasteStatus, cutStatus, sortCells, cutRow, typeOverId, clearId, insertRow, emptyRow];
    const acts = hasMerges() ? [merge, clearId, typeOverId, insertRow] : [merge, merge, ...apart];
    return watched(random.pick(acts));
  }

  /** Whatever the act is: a cell that shows another text afterwards was typed over, as far as the program can tell. */
  function watched(work: () => string): string {
    const before = new Map(readRows(trial).map(({ id }) => [id, statusOf(id)]));
    const told = work();
    for (const [id, text] of before) if (id !== '' && statusOf(id) !== text) noteTyped(id, statusOf(id));
    const ids = readRows(trial).map(({ id }) => id);
    for (const id of new Set([...before.keys(), ...ids]))
      if (ids.filter((each) => each === id).length !== 1) noteMixedUp(id);
    return told;
  }

  function anyRow() {
    return random.pick(readRows(trial).filter(({ id }) => id !== ''));
  }

  function merge(): string {
    const { number } = anyRow();
    const header = random.pick(['Status', 'Status', 'Status', 'Name', 'ID', 'Sync']);
    const left = columnOf(trial, header).codePointAt(0)! - 65;
    const block = { startRowIndex: number - 1, endRowIndex: number + random.integer(1, 2) };
    if (left < 0 || sheet().merges.length > 0) return 'merges nothing';
    const range = { sheetId: sheet().id, ...block, startColumnIndex: left, endColumnIndex: left + 1 };
    person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
    return `merges ${header} of the rows ${number} to ${block.endRowIndex}`;
  }

  function unmerge(): string {
    for (const { top, bottom, left, right } of sheet().merges) {
      const rows = { startRowIndex: top, endRowIndex: bottom };
      const range = { sheetId: sheet().id, ...rows, startColumnIndex: left, endColumnIndex: right };
      person.request({ unmergeCells: { range } });
    }
    return 'unmerges all';
  }

  function pasteStatus(): string {
    const [from, to] = [anyRow(), anyRow()];
    person.copyPaste(place(from.number, 'Status'), place(to.number, 'Status'));
    return `pastes the status of row ${from.number} into row ${to.number}`;
  }

  function cutStatus(): string {
    const [from, to] = [anyRow(), anyRow()];
    person.cutPaste(place(from.number, 'Status'), place(to.number, 'Status'));
    return `cuts the status of row ${from.number} into row ${to.number}`;
  }

  function sortCells(): string {
    const [left, bottom] = [columnOf(trial, 'Status'), Math.max(...readRows(trial).map(({ number }) => number))];
    person.sortRange(
      `'${tabTitle}'!${left}2:${left}${bottom}`,
      left,
      random.pick(['ASCENDING', 'DESCENDING'] as const),
    );
    return 'sorts the statuses alone';
  }

  function cutRow(): string {
    const { number } = anyRow();
    const bottom = Math.max(...readRows(trial).map((row) => row.number));
    person.cutPaste(whole(number), `'${tabTitle}'!A${bottom + 1}`);
    return `cuts row ${number} to the end`;
  }

  function typeOverId(): string {
    const [row, other] = [anyRow(), anyRow()];
    person.paste(place(row.number, 'ID'), [[random.pick(['typed', other.id])]]);
    return `types over the ID of row ${row.number}`;
  }

  function clearId(): string {
    const { number } = anyRow();
    person.clear(place(number, 'ID'));
    return `clears the ID of row ${number}`;
  }

  function insertRow(): string {
    const { number } = anyRow();
    person.insertRows(tabTitle, number, random.integer(1, 2));
    return `inserts blank rows above row ${number}`;
  }

  function emptyRow(): string {
    const { number } = anyRow();
    person.clear(whole(number));
    return `empties row ${number}`;
  }
}
