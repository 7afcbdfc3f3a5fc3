// People who type numbers, dates, times and yes into columns of text, and who give cells another format (V8).
import { type Cell, numberFormatOf } from '../../../src/standin/sheets/cell.ts';
import type { JsonObject } from '../../../src/standin/sheets/json.ts';
import type { Act, NumberAct } from '../scenario/scenario.ts';
import { type FieldName, headerOf, segment, tabTitle } from '../world/setting.ts';
import { contactValue, type RowView } from '../world/view.ts';
import type { PeopleDep } from './dep.ts';
import { letterOf } from './sheet-acts.ts';
import { pick, type Typing } from './typing.ts';

const dateTypes: ReadonlySet<string> = new Set(['DATE', 'DATE_TIME', 'TIME']);

/** Undefined: the cell loses its format. */
type Format = { readonly type: string; readonly pattern: string } | undefined;

const formatsOfNumbers: readonly Format[] = [
  { type: 'NUMBER', pattern: '#,##0' },
  { type: 'NUMBER', pattern: '0.00' },
  { type: 'NUMBER', pattern: '00000000000' },
  { type: 'CURRENCY', pattern: '"$"#,##0.00' },
  { type: 'PERCENT', pattern: '0%' },
  { type: 'TEXT', pattern: '@' },
  { type: 'NUMBER', pattern: ';;;' },
  undefined,
];

const formatsOfDates: readonly Format[] = [
  { type: 'DATE', pattern: 'm/d/yyyy' },
  { type: 'DATE', pattern: 'd mmm yyyy' },
  { type: 'DATE', pattern: 'yyyy-mm-dd' },
  { type: 'DATE', pattern: ';;;' },
  undefined,
];

export function createNumbers(
  { sides: { person, service, file }, log, personOf, view }: PeopleDep,
  { texts, newNumeral, note, forget, tell }: Typing,
) {
  return { act };

  function act(what: NumberAct, by: Act): boolean {
    if (log.misplaced.size > 0) return false;
    switch (what) {
      case 'type number':
        return typeNew(by);
      case 'type shown':
        return typeShown(by);
      case 'format cell':
        return format(by);
    }
  }

  function typeNew({ a, b, c }: Act): boolean {
    const row = pick(view().rows, a);
    const name = row && personOf(row);
    const field = pick(texts, b)!;
    return name !== undefined && type(row!, field, newNumeral(name, field, c));
  }

  /** Nobody types `007` over the same text to change it: what the cell shows then is an edit all the same. */
  function typeShown({ a }: Act): boolean {
    const same = view().rows.flatMap((row) => {
      const contact = service.model.contacts.find(row.id)?.record;
      const shown = contact ? texts.filter((field) => field !== segment) : [];
      return shown.flatMap((field) => {
        const text = contactValue(contact!, field);
        return text !== '' && !/[a-z]\d/i.test(text) && personOf(row) !== undefined ? [{ row, field, text }] : [];
      });
    });
    const chosen = pick(same, a);
    return chosen !== undefined && type(chosen.row, chosen.field, chosen.text);
  }

  /** Notes what the cell shows, which need not be what was typed. */
  function type(row: RowView, field: FieldName, text: string): boolean {
    const index = view().columnOf(headerOf[field]);
    if (index === undefined || row.isCovered(headerOf[field])) return false;
    const kind = numberFormatOf(row.cells[index])?.type ?? '';
    // A spreadsheet shows a number that is typed into a cell with the format of a date as a date.
    if (dateTypes.has(kind) && /^\d+$/.test(text)) return false;
    const name = personOf(row);
    person.type(`'${tabTitle}'!${letterOf(index)}${row.number}`, text);
    const shown = now(row).value(field);
    note('sheet', name, field, shown);
    tell(`sheet: row ${row.number} ${name} ${field} = ${text}, typed, which shows ${JSON.stringify(shown)}`);
    return true;
  }

  function format({ a, c }: Act): boolean {
    const { rows, columnOf } = view();
    const numbers = rows.flatMap((row) =>
      texts.flatMap((field) => {
        const index = columnOf(headerOf[field]) ?? -1;
        return isNumber(row.cells[index]) && personOf(row) !== undefined ? [{ row, field, index }] : [];
      }),
    );
    const chosen = pick(numbers, a);
    if (!chosen) return false;
    const { row, field, index } = chosen;
    const isDate = dateTypes.has(numberFormatOf(row.cells[index])?.type ?? '');
    const wanted = pick<Format>(isDate ? formatsOfDates : formatsOfNumbers, c);
    const bounds = { startRowIndex: row.number - 1, endRowIndex: row.number };
    const sheetId = file.content.findSheetByTitle(tabTitle)!.id;
    person.request({
      repeatCell: {
        range: { sheetId, ...bounds, startColumnIndex: index, endColumnIndex: index + 1 },
        cell: (wanted ? { userEnteredFormat: { numberFormat: wanted } } : {}) as JsonObject,
        fields: 'userEnteredFormat.numberFormat',
      },
    });
    const [before, shown] = [row.value(field), now(row).value(field)];
    tell(
      `sheet: row ${row.number} ${personOf(row)} ${field} gets the format ${wanted?.pattern ?? 'of none'}: ${shown}`,
    );
    if (shown === before) return true;
    note('sheet', personOf(row), field, shown);
    // A run that has read the number may tell it in the form that it had then.
    forget('sheet', personOf(row), field, shown);
    return true;
  }

  function now({ number }: RowView): RowView {
    return view().rows.find((row) => row.number === number)!;
  }
}

function isNumber(cell: Cell | undefined): boolean {
  return cell?.formula === undefined && typeof cell?.value === 'number';
}
