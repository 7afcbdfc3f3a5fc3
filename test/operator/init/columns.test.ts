import { expect, test } from 'vitest';
import { outreachDescription } from '../../../src/crm/outreach/description.ts';
import { type ColumnProposal, proposeColumns } from '../../../src/operator/init/columns.ts';
import { columnsBelow, findHeaderRow } from '../../../src/operator/init/headers.ts';
import type { CellValue } from '../../../src/sheets/port.ts';

/* The proposals of init for the columns of a tab, without a terminal. */

const fields = new Set(outreachDescription.fields.keys());

function rows(grid: readonly (readonly CellValue[])[]) {
  return grid.map((row) =>
    row.map((value) => {
      const isFormula = typeof value === 'string' && value.startsWith('=');
      return { value: isFormula ? 'result' : value, isFormula };
    }),
  );
}

/** Proposals by header; the header is in row 1. */
function propose(
  grid: readonly (readonly CellValue[])[],
  contacts: Readonly<Record<string, readonly string[]>> = {},
): Record<string, ColumnProposal> {
  const found = columnsBelow(rows(grid), 1);
  const proposals = proposeColumns(found, new Map(Object.entries(contacts)), outreachDescription);
  return Object.fromEntries(proposals.map((each) => [`${each.column.header} ${each.column.letter}`, each]));
}

/** `field direction`, or `-` for a column that is left alone. */
function chosen(proposals: Record<string, ColumnProposal>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(proposals).map(([header, { choice }]) => [
      header.replace(/ [A-Z]+$/, ''),
      choice.kind === 'field' ? `${choice.field} ${choice.direction}` : '-',
    ]),
  );
}

test.each([
  ['English', ['First name', 'Surname', 'Company', 'E-mail address', 'Job title', 'LinkedIn URL', 'Website']],
  ['German', ['Vorname', 'Nachname', 'Firma', 'E-Mail', 'Position', 'Profil', 'Webseite']],
  [
    'German, otherwise',
    ['Rufname', 'Familienname', 'Unternehmen', 'Mailadresse', 'Berufsbezeichnung', 'LinkedIn', 'Homepage'],
  ],
  ['shouted', ['FIRST_NAME', 'LAST-NAME', 'COMPANY NAME', 'MAIL', 'TITLE', 'PROFILE LINK', 'WEB']],
  ['French', ['Prénom', 'Nom', 'Entreprise', 'Courriel', 'Poste', 'LinkedIn', 'Domain']],
])('headers are known: %s', (_language, headers) => {
  expect(Object.values(chosen(propose([headers])))).toEqual([
    'first_name both',
    'last_name both',
    'company_name both',
    'email both',
    'position both',
    'network_id both',
    'domain to_crm',
  ]);
});

test('a misspelt header is likely and not sure; a word that is near to nothing is left alone', () => {
  const proposals = propose([['Compnay', 'Frist name', 'Rating', 'Sync', 'Contact ID']]);
  expect(chosen(proposals)).toEqual({
    Compnay: 'company_name both',
    'Frist name': 'first_name both',
    Rating: '-',
    Sync: '-',
    'Contact ID': '-',
  });
  expect(proposals['Compnay A']).toMatchObject({ confidence: 'likely' });
  // Cells that no contact has speak against it.
  const other = propose([['Compnay'], ['5 %'], ['7 %']], { company_name: ['Baltic', 'Mills'] });
  expect(chosen(other)).toEqual({ Compnay: '-' });
});

test('cells speak where the header says nothing: addresses, and values that contacts have', () => {
  const grid = [
    ['A1', 'Wer', 'Misc'],
    ['ann@x.test', 'Ann', 'x'],
    ['bob@x.test', 'Bob', 'y'],
    ['cleo@x.test', 'Cleo', 'z'],
  ];
  const proposals = propose(grid, { first_name: ['Ann', 'Bob', 'Cleo', 'Dora'] });
  expect(chosen(proposals)).toEqual({ A1: 'email both', Wer: 'first_name both', Misc: '-' });
  expect(proposals['Wer B']).toMatchObject({
    confidence: 'likely',
    reason: '3 of its values are first_name of contacts',
  });
});

test('a header that its cells contradict is not taken', () => {
  const proposals = propose([['Mail'], ['yes'], ['no'], ['sent on Monday']]);
  expect(proposals['Mail A']).toMatchObject({ choice: { kind: 'left' }, confidence: 'unsure', candidate: 'email' });
});

test('a one-way field takes no column with values of its own: they would be replaced', () => {
  const grid = [
    ['Name', 'Status', 'Tags'],
    ['Ann Lee', 'call on Monday', ''],
    ['Bob Ray', 'lost', ''],
  ];
  const proposals = propose(grid, { name: ['Ann Lee', 'Bob Ray'], status: ['ok'] });
  expect(chosen(proposals)).toEqual({ Name: 'name to_sheet', Status: '-', Tags: 'tags to_sheet' });
  expect(proposals['Status B']).toMatchObject({
    candidate: 'status',
    reason: 'its values would be replaced by status of the service, which cannot be written',
  });
});

test('two columns for one field: the one whose values contacts have gets it', () => {
  const grid = [
    ['Mail', 'E-Mail'],
    ['old@x.test', 'ann@x.test'],
  ];
  const proposals = propose(grid, { email: ['ann@x.test'] });
  expect(chosen(proposals)).toEqual({ Mail: '-', 'E-Mail': 'email both' });
  expect(proposals['Mail A']).toMatchObject({ candidate: 'email', reason: 'column B has email already' });
  // `network` and `network_id` are written alike.
  expect(Object.values(chosen(propose([['Network', 'LinkedIn']]))).filter((each) => each !== '-')).toHaveLength(1);
});

test('columns with formulas are sent and never written; a field that cannot be sent is left alone', () => {
  const proposals = propose([
    ['Company', 'Status'],
    ['=B1', '=B2'],
  ]);
  expect(chosen(proposals)).toEqual({ Company: 'company_name to_crm', Status: '-' });
  expect(proposals['Company A']!.reason).toContain('its formulas are sent and never overwritten');
});

test('doubled headers and names that no file can hold are left alone', () => {
  const proposals = propose([['Email', 'Email', '__proto__', 'constructor']]);
  expect(Object.values(proposals).map(({ choice, column }) => [column.letter, choice.kind, column.fault])).toEqual([
    ['A', 'left', 'doubled'],
    ['B', 'left', 'doubled'],
    ['C', 'left', 'unfit'],
    ['D', 'left', undefined],
  ]);
});

test.each([
  [
    'in the first row',
    [
      ['Name', 'Email'],
      ['Ann', 'a@x.test'],
    ],
    { kind: 'found', row: 1 },
  ],
  [
    'below a title and a blank row',
    [['Leads 2026'], [], ['Vorname', 'Mail'], ['Ann', 'a@x.test']],
    { kind: 'found', row: 3 },
  ],
  [
    'unknown words above data',
    [
      ['Foo', 'Bar', 'Baz'],
      ['Ann', 'a@x.test', 5],
    ],
    { kind: 'found', row: 1 },
  ],
  ['a blank tab', [], { kind: 'blank' }],
  [
    'people without headers',
    [
      ['Ann', 'a@x.test', 7],
      ['Bob', 'b@x.test', 8],
    ],
    { kind: 'none', row: 1 },
  ],
] as const)('the header row: %s', (_what, grid, expected) => {
  expect(findHeaderRow(rows(grid), fields)).toEqual(expected);
});
