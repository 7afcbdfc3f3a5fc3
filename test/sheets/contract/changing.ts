// The contract tests for changes of rows.
import { describe, expect, test } from 'vitest';
import { AbortedError, SheetsError } from '../../../src/sheets/errors.ts';
import { ann, bob, header, openReady, rowOf, type TableDriver } from './setup.ts';

/** Texts that a driver or a spreadsheet could convert (V6). */
const oddTexts = [
  '=1+1',
  "'quoted",
  '007',
  '  spaces  ',
  'TRUE',
  '1,5',
  'say "hi"',
  'two\nlines',
  '+49 30',
  '#REF!',
  'ß😀',
];

export function describeChanging(name: string, driver: TableDriver): void {
  const { capabilities } = driver;

  describe(`${name}: setting cells`, () => {
    test('cells are set, cleared and answered as stored; no other cell changes (L13)', async () => {
      const { table, snapshot, person } = await openReady(driver);
      const outcomes = await table.update(snapshot, [
        { row: rowOf(snapshot, 'b'), set: { name: 'Robert', email: '' } },
        { row: rowOf(snapshot, 'a'), set: { '#status': 'conflict' } },
      ]);
      expect(outcomes).toEqual([
        { kind: 'written', stored: { name: 'Robert', email: null } },
        { kind: 'written', stored: { '#status': 'conflict' } },
      ]);
      expect(person.grid()).toEqual([
        header,
        ['a', 'Ann', 'likes tea', 'ann@x.org', '', 'conflict'],
        ['b', 'Robert'],
        ['c', 'Cleo'],
      ]);
    });

    test('V6: a text stays that text, with any content', async () => {
      const { table, snapshot } = await openReady(driver, [header, ...oddTexts.map((_, index) => [`id${index}`])]);
      const outcomes = await table.update(
        snapshot,
        oddTexts.map((text, index) => ({ row: rowOf(snapshot, `id${index}`), set: { name: text } })),
      );
      expect(outcomes).toEqual(oddTexts.map((text) => ({ kind: 'written', stored: { name: text } })));
      const { rows } = await table.read();
      expect(rows.map(({ cells }) => cells['name'])).toEqual(oddTexts);
      expect(rows.flatMap(({ formulas }) => formulas)).toEqual([]);
    });

    test('V1: a number and a boolean stay what they are, if cells have types', async () => {
      const { table, snapshot } = await openReady(driver);
      const changes = [
        { row: rowOf(snapshot, 'a'), set: { score: 12.5 } },
        { row: rowOf(snapshot, 'b'), set: { score: true } },
      ];
      const expected = capabilities.hasTypedCells ? [12.5, true] : ['12.5', 'true'];
      expect(await table.update(snapshot, changes)).toEqual(
        expected.map((score) => ({ kind: 'written', stored: { score } })),
      );
      expect((await table.read()).rows.slice(0, 2).map(({ cells }) => cells['score'])).toEqual(expected);
    });

    test('I1: an id is written into its row, and then identifies the row', async () => {
      const { table, snapshot } = await openReady(driver, [header, ['', 'New']]);
      const outcome = await table.update(snapshot, [{ row: snapshot.rows[0]!, set: {}, id: 'n' }]);
      expect(outcome).toEqual([{ kind: 'written', stored: {} }]);
      expect((await table.read()).rows.map(({ id }) => id)).toEqual(['n']);
    });

    test('W3: a row that a person changed meanwhile is not written, and the others are', async () => {
      const { table, snapshot, person } = await openReady(driver);
      person.type('D2', 'new@x.org');
      const outcomes = await table.update(
        snapshot,
        ['a', 'b'].map((id) => ({ row: rowOf(snapshot, id), set: { name: 'X' } })),
      );
      expect(outcomes).toMatchObject([{ kind: 'changed-meanwhile', columns: ['email'] }, { kind: 'written' }]);
      expect(person.grid().map(([, shown]) => shown)).toEqual(['Name', 'Ann', 'X', 'Cleo']);
    });

    test('a cell that is not mapped may change meanwhile', async () => {
      const { table, snapshot, person } = await openReady(driver);
      person.type('C2', 'likes coffee');
      const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { name: 'Anna' } }]);
      expect(outcomes).toMatchObject([{ kind: 'written' }]);
      expect(person.grid()[1]!.slice(1, 3)).toEqual(['Anna', 'likes coffee']);
    });

    test('L9: the id identifies a row: a row that moved or was deleted is never replaced by another', async () => {
      const { table, snapshot, person } = await openReady(driver);
      person.insertRow(2);
      const moved = await table.update(snapshot, [{ row: rowOf(snapshot, 'b'), set: { name: 'X' } }]);
      expect(moved).toEqual([{ kind: 'moved' }]);
      person.deleteRow(2);
      person.deleteRow(3);
      const gone = await table.update(snapshot, [{ row: rowOf(snapshot, 'b'), set: { name: 'X' } }]);
      expect(['moved', 'row-gone']).toContain(gone[0]!.kind);
      expect(person.grid()).toEqual([header, ann, ['c', 'Cleo']]);
    });

    test('W11: a column that moved since is written at its new place', async () => {
      const { table, snapshot, person } = await openReady(driver);
      person.insertColumn('B');
      const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { name: 'Anna' } }]);
      expect(outcomes).toMatchObject([{ kind: 'written' }]);
      expect(person.grid()[1]!.slice(0, 4)).toEqual(['a', '', 'Anna', 'likes tea']);
    });

    test('I4: of rows with one id none is written, unless the caller means that one', async () => {
      const { table, snapshot, person } = await openReady(driver, [header, ['a', 'Ann'], ['a', 'Ann']]);
      const [, second] = snapshot.rows;
      expect(await table.update(snapshot, [{ row: second!, set: { name: 'X' } }])).toEqual([{ kind: 'duplicate-id' }]);
      const meant = { row: second!, set: { '#status': 'a copy' }, isKnownDuplicate: true } as const;
      expect(await table.update(snapshot, [meant])).toMatchObject([{ kind: 'written' }]);
      expect(person.grid()).toEqual([header, ['a', 'Ann'], ['a', 'Ann', '', '', '', 'a copy']]);
    });

    test('outcomes come in the order of the changes; a value that no cell can hold is refused, with its columns', async () => {
      const { table, snapshot, person } = await openReady(driver, [
        ['Contact ID', 'Name', 'Email', 'Email'],
        ['a', 'Ann'],
        ['b', 'Bob'],
      ]);
      const outcomes = await table.update(snapshot, [
        { row: rowOf(snapshot, 'b'), set: { name: Number.NaN } },
        { row: rowOf(snapshot, 'a'), set: { name: 'Anna' } },
        { row: rowOf(snapshot, 'b'), set: { name: 'X', score: 1 } },
        { row: rowOf(snapshot, 'b'), set: { email: 'x' } },
      ]);
      expect(outcomes).toMatchObject([
        { kind: 'refused', reason: 'not-a-finite-number', columns: ['name'] },
        { kind: 'written' },
        { kind: 'refused', reason: 'column-not-found', columns: ['score'] },
        { kind: 'refused', reason: 'column-not-found', columns: ['email'] },
      ]);
      expect(person.grid().slice(1)).toEqual([
        ['a', 'Anna'],
        ['b', 'Bob'],
      ]);
    });

    test('V5: a formula is not overwritten, if cells hold formulas', async () => {
      const { table, person } = await openReady(driver);
      person.type('B2', '=1+1');
      const snapshot = await table.read();
      const outcomes = await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { name: 'X' } }]);
      expect(outcomes).toMatchObject([
        capabilities.hasFormulas ? { kind: 'formula', columns: ['name'] } : { kind: 'written' },
      ]);
    });

    test('W8: after the stop no batch begins: rows come back with an AbortedError, unwritten', async () => {
      const { table, snapshot, person } = await openReady(driver);
      const stopped = { stop: AbortSignal.abort() };
      const outcomes = [
        ...(await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { name: 'X' } }], stopped)),
        ...(await table.append(snapshot, [{ id: 'n', set: {} }], stopped)),
        ...(await table.remove(snapshot, [rowOf(snapshot, 'b')], stopped)),
      ];
      expect(outcomes.map(({ kind }) => kind)).toEqual(['failed', 'failed', 'failed']);
      for (const outcome of outcomes) {
        expect(outcome.kind === 'failed' && outcome.error).toBeInstanceOf(AbortedError);
      }
      expect(person.grid()).toEqual([header, ann, bob.slice(0, 4), ['c', 'Cleo']]);
    });

    test('changes to rows never throw: each row of a missing tab has an outcome', async () => {
      const { table, snapshot, person } = await openReady(driver);
      person.deleteTab();
      const outcomes = [
        ...(await table.update(snapshot, [{ row: rowOf(snapshot, 'a'), set: { name: 'X' } }])),
        ...(await table.append(snapshot, [{ id: 'n', set: {} }])),
        ...(await table.remove(snapshot, [rowOf(snapshot, 'b')])),
      ];
      expect(outcomes.map(({ kind }) => kind)).toEqual(['failed', 'failed', 'failed']);
      for (const outcome of outcomes) expect(outcome.kind === 'failed' && outcome.error).toBeInstanceOf(SheetsError);
      await table.clearMarks();
    });

    test('an empty list of changes succeeds', async () => {
      const { table, snapshot } = await openReady(driver);
      expect(
        await Promise.all([table.update(snapshot, []), table.append(snapshot, []), table.remove(snapshot, [])]),
      ).toEqual([[], [], []]);
    });
  });

  describe(`${name}: new rows`, () => {
    test('rows go below the last one, in their order, and may be changed at once', async () => {
      const { table, snapshot, person } = await openReady(driver);
      const outcomes = await table.append(snapshot, [
        { id: 'd', set: { name: 'Dora', '#status': 'new' } },
        { id: 'e', set: { email: 'e@x.org' } },
      ]);
      expect(outcomes).toEqual([{ kind: 'appended' }, { kind: 'appended' }]);
      expect(person.grid().slice(4)).toEqual([
        ['d', 'Dora', '', '', '', 'new'],
        ['e', '', '', 'e@x.org'],
      ]);
      const after = await table.read();
      expect(await table.update(after, [{ row: rowOf(after, 'e'), set: { name: 'Emil' } }])).toMatchObject([
        { kind: 'written' },
      ]);
    });

    test('into a tab that has only its header', async () => {
      const { table, snapshot, person } = await openReady(driver, [header]);
      expect(await table.append(snapshot, [{ id: 'a', set: { name: 'Ann' } }])).toEqual([{ kind: 'appended' }]);
      expect(person.grid()).toEqual([header, ['a', 'Ann']]);
    });

    test('a row typed below meanwhile stays', async () => {
      const { table, snapshot, person } = await openReady(driver);
      person.type('B5', 'Dora');
      expect(await table.append(snapshot, [{ id: 'n', set: { name: 'New' } }])).toEqual([{ kind: 'appended' }]);
      expect(person.grid().slice(4)).toEqual([
        ['n', 'New'],
        ['', 'Dora'],
      ]);
    });

    test('I4: an id that exists, or occurs twice among the new ones, is not added; nor is a row without one', async () => {
      const { table, snapshot, person } = await openReady(driver);
      const outcomes = await table.append(snapshot, [
        { id: 'a', set: { name: 'Again' } },
        { id: 'd', set: { name: 'Dora' } },
        { id: 'd', set: { name: 'Dora' } },
        { id: '', set: { name: 'Nobody' } },
        { id: 'f', set: { score: Infinity } },
      ]);
      expect(outcomes).toMatchObject([
        { kind: 'duplicate-id' },
        { kind: 'appended' },
        { kind: 'duplicate-id' },
        { kind: 'refused', reason: 'no-id' },
        { kind: 'refused', reason: 'not-a-finite-number', columns: ['score'] },
      ]);
      expect(person.grid().slice(4)).toEqual([['d', 'Dora']]);
    });

    test('L9: if columns moved since, nothing is added', async () => {
      const { table, snapshot, person } = await openReady(driver);
      person.insertColumn('B');
      const before = person.grid();
      expect(await table.append(snapshot, [{ id: 'n', set: { name: 'New' } }])).toEqual([{ kind: 'moved' }]);
      expect(person.grid()).toEqual(before);
    });
  });

  describe(`${name}: deleting rows`, () => {
    test('D5: rows are deleted whole, and outcomes come in their order', async () => {
      const { table, snapshot, person } = await openReady(driver);
      const rows = ['a', 'c'].map((id) => rowOf(snapshot, id));
      expect(await table.remove(snapshot, rows)).toEqual([{ kind: 'removed' }, { kind: 'removed' }]);
      expect(person.grid()).toEqual([header, bob.slice(0, 4)]);
    });

    test('W3: a row that a person changed meanwhile stays', async () => {
      const { table, snapshot, person } = await openReady(driver);
      person.type('B3', 'Robert');
      const rows = ['c', 'b'].map((id) => rowOf(snapshot, id));
      expect(await table.remove(snapshot, rows)).toEqual([
        { kind: 'removed' },
        { kind: 'changed-meanwhile', columns: ['name'] },
      ]);
      expect(person.grid().map(([id]) => id)).toEqual(['Contact ID', 'a', 'b']);
    });

    test('S7: with `onlyBare`, a row with something in a column that the table does not know stays', async () => {
      const { table, snapshot, person } = await openReady(driver);
      const rows = ['a', 'b'].map((id) => rowOf(snapshot, id));
      expect(await table.remove(snapshot, rows, { onlyBare: true })).toEqual([
        { kind: 'has-more', letters: ['C'] },
        { kind: 'removed' },
      ]);
      expect(person.grid().map(([id]) => id)).toEqual(['Contact ID', 'a', 'c']);
    });

    test('L9, I4: neither a row in another’s place is deleted, nor one of several with its id', async () => {
      const { table, snapshot, person } = await openReady(driver, [
        header,
        ann,
        ['b', 'Bob'],
        ['b', 'Bobby'],
        ['c', 'Cleo'],
      ]);
      person.deleteRow(2);
      const outcomes = await table.remove(snapshot, [rowOf(snapshot, 'a'), rowOf(snapshot, 'b'), rowOf(snapshot, 'c')]);
      expect(['moved', 'row-gone']).toContain(outcomes[0]!.kind);
      expect(outcomes[1]).toEqual({ kind: 'duplicate-id' });
      expect(['moved', 'row-gone']).toContain(outcomes[2]!.kind);
      expect(person.grid()).toEqual([header, ['b', 'Bob'], ['b', 'Bobby'], ['c', 'Cleo']]);
    });
  });
}
