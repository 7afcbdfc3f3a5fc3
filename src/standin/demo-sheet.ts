// Makes the spreadsheet of a trial, with people in it.
import type { Model } from './service/model.ts';
import type { ContactRecord } from './service/stored.ts';
import type { SheetsStandin } from './sheets/standin.ts';

/** The spreadsheet of a trial; mapping files name its id. */
export const demoSpreadsheetId = 'demo-spreadsheet-of-the-stand-in';

const headers = ['First name', 'Last name', 'Company', 'Email', 'Position', 'Automation', 'Enrolment'];
const rowCount = 120;
/** The usual layout of people: headers in the first row, columns in pixels. */
const feedTabs = [
  {
    title: 'Automations',
    headers: ['Name', 'Status', 'Description', 'Hours', 'Time zone', 'Sync'],
    widths: [180, 90, 240, 170, 130, 350, 220],
  },
  {
    title: 'Emails',
    headers: ['Sent', 'From', 'To', 'Subject', 'Status', 'Sync'],
    widths: [160, 230, 280, 270, 90, 120],
  },
] as const;
const prospectWidths = [90, 90, 150, 190, 150, 150, 470];

/**
 * Makes a tab of 120 people as if typed. Every other one is a contact of the first list and has the e-mail address that
 * finds it; the rest are new. The tabs of feeds have only headers.
 */
export function addDemoSpreadsheet(sheets: SheetsStandin, service: Model): void {
  const [first] = service.lists.table.all();
  const contacts = service.contacts
    .all()
    .map(({ record }) => record)
    .filter((contact) => contact.list_uuid === first?.uuid && emailOf(contact) !== null)
    .take(rowCount / 2)
    .toArray();
  const values = Array.from({ length: rowCount }, (_, index) => {
    const contact = contacts[Math.floor(index / 2)];
    return contact && index % 2 === 0 ? contactRow(contact) : newPersonRow(Math.floor(index / 2));
  });
  sheets.model.create({
    id: demoSpreadsheetId,
    title: 'Outreach',
    tabs: [
      { title: 'Prospects', rowCount: 1_000, columnCount: 12, values: [headers, ...values] },
      ...feedTabs.map((tab, index) => ({
        title: tab.title,
        sheetId: index + 1,
        rowCount: 100,
        columnCount: 10,
        values: [tab.headers],
      })),
    ],
  });
  widen(sheets, 0, prospectWidths);
  for (const [index, tab] of feedTabs.entries()) widen(sheets, index + 1, tab.widths);
  // Existing columns keep their format, so a person who makes one for dates sets its format.
  sheets.person(demoSpreadsheetId).request({
    repeatCell: {
      range: { sheetId: 2, startColumnIndex: 0, endColumnIndex: 1, startRowIndex: 1 },
      cell: { userEnteredFormat: { numberFormat: { type: 'DATE_TIME', pattern: 'yyyy-mm-dd hh:mm' } } },
      fields: 'userEnteredFormat.numberFormat',
    },
  });
}

/** In pixels, from the first column on. */
function widen(sheets: SheetsStandin, sheetId: number, widths: readonly number[]): void {
  for (const [startIndex, pixelSize] of widths.entries()) {
    const range = { sheetId, dimension: 'COLUMNS', startIndex, endIndex: startIndex + 1 };
    sheets.person(demoSpreadsheetId).request({
      updateDimensionProperties: { range, properties: { pixelSize }, fields: 'pixelSize' },
    });
  }
}

function contactRow(contact: ContactRecord): string[] {
  const { first_name, last_name, company_name, position } = contact;
  return [first_name, last_name, company_name, emailOf(contact), position].map((text) => text ?? '');
}

function emailOf({ work_email, personal_email }: ContactRecord): string | null {
  return work_email ?? personal_email;
}

const firstNames = ['Alma', 'Boris', 'Celia', 'Dario', 'Edith', 'Fabio', 'Gesa', 'Henrik', 'Irma', 'Joris'];
const lastNames = ['Adler', 'Brix', 'Corte', 'Dorn', 'Engel', 'Faber'];

/** Names that no demo contact has. */
function newPersonRow(number: number): string[] {
  const first = firstNames[number % firstNames.length] ?? '';
  const last = lastNames[(number + Math.floor(number / firstNames.length)) % lastNames.length] ?? '';
  return [first, last, `${last} & Sons`, `${first}.${last}@${last}-sons.test`.toLowerCase(), 'Owner'];
}
