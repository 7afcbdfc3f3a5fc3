import type { Model } from './service/model.ts';
import type { ContactRecord } from './service/stored.ts';
import type { SheetsStandin } from './sheets/standin.ts';

/** The spreadsheet of a trial; its id is what a mapping file names. */
export const demoSpreadsheetId = 'demo-spreadsheet-of-the-stand-in';

const headers = ['First name', 'Last name', 'Company', 'Email', 'Position'];
const rowCount = 120;

/**
 * Makes a tab of 120 people as somebody typed it: every other one is a contact of the first
 * list already and has an e-mail address by which it can be found, the rest are new.
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
    tabs: [{ title: 'Prospects', rowCount: 1_000, columnCount: 12, values: [headers, ...values] }],
  });
  const wide = { sheetId: 0, dimension: 'COLUMNS', startIndex: 2, endIndex: headers.length };
  sheets.person(demoSpreadsheetId).request({
    updateDimensionProperties: { range: wide, properties: { pixelSize: 220 }, fields: 'pixelSize' },
  });
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
