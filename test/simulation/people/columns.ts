// People who sort, shift or empty one column alone, so that its cells stand beside other people (G1), and put that right again.
import type { Cell } from '../../../src/standin/sheets/cell.ts';
import type { Act, ColumnAct } from '../scenario/scenario.ts';
import { headerOf, tabTitle, wishHeader } from '../world/setting.ts';
import type { RowView } from '../world/view.ts';
import type { PeopleDep } from './dep.ts';
import { noteWish } from './log.ts';
import { letterOf } from './sheet-acts.ts';
import { errorFormula, pick, type Typing } from './typing.ts';

/** What somebody did to a column, and may take back. */
interface Mistake {
  readonly header: string;
  readonly before: readonly (Cell | undefined)[];
  readonly after: readonly (Cell | undefined)[];
  readonly ids: string;
}

const pastedFields: ReadonlySet<string> = new Set(['first_name', 'last_name', 'email']);

export function createColumns(
  { sides: { person, file }, setting, log, personOf, view }: PeopleDep,
  { note, newText, tangle, tell }: Typing,
) {
  const fields = setting.fields.map(({ field }) => field);
  const fieldOf = (header: string) => fields.find((field) => headerOf[field] === header);
  const tab = () => file.content.findSheetByTitle(tabTitle)!;
  const bottom = () => Math.max(view().headerRow, ...view().rows.map(({ number }) => number));
  const idsNow = () => JSON.stringify(view().rows.map(({ number, id }) => [number, id]));
  let mistake: Mistake | undefined;

  return { act };

  function act(what: ColumnAct, by: Act): boolean {
    if (log.misplaced.size > 0 || tab().merges.length > 0) return false;
    if (what === 'put column right') return takeBack();
    if (what === 'paste list') return pasteList(by);
    return ofColumn(what, by);
  }

  function ofColumn(what: Exclude<ColumnAct, 'paste list' | 'put column right'>, { b, c }: Act): boolean {
    const headers = [
      ...fields.map((field) => headerOf[field]),
      ...(setting.automation ? [wishHeader, wishHeader] : []),
    ];
    const header = pick(headers, b)!;
    const { rows, headerRow } = view();
    const column = view().columnOf(header);
    if (column === undefined || rows.length < 2 || rows.some((row) => personOf(row) === undefined)) return false;
    // An error is a value of no cell.
    if (rows.some((row) => row.text(header) === errorFormula)) return false;
    const before = cellsOf(column);
    const letter = letterOf(column);
    const place = `'${tabTitle}'!${letter}${headerRow + 1}:${letter}${bottom()}`;
    const at = c % before.length;
    watched(`${what}, ${header}${what === 'shift column' ? `, without row ${headerRow + 1 + at}` : ''}`, header, () => {
      if (what === 'empty column') person.clear(place);
      else if (what === 'sort column') person.sortRange(place, letter, c < 500 ? 'ASCENDING' : 'DESCENDING');
      else setCells(column, [...before.toSpliced(at, 1), undefined]);
    });
    mistake = { header, before, after: cellsOf(column), ids: idsNow() };
    return true;
  }

  /** For each row it is another person's name and address, which the texts still tell as those of the one before. */
  function pasteList({ a, b, c }: Act): boolean {
    const rows = view()
      .rows.filter((row) => row.id !== '' && personOf(row) !== undefined)
      .toSorted((one, other) => one.number - other.number);
    const pasted = rows.slice(a % Math.max(1, rows.length)).slice(0, 2 + (b % 4));
    if (pasted.length < 2) return false;
    for (const field of fields.filter((each) => pastedFields.has(each))) {
      const column = view().columnOf(headerOf[field]);
      if (column === undefined) continue;
      watched(
        `a list is pasted over the rows ${pasted.map(({ number }) => number).join(', ')}, ${field}`,
        headerOf[field],
        () => {
          for (const [index, row] of pasted.entries()) {
            const text = newText(personOf(row)!, field, (c + index * 171) % 940);
            person.paste(`'${tabTitle}'!${letterOf(column)}${row.number}`, [[text]]);
          }
        },
      );
    }
    return true;
  }

  /** Only while all is as that act left it: else people would take back what others typed since. */
  function takeBack(): boolean {
    const column = mistake && view().columnOf(mistake.header);
    if (!mistake || column === undefined || mistake.ids !== idsNow()) return false;
    if (JSON.stringify(cellsOf(column)) !== JSON.stringify(mistake.after)) return false;
    const { header, before } = mistake;
    mistake = undefined;
    watched(`takes that back, ${header}`, header, () => setCells(column, before));
    return true;
  }

  /** Whatever the act is: each cell that shows another text afterwards was edited. */
  function watched(told: string, header: string, work: () => void): void {
    const { rows } = view();
    tell(`sheet: ${told}`);
    work();
    for (const row of rows) {
      const text =
        view()
          .rows.find(({ number }) => number === row.number)
          ?.text(header) ?? '';
      if (text !== row.text(header)) noteEdit(row, header, text);
    }
  }

  function noteEdit(row: RowView, header: string, text: string): void {
    const name = personOf(row)!;
    const field = fieldOf(header);
    if (field === undefined) return noteWish(log, name, row.text(header), text);
    if (field === 'email' || field === 'network_id') {
      tangle(name, 'key');
      if (row.id === '') tangle(name, 'ID');
    }
    note('sheet', name, field, text);
  }

  /** From the first row below the header to the last that has any text. */
  function cellsOf(column: number): readonly (Cell | undefined)[] {
    const { headerRow } = view();
    return Array.from({ length: bottom() - headerRow }, (_, index) => tab().rows[headerRow + index]?.cells[column]);
  }

  function setCells(column: number, cells: readonly (Cell | undefined)[]): void {
    const { headerRow: top } = view();
    const range = { top, bottom: top + cells.length, left: column, right: column + 1 };
    file.edit({ email: file.ownerEmail }, (edit) =>
      edit.spreadsheet.findSheetByTitle(tabTitle)!.editCells(range, (_, row) => cells[row - top]),
    );
  }
}
