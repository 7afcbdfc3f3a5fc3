import { describe, expect, test } from 'vitest';
import { createTrial } from './support/standin.ts';

/** The result of typing: the value, its display, and the type of its number format. */
const cases: [text: string, value: string | number | boolean, shown: string, type?: string][] = [
  ['hello', 'hello', 'hello'],
  ['007', 7, '7'],
  ['-3.50', -3.5, '-3.5'],
  ['+49', 49, '49'],
  ['.5', 0.5, '0.5'],
  ['1,234', 1234, '1,234', 'NUMBER'],
  ['2,000,000.01', 2_000_000.01, '2,000,000.01', 'NUMBER'],
  ['1,2', '1,2', '1,2'],
  ['12%', 0.12, '12%', 'PERCENT'],
  ['12.5%', 0.125, '12.50%', 'PERCENT'],
  ['$100.15', 100.15, '$100.15', 'CURRENCY'],
  ['-$5', -5, '-$5', 'CURRENCY'],
  ['(5)', -5, '-5'],
  ['1e3', 1000, '1.00E+03', 'SCIENTIFIC'],
  ['true', true, 'TRUE'],
  ['FALSE', false, 'FALSE'],
  ['2020-01-01', 43_831, '2020-01-01', 'DATE'],
  ['1/2/2026', 46_024, '1/2/2026', 'DATE'],
  ['1-2', 46_024, '1-2', 'DATE'],
  ['Jan 5, 2024', 45_296, 'Jan 5, 2024', 'DATE'],
  ['2020-02-30', '2020-02-30', '2020-02-30'],
  ['2020-01-01 12:00', 43_831.5, '2020-01-01 12:00:00', 'DATE_TIME'],
  ['12:30', 12.5 / 24, '12:30', 'TIME'],
  ['3:05 PM', (15 * 60 + 5) / 1440, '3:05 PM', 'TIME'],
  ['25:00', '25:00', '25:00'],
  ["'0123", '0123', '0123'],
  ["'=1+1", '=1+1', '=1+1'],
  ['=1+1', 2, '2'],
  ['+1+1', 2, '2'],
  ['=', '=', '='],
  ['3_1_0', '3_1_0', '3_1_0'],
  ['+49 170 1234', '#ERROR!', '#ERROR!'],
  ['  spaced ', '  spaced ', '  spaced '],
];

describe('typing into a cell', () => {
  test.each(cases)('%j gives %j, shown as %j', async (text, value, shown, type) => {
    const trial = createTrial();
    trial.standin.person(trial.file.id).type('A1', text);
    const { body } = await trial.get('?ranges=A1&includeGridData=true');
    const cell = body.sheets[0].data[0].rowData[0].values[0];
    expect(cell.userEnteredFormat?.numberFormat?.type).toBe(type);
    expect(await trial.values('A1')).toEqual([[value]]);
    expect(await trial.values('A1', 'FORMATTED_VALUE')).toEqual([[shown]]);
  });

  test('a column of plain text takes everything as text', async () => {
    const trial = createTrial();
    await trial.batch({
      repeatCell: {
        range: { startColumnIndex: 0, endColumnIndex: 1 },
        cell: { userEnteredFormat: { numberFormat: { type: 'TEXT', pattern: '@' } } },
        fields: 'userEnteredFormat.numberFormat',
      },
    });
    const person = trial.standin.person(trial.file.id);
    for (const [index, text] of ['007', '=1+1', '+49', '1-2'].entries()) person.type(`A${index + 1}`, text);
    expect(await trial.values('A1:A4')).toEqual([['007'], ['=1+1'], ['+49'], ['1-2']]);
  });

  test('a date without a year is in the current one', () => {
    const trial = createTrial();
    trial.clock.now = Date.UTC(2031, 0, 1);
    const person = trial.standin.person(trial.file.id);
    person.type('A1', '3/4');
    person.type('A2', '2031-03-04');
    expect(person.read('A1', 'UNFORMATTED_VALUE')).toEqual(person.read('A2', 'UNFORMATTED_VALUE'));
  });
});
