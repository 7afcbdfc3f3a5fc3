import type { SheetAddresses } from '../../../src/sheets/port.ts';
import { googleAddresses } from '../../../src/sheets/google/address.ts';
import { createTrial, spreadsheetId } from '../../support/sheets.ts';
import { contractSpec, type OpenedTab } from './setup.ts';
import { describeTableContract } from './table.ts';

const addresses: SheetAddresses = googleAddresses;

function open(grid: readonly (readonly string[])[]): OpenedTab {
  const { sheets, person } = createTrial({ values: grid });
  return {
    sheets,
    addresses,
    spec: { ...contractSpec, spreadsheet: spreadsheetId, tab: 'Prospects' },
    person: {
      grid: () => person.read("'Prospects'").map((row) => row.map((cell) => (typeof cell === 'string' ? cell : ''))),
      type: (cell, text) => person.type(`Prospects!${cell}`, text),
      insertRow: (before) => person.insertRows('Prospects', before),
      deleteRow: (number) => person.deleteRows('Prospects', number),
      insertColumn: (before) => person.insertColumns('Prospects', before),
      renameTab: (title) => person.renameTab('Prospects', title),
      deleteTab: () => void person.request({ deleteSheet: { sheetId: 7 } }),
    },
  };
}

describeTableContract('Google Sheets, over its stand-in', {
  capabilities: createTrial().sheets.capabilities,
  open,
});
