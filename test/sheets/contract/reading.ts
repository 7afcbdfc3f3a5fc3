// The contract tests for reading a tab and creating its columns.
import { describe, expect, test } from 'vitest';
import { AbortedError } from '../../../src/sheets/errors.ts';
import type { TableSpec } from '../../../src/sheets/port.ts';
import {
  codeOf,
  contractSpec,
  header,
  type OpenedTab,
  openReady,
  people,
  readTab,
  rowOf,
  type TableDriver,
} from './setup.ts';

export function describeReading(name: string, driver: TableDriver): void {
  const { capabilities, open } = driver;

  describe(`${name}: reading`, () => {
    test('rows come in the order of the tab, with number, id and mapped cells; a blank cell is null (V3)', async () => {
      const { rows, title } = await readTab(open(people));
      expect(rows.map(({ number, id, cells }) => ({ number, id, cells }))).toEqual([
        { number: 2, id: 'a', cells: { name: 'Ann', email: 'ann@x.org', score: null, '#status': 'in sync' } },
        { number: 3, id: 'b', cells: { name: 'Bob', email: 'bob@x.org', score: null, '#status': null } },
        { number: 4, id: 'c', cells: { name: 'Cleo', email: null, score: null, '#status': null } },
      ]);
      expect(rows.map(({ own }) => own)).toEqual([{ '#status': 'in sync' }, { '#status': null }, { '#status': null }]);
      expect(title).not.toBe('');
    });

    test('a row has an id or a mapped cell: a blank row, and one with other cells alone, do not count', async () => {
      const grid = [header, ['', '', 'note'], ['', '', ''], ['d'], ['', 'Dora'], ['', '', 'note']];
      const { rows } = await readTab(open(grid));
      expect(rows.map(({ number, id }) => ({ number, id }))).toEqual([
        { number: 4, id: 'd' },
        { number: 5, id: '' },
      ]);
    });

    test('the tabs of a spreadsheet are listed, each with a reference that means it', async () => {
      const { sheets, spec } = open(people);
      const { tabs, title } = await sheets.listTabs(spec.spreadsheet);
      expect(title).not.toBe('');
      const { reference, rowCount } = tabs.find((tab) => tab.title === spec.tab)!;
      expect(rowCount).toBeGreaterThanOrEqual(people.length);
      const inspected = await sheets.inspect({ ...spec, tab: reference });
      expect(inspected).toMatchObject({ title: spec.tab, reference });
    });

    test('a preview shows the first rows from row 1 on, without blank ends', async () => {
      const grid = [[], ['', 'My contacts'], ['Name', '', 'Email', ''], ['Ann'], [], ['Bob'], ['', '']];
      const { sheets, spec } = open(grid);
      const shown = (rows: Awaited<ReturnType<typeof sheets.preview>>) =>
        rows.map((row) => row.map(({ value }) => value));
      const whole = [[], [null, 'My contacts'], ['Name', null, 'Email'], ['Ann'], [], ['Bob']];
      expect(shown(await sheets.preview(spec, 100))).toEqual(whole);
      expect(shown(await sheets.preview(spec, 3))).toEqual(whole.slice(0, 3));
      const blank = open([['']]);
      expect(await blank.sheets.preview(blank.spec, 3)).toEqual([]);
    });

    test('a tab or spreadsheet that is missing has no tabs and no preview', async () => {
      const { sheets, spec } = open(people);
      expect(await codeOf(sheets.preview({ ...spec, tab: 'Nobody' }, 3))).toBe('tab-gone');
      const other = `${spec.spreadsheet}-that-is-not-there`;
      expect(await codeOf(sheets.listTabs(other))).toBe('spreadsheet-gone');
      expect(await codeOf(sheets.preview({ ...spec, spreadsheet: other }, 3))).toBe('spreadsheet-gone');
    });

    test('rows above the header row are never read, and headers are compared without outer white space', async () => {
      const grid = [['My contacts'], ['', 'Name'], [' Contact ID', 'Name  ', 'Email'], ['a', 'Ann', 'ann@x.org']];
      const { rows, columns } = await readTab(open(grid), { headerRow: 3 });
      expect(rows.map(({ number, id }) => ({ number, id }))).toEqual([{ number: 4, id: 'a' }]);
      expect(columns.map(({ key, kind }) => [key, kind])).toEqual([
        ['name', 'found'],
        ['email', 'found'],
        ['score', 'missing'],
        ['#status', 'missing'],
      ]);
    });

    test('W11, V3: a missing or doubled column is reported as that, and its cells are unknown, not blank', async () => {
      const { rows, columns, idColumn } = await readTab(
        open([
          ['Contact ID', 'Name', 'Name', 'Email'],
          ['a', 'Ann', 'Anna', 'e'],
        ]),
      );
      expect(idColumn).toMatchObject({ kind: 'found', letter: 'A' });
      expect(columns).toMatchObject([
        { kind: 'doubled', key: 'name', header: 'Name', letters: ['B', 'C'] },
        { kind: 'found', key: 'email', letter: 'D' },
        { kind: 'missing', key: 'score', header: 'Score' },
        { kind: 'missing', key: '#status' },
      ]);
      expect(rows.map(({ cells, own }) => ({ cells, own }))).toEqual([{ cells: { email: 'e' }, own: {} }]);
    });

    test('W11: a missing or doubled ID column gives no ids', async () => {
      const missing = await readTab(open([['Name'], ['Ann']]));
      expect([missing.idColumn.kind, missing.rows.map(({ id }) => id)]).toEqual(['missing', ['']]);
      const twice = await readTab(
        open([
          ['Contact ID', 'Contact ID', 'Name'],
          ['a', 'b', 'Ann'],
        ]),
      );
      expect([twice.idColumn.kind, twice.rows.map(({ id }) => id)]).toEqual(['doubled', ['']]);
    });

    test('a snapshot does not change when the tab changes', async () => {
      const { snapshot, person, table } = await openReady(driver);
      const before = JSON.stringify(snapshot.rows.map(({ id, cells }) => ({ id, cells })));
      person.type('B2', 'Anna');
      await table.read();
      expect(JSON.stringify(snapshot.rows.map(({ id, cells }) => ({ id, cells })))).toBe(before);
    });

    test('W9: without a change a read says so or gives the same again; after any change it never does', async () => {
      const { table, person, spec } = await openReady(driver);
      const first = await table.read();
      const again = await table.read({ unless: first.fingerprint });
      const { fingerprint: same, rows } = again === 'unchanged' ? first : again;
      expect([same, rows]).toEqual([first.fingerprint, first.rows]);
      expect(await table.read({ unless: undefined })).not.toBe('unchanged');
      const edits = [() => person.type('B3', 'Bobby'), () => person.insertRow(2), () => person.type('B1', 'First')];
      let { fingerprint } = first;
      for (const edit of edits) {
        edit();
        const read = await table.read({ unless: fingerprint });
        if (read === 'unchanged') throw new Error('a change was not seen');
        expect(read.fingerprint).not.toBe(fingerprint);
        ({ fingerprint } = read);
      }
      expect(spec.columns).toEqual(contractSpec.columns);
    });

    test('W18: another process recognises a content by its recall; after any change it does not', async () => {
      const { table, sheets, person, spec } = await openReady(driver);
      const { recall, fingerprint, memory, rows } = await table.read();
      expect(recall).toBeTypeOf('string');
      const began = () => sheets.openTable(spec, memory);
      const other = began();
      expect([await other.isAsRecalled(recall!), await table.isAsRecalled(recall!)]).toEqual([true, true]);
      // It goes on as a table that has read.
      expect(await other.read()).toMatchObject({ fingerprint, rows: rows.map(({ id }) => ({ id })) });
      expect(await began().isAsRecalled(`${recall} `)).toBe(false);
      expect(await began().isAsRecalled('of another driver')).toBe(false);
      const edits = [() => person.type('B3', 'Bobby'), () => person.insertRow(2), () => person.type('B1', 'First')];
      for (const edit of edits) {
        edit();
        const later = began();
        expect([await later.isAsRecalled(recall!), await table.isAsRecalled(recall!)]).toEqual([false, false]);
        expect((await later.read()).fingerprint).toBe((await table.read()).fingerprint);
      }
    });

    test('a text that the caller holds for a row is answered only if the row equals it, and changes no cell', async () => {
      const opened = open(people);
      const texts = new Map([
        ['a', '["Ann","ann@x.org",null]'],
        ['b', '["Robert","bob@x.org",null]'],
      ]);
      const { rows } = await opened.sheets.openTable(opened.spec).read({ knownText: (id) => texts.get(id) });
      const [first, ...others] = rows.map(({ unchangedText }) => unchangedText);
      expect([undefined, texts.get('a')]).toContain(first);
      expect(others).toEqual([undefined, undefined]);
      expect(rows.map(({ cells }) => cells)).toEqual((await readTab(opened)).rows.map(({ cells }) => cells));
    });

    test('memory of an earlier snapshot, as plain JSON, of this driver or of another, does not change what is read', async () => {
      const { sheets, spec, snapshot } = await openReady(driver);
      const memories = [
        JSON.parse(JSON.stringify(snapshot.memory)),
        { columnIndexByKey: {} },
        { columnIndexByKey: { name: 9 } },
      ];
      for (const memory of memories) {
        const read = await sheets.openTable(spec, memory).read();
        expect([read.tabId, read.rows, read.columns]).toEqual([snapshot.tabId, snapshot.rows, snapshot.columns]);
      }
      expect(Object.keys(snapshot.memory.columnIndexByKey).toSorted()).toEqual([
        '#id',
        '#status',
        'email',
        'name',
        'score',
      ]);
    });

    test('a missing tab or spreadsheet and a missing header row have different codes', async () => {
      const opened = open(people);
      const { sheets, spec } = opened;
      for (const look of [readTab, (_: OpenedTab, over: Partial<TableSpec>) => sheets.inspect({ ...spec, ...over })]) {
        expect(await codeOf(look(opened, { tab: 'No such tab' }))).toBe('tab-gone');
        expect(await codeOf(look(opened, { headerRow: 2_000 }))).toBe('header-row-beyond-grid');
        expect(await codeOf(look(opened, { spreadsheet: `${spec.spreadsheet}-not` }))).toBe('spreadsheet-gone');
      }
    });

    test('W11: a renamed tab is found, if tabs have ids', async () => {
      const { table, person, snapshot } = await openReady(driver);
      person.renameTab('Renamed');
      const seen = table.read().then(({ title, tabId }) => `${title} ${tabId}`);
      const expected = capabilities.hasTabIds ? `Renamed ${snapshot.tabId}` : 'tab-gone';
      expect(await seen.catch(() => codeOf(seen))).toBe(expected);
    });

    test('W11: a renamed header is known, if columns have anchors', async () => {
      const { table, person } = await openReady(driver);
      person.type('B1', 'First name');
      const { columns, rows } = await table.read();
      const column = { key: 'name', header: 'Name' };
      expect([columns[0], rows[0]!.cells['name']]).toEqual(
        capabilities.hasColumnAnchors
          ? [{ ...column, kind: 'renamed', headerNow: 'First name', letter: 'B' }, 'Ann']
          : [{ ...column, kind: 'missing' }, undefined],
      );
    });

    test('V5: a formula shows its result and is listed, if cells hold formulas', async () => {
      const { table, person } = await openReady(driver);
      person.type('B2', '="A"&"nn"');
      const [row] = (await table.read()).rows;
      expect([row!.cells['name'], row!.formulas]).toEqual(
        capabilities.hasFormulas ? ['Ann', ['name']] : ['="A"&"nn"', []],
      );
    });

    test('a requested stop is an AbortedError', async () => {
      const { table } = await openReady(driver);
      await expect(table.read({ signal: AbortSignal.abort() })).rejects.toBeInstanceOf(AbortedError);
    });
  });

  describe(`${name}: inspecting and creating columns`, () => {
    test('an inspection lists the contents, and its reference means the same tab', async () => {
      const { sheets, spec, addresses } = open([
        ['Contact ID', 'Name', '', 'Notes'],
        ['a', 'Ann'],
      ]);
      const seen = await sheets.inspect(spec);
      expect(seen).toMatchObject({
        idColumn: { kind: 'found' },
        headerTexts: ['Contact ID', 'Name', 'Notes'],
        forbidden: [],
      });
      expect(seen.columns.map(({ kind }) => kind)).toEqual(['found', 'missing', 'missing', 'missing']);
      expect(seen.rowCount).toBeGreaterThanOrEqual(2);
      const byReference = { ...spec, tab: seen.reference };
      expect(await sheets.inspect(byReference)).toEqual(seen);
      expect((await sheets.openTable(byReference).read()).rows.map(({ id }) => id)).toEqual(['a']);
      expect(addresses.tabKey(seen.reference)).toBe(addresses.tabKey(` ${seen.reference} `));
      await sheets.checkMayWrite(spec);
    });

    test('an address of a spreadsheet gives its id, and other texts give none', async () => {
      const { addresses, spec } = open(people);
      expect(addresses.spreadsheetId(` ${spec.spreadsheet} `)).toBe(spec.spreadsheet);
      expect(addresses.spreadsheetId(' ')).toBeUndefined();
    });

    test('a snapshot has the texts of the header row, mapped or not, without blanks', async () => {
      const { sheets, spec } = open([
        ['Name', '', 'Notes', ' '],
        ['Ann', '', 'tea', ''],
      ]);
      expect((await sheets.openTable(spec).read()).headerTexts).toEqual(['Name', 'Notes']);
    });

    test('ensure makes the ID column and the requested ones, right of the last header, and changes no other cell (L13)', async () => {
      const { sheets, spec, person } = open([
        ['Name', 'Notes'],
        ['Ann', 'tea', '', ''],
      ]);
      const table = sheets.openTable(spec);
      await table.ensure(await table.read(), ['email']);
      const [headerNow, row] = person.grid();
      expect(headerNow!.slice(0, 2)).toEqual(['Name', 'Notes']);
      expect(headerNow!.slice(2).toSorted()).toEqual(['Contact ID', 'Email']);
      expect(row).toEqual(['Ann', 'tea']);
      const { idColumn, columns, unanchored } = await table.read();
      expect([idColumn, ...columns].map(({ kind }) => kind)).toEqual(['found', 'found', 'found', 'missing', 'missing']);
      expect(unanchored).toEqual([]);
    });

    test('ensure twice makes nothing twice, nor a column that a person made meanwhile', async () => {
      const { sheets, spec, person } = open([['Contact ID', 'Name']]);
      const table = sheets.openTable(spec);
      const empty = await table.read();
      await table.ensure(empty, ['email']);
      await table.ensure(await table.read(), ['email']);
      await table.ensure(empty, ['email']);
      expect(person.grid()[0]).toEqual(['Contact ID', 'Name', 'Email']);
    });

    test('no marks are left, and removing them does no harm', async () => {
      const { table, snapshot, person } = await openReady(driver);
      await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { name: 'Anna' } }]);
      await table.append(await table.read(), [{ id: 'n', set: { name: 'New' } }]);
      await table.clearMarks();
      const before = person.grid();
      expect((await table.read()).leftovers).toBe(0);
      expect(await table.tidy()).toBe(0);
      expect(person.grid()).toEqual(before);
    });

    test('usage never decreases', async () => {
      const { table, sheets } = await openReady(driver);
      const before = sheets.usage();
      await table.read();
      const after = sheets.usage();
      for (const key of ['reads', 'writes'] as const) expect(after[key]).toBeGreaterThanOrEqual(before[key]);
    });
  });
}
