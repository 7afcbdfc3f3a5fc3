import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { parseCsv, toCsv } from '../../support/csv.ts';
import { createReferenceSheets, referenceAddresses } from '../../support/reference-table.ts';
import { contractSpec, type OpenedTab } from './setup.ts';
import { describeTableContract } from './table.ts';

function open(grid: readonly (readonly string[])[]): OpenedTab {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-table-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'Prospects.csv');
  writeFileSync(file, toCsv(grid));
  const edit = (change: (lines: string[][]) => void) => {
    const lines = parseCsv(readFileSync(file, 'utf8'));
    change(lines);
    writeFileSync(file, toCsv(lines));
  };
  const columnOf = (letter: string) => letter.codePointAt(0)! - 65;
  return {
    sheets: createReferenceSheets(),
    addresses: referenceAddresses,
    spec: { ...contractSpec, spreadsheet: folder, tab: 'Prospects' },
    person: {
      grid: () => withoutBlankEnds(parseCsv(readFileSync(file, 'utf8'))),
      type: (cell, text) =>
        edit((lines) => {
          const line = (lines[Number(cell.slice(1)) - 1] ??= []);
          while (line.length < columnOf(cell)) line.push('');
          line[columnOf(cell)] = text;
        }),
      insertRow: (before) => edit((lines) => lines.splice(before - 1, 0, [])),
      deleteRow: (number) => edit((lines) => lines.splice(number - 1, 1)),
      insertColumn: (before) => edit((lines) => lines.forEach((line) => line.splice(columnOf(before), 0, ''))),
      renameTab: (title) => renameSync(file, join(folder, `${title}.csv`)),
      deleteTab: () => rmSync(file),
    },
  };
}

function withoutBlankEnds(lines: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const cut = lines.map((line) => line.slice(0, line.findLastIndex((cell) => cell !== '') + 1));
  return cut.slice(0, cut.findLastIndex((line) => line.length > 0) + 1);
}

describeTableContract('CSV files, the reference driver', {
  capabilities: createReferenceSheets().capabilities,
  open,
});

test('the CSV of any cells is read as these cells', () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom('', '"', '""', ',', '\n', '\r\n', '\r', 'a,"b"\n'));
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 1 })), (lines) => {
      expect(parseCsv(toCsv(lines))).toEqual(lines);
    }),
  );
  expect(parseCsv('a,b\r\n"c ""d""",\n,')).toEqual([
    ['a', 'b'],
    ['c "d"', ''],
    ['', ''],
  ]);
});
