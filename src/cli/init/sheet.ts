// Asks for the spreadsheet, its tab and the row of its headers.
import { sheetAddresses } from '../../app-config.ts';
import type { CrmDescription } from '../../crm/port.ts';
import { columnsBelow, findHeaderRow, type FoundColumn } from '../../operator/init/headers.ts';
import { countText } from '../../operator/words.ts';
import type { PreviewCell, Sheets, SpreadsheetTabs, TabListed } from '../../sheets/port.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { Refused, type Session } from './session.ts';
import { waitForSheet } from './wait-for-sheet.ts';

export interface SheetAnswer {
  /** The id. */
  readonly spreadsheet: string;
  readonly tab: TabListed;
  /** As the file names it: the title, or its reference where the title does not mean it. */
  readonly tabText: string;
  readonly headerRow: number;
  /** The tab holds nothing: its headers are made by the first run. */
  readonly isBlank: boolean;
  readonly columns: readonly FoundColumn[];
}

/** Rows that are looked at for headers, samples and formulas. */
const rowsMax = 300;

export async function askSheet(session: Session, sheets: Sheets, crm: CrmDescription): Promise<SheetAnswer> {
  const { id, named, tabs } = await askSpreadsheet(session, sheets);
  const tab = await askTab(session, tabs, named);
  const place = { spreadsheet: id, tab: tab.reference };
  const tabText = isPlainTitle(tab.title) ? tab.title : tab.reference;
  const read = () => sheets.preview(place, rowsMax, { signal: session.world.stop });
  const { headerRow, columns, isBlank } = await askHeaderRow(session, read, new Set(crm.fields.keys()));
  return { spreadsheet: id, tab, tabText, headerRow, isBlank, columns };
}

async function askSpreadsheet(session: Session, sheets: Sheets) {
  return session.answer({
    id: 'spreadsheet',
    what: 'the spreadsheet, by its address or id',
    async parse(text) {
      const id = sheetAddresses.spreadsheetId(text);
      if (id === undefined) {
        throw new Refused(
          'this is no address of a spreadsheet: copy it from the browser, https://docs.google.com/spreadsheets/d/...',
        );
      }
      const { title, tabs } = await waitForSheet(session, sheets, id);
      session.say(`The spreadsheet is "${title}" with ${countText(tabs.length, 'tab')}`);
      return { id, named: sheetAddresses.tabIn(text), tabs };
    },
    ask: (prompts) => {
      prompts.show('Share the sheet', [
        'Open the sheet, choose Share, and add this address as an editor:',
        '',
        sheets.account,
        '',
        'Then copy the address of the sheet from the browser.',
      ]);
      return prompts.text({ message: 'The address of the sheet' });
    },
  });
}

async function askTab(session: Session, tabs: SpreadsheetTabs['tabs'], named: string | undefined): Promise<TabListed> {
  const shown = tabs.find(({ reference }) => reference === named);
  const safe = shown ?? (tabs.length === 1 ? tabs[0] : undefined);
  // The address shows the tab, or there is one alone: there is nothing to ask.
  if (safe && !session.isGiven('tab')) {
    session.say(`The tab is "${safe.title}"`);
    return safe;
  }
  return session.answer({
    id: 'tab',
    what: 'the tab, by its title or gid:NUMBER',
    parse(text) {
      const wanted = text.trim();
      const found = tabs.find(({ reference, title }) => reference === wanted || title === wanted || title === text);
      if (found) return found;
      const titles = tabs.map(({ title }) => title);
      throw new Refused(`there is no tab "${wanted}"${didYouMean(wanted, titles)}; there are ${titles.join(', ')}`);
    },
    ask: async (prompts) =>
      (await prompts.choose({
        message: 'The tab',
        options: tabs.map(({ title, reference, rowCount }) => ({
          value: reference,
          label: title,
          hint: countText(rowCount, 'row'),
        })),
      })) ?? '',
  });
}

/** Read as it stands: no blanks around it, and no form of a reference. */
function isPlainTitle(title: string): boolean {
  return title === title.trim() && title !== '' && !/^gid:/i.test(title);
}

interface HeaderAnswer {
  readonly headerRow: number;
  readonly isBlank: boolean;
  readonly columns: readonly FoundColumn[];
}

async function askHeaderRow(
  session: Session,
  read: () => Promise<readonly (readonly PreviewCell[])[]>,
  fields: ReadonlySet<string>,
): Promise<HeaderAnswer> {
  let rows = await read();
  let found = findHeaderRow(rows, fields);
  if (found.kind === 'blank' && !session.isGiven('header-row')) {
    session.say('The tab is empty: the first run writes the headers that you choose now');
    return { headerRow: 1, isBlank: true, columns: [] };
  }
  const answer = await session.answer({
    id: 'header-row',
    what: 'the number of the row that holds the headers',
    ...(found.kind === 'found' && { safe: String(found.row) }),
    async parse(text): Promise<HeaderAnswer> {
      const headerRow = Number(text.trim());
      if (!Number.isInteger(headerRow) || headerRow < 1) throw new Refused('this is not the number of a row');
      const columns = columnsBelow(rows, headerRow);
      if (columns.length === 0) throw new Refused(`row ${headerRow} of the tab holds no headers`);
      return { headerRow, isBlank: false, columns };
    },
    async ask(prompts) {
      rows = await read();
      found = findHeaderRow(rows, fields);
      if (found.kind === 'none') {
        prompts.warn(
          `No row of headers was found: row ${found.row} looks like a person. Insert a row of headers above it in the sheet, then give its number`,
        );
      }
      const row = found.kind === 'found' ? found.row : 1;
      const headers = columnsBelow(rows, row).map(({ header }) => `"${header}"`);
      const shown = found.kind === 'found' ? `; row ${row} has ${headers.slice(0, 6).join(', ')}` : '';
      return prompts.text({ message: `The row of the headers${shown}`, proposal: String(row) });
    },
  });
  return withoutDoubled(session, answer, read);
}

/** A person may rename one of two columns with one header now; else both are left alone. */
async function withoutDoubled(
  session: Session,
  answer: HeaderAnswer,
  read: () => Promise<readonly (readonly PreviewCell[])[]>,
): Promise<HeaderAnswer> {
  let { columns } = answer;
  for (;;) {
    const doubled = columns.filter(({ fault }) => fault === 'doubled');
    if (doubled.length === 0) return { ...answer, columns };
    const places = doubled.map(({ header, letter }) => `"${header}" in ${letter}`).join(', ');
    session.warn(`Columns with one header: ${places}. leadsheet never guesses which is meant`);
    const chosen = await session.prompts?.choose({
      message: 'Rename one of them in the sheet, or leave these columns alone',
      options: [
        { value: 'look', label: 'I have renamed it: look again' },
        { value: 'leave', label: 'Leave these columns alone' },
      ],
    });
    if (chosen !== 'look') return { ...answer, columns };
    columns = columnsBelow(await read(), answer.headerRow);
  }
}
