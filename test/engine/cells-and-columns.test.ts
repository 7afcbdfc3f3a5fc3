import { describe, expect, test } from 'vitest';
import {
  assertMade,
  columnFacts,
  columnNotice,
  columnsToCreate,
  headerSlips,
  returnedColumns,
  slipText,
} from '../../src/engine/columns.ts';
import { factChanges, tableMemory, tabNamed } from '../../src/engine/facts.ts';
import {
  incomplete,
  isPullNews,
  judgeListing,
  judgeScan,
  noteFacts,
  notedIn,
  worse,
} from '../../src/engine/incomplete.ts';
import { mapChanges, replacing } from '../../src/engine/map-changes.ts';
import { createOwnCells, type OwnedWrite, writeRows } from '../../src/engine/own-cells.ts';
import { refusalIn } from '../../src/engine/refused-batch.ts';
import { fromAppend, fromOwnUpdate, fromRemove, fromUpdate } from '../../src/engine/row-outcome.ts';
import { rowWrites } from '../../src/engine/row-writes.ts';
import { rowsSeen } from '../../src/engine/rows-seen.ts';
import { hasStatusColumn, statusKey } from '../../src/engine/status-column.ts';
import {
  isUnbegun,
  isUnbegunRow,
  leftOf,
  sheetWrite,
  statusWhenStopped,
  stoppedAt,
  stoppedSending,
} from '../../src/engine/stop.ts';
import { digestOfUndo, tellUndo } from '../../src/engine/undo.ts';
import { nothingPlanned } from '../../src/engine/report.ts';
import { StoppedError } from '../../src/crm/errors.ts';
import { AbortedError, TableMovingError } from '../../src/sheets/errors.ts';
import type { CellValue, ColumnState, Row, RowChange, RowOutcome, Snapshot, Table } from '../../src/sheets/port.ts';
import type { HistoryLine } from '../../src/state/port.ts';
import { type Change, problem } from '../../src/sync/change.ts';
import type { Outcome } from '../../src/sync/outcome.ts';

/* What of a tab is written, what became of it, and what of a pull is told. */

const found = (key: string, header = key): ColumnState => ({ kind: 'found', key, header, letter: 'A' });
const missing = (key: string, header = key): ColumnState => ({ kind: 'missing', key, header });
const row = (number: number, id: string, own: Row['own'] = {}): Row => ({ number, id, cells: {}, own, formulas: [] });

function snapshotOf(more: Partial<Snapshot> = {}): Snapshot {
  return {
    title: 'Prospects',
    tabId: '7',
    fingerprint: 'f',
    rows: [],
    columns: [],
    idColumn: found('#id', 'ID'),
    headerTexts: [],
    leftovers: 0,
    unanchored: [],
    memory: { columnIndexByKey: {} },
    ...more,
  };
}

class RefusedBatch extends TableMovingError {
  override readonly isRefusal = true;
}
const refusedBatch: RowOutcome = { kind: 'failed', error: new RefusedBatch(3, {}) };
const failedBatch: RowOutcome = { kind: 'failed', error: new TableMovingError(3, {}) };
const { message: moving } = new TableMovingError(3, {});

const about = { uuid: 'a', row: 2, fields: [], rule: 'merge', reason: '' } as const;
const set: Change = { ...about, side: 'sheet', op: 'set' };
const append: Change = { ...about, side: 'sheet', op: 'append' };
const remove: Change = { ...about, side: 'sheet', op: 'remove' };
const done: Outcome = { kind: 'done' };

describe('W11: the columns of a tab', () => {
  test('a first run makes every missing column, a later one only those that the table did not have', () => {
    const snapshot = snapshotOf({ columns: [found('a'), missing('b'), missing('c')] });
    expect(columnsToCreate(snapshot, { facts: {} })).toEqual(['b', 'c']);
    const facts = { table: { columnIndexByKey: { a: 0, b: 1 } } };
    expect(columnsToCreate(snapshot, { facts })).toEqual(['c']);
    expect(columnsToCreate(snapshotOf({ columns: [found('a')] }), { facts: {} })).toEqual([]);
  });

  test('a column that the tab had once, or whose field has a base, is never made again', () => {
    const snapshot = snapshotOf({ columns: [found('a'), missing('b'), missing('c'), missing('d')] });
    const table = { columnIndexByKey: { '#id': 0, a: 1 } };
    const columns = { known: ['a', 'b'], lost: ['b'] };
    expect(columnsToCreate(snapshot, { facts: { table, columns } })).toEqual(['c', 'd']);
    expect(columnsToCreate(snapshot, { facts: { table, fields: ['a', 'c'] } })).toEqual(['b', 'd']);
  });

  test('W9: what is known of the columns is stored when it differs, also from what an earlier version stored', () => {
    const snapshot = snapshotOf({ columns: [found('b'), found('a'), missing('c')] });
    const table = { columnIndexByKey: { '#id': 0, a: 1, b: 2 } };
    expect(columnFacts({}, snapshot)).toEqual({ columns: { known: ['a', 'b'], lost: [] } });
    expect(columnFacts({ table }, snapshot)).toEqual({});
    expect(columnFacts({ columns: { known: ['a', 'b'], lost: [] } }, snapshot)).toEqual({});
    const lostC = { columns: { known: ['a', 'b', 'c'], lost: ['c'] } };
    expect(columnFacts({ table, fields: ['c'] }, snapshot)).toEqual({});
    expect(columnFacts({ table: { columnIndexByKey: { a: 0, b: 1, c: 2 } } }, snapshot)).toEqual(lostC);
    // What left the mapping is forgotten.
    expect(columnFacts(lostC, snapshotOf({ columns: [found('a'), found('b')] }))).toEqual({
      columns: { known: ['a', 'b'], lost: [] },
    });
    expect(columnFacts({ table: { columnIndexByKey: { a: 0, x: 1 } } }, snapshotOf({ columns: [found('a')] }))).toEqual(
      {
        columns: { known: ['a'], lost: [] },
      },
    );
  });

  test('S8: a column that is back stays lost for the run that deals with it', () => {
    const facts = { columns: { known: ['a', 'b'], lost: ['b'] } };
    const snapshot = snapshotOf({ columns: [found('a'), found('b')] });
    expect(returnedColumns(facts, snapshot)).toEqual(['b']);
    expect(columnFacts(facts, snapshot, true)).toEqual({});
    expect(columnFacts(facts, snapshot)).toEqual({ columns: { known: ['a', 'b'], lost: [] } });
  });

  test('a header that is nearly one to be made fails the run, and one that is nearly a known one does not', () => {
    const snapshot = snapshotOf({ columns: [missing('company', 'Company')], headerTexts: ['Compamy'] });
    expect(() => columnsToCreate(snapshot, { facts: {} })).toThrow(
      'in the tab "Prospects" the header "Company" is not there, and "Compamy" is',
    );
    expect(columnsToCreate(snapshot, { facts: { table: { columnIndexByKey: { company: 1 } } } })).toEqual([]);
    const noId = snapshotOf({ idColumn: missing('#id', 'Leadsheet ID'), headerTexts: ['Leadsheet-ID'] });
    expect(() => columnsToCreate(noId, { facts: { table: { columnIndexByKey: { '#id': 0 } } } })).toThrow(
      'Leadsheet ID',
    );
  });

  test('only a header that nobody maps counts as a slip, and only for a column that is missing', () => {
    const idColumn = found('#id', 'ID');
    const slips = (columns: readonly ColumnState[], headerTexts: readonly string[]) =>
      headerSlips({ columns, idColumn, headerTexts });
    const wanted = missing('company', 'Company');
    expect(slips([wanted], ['Compamy', 'company ', 'Other'])).toEqual([
      { key: 'company', header: 'Company', near: ['Compamy', 'company '] },
    ]);
    expect(slips([wanted, found('other', 'Compamy')], ['Compamy'])).toEqual([]);
    const renamed: ColumnState = { kind: 'renamed', key: 'x', header: 'Firm', headerNow: 'Compamy', letter: 'B' };
    expect(slips([wanted, renamed], ['Compamy'])).toEqual([]);
    expect(slips([found('company', 'Company')], ['Compamy'])).toEqual([]);
    // The old name of a renamed column is free.
    const free: ColumnState = { ...renamed, header: 'Compamy', headerNow: 'Firm' };
    expect(slips([wanted, free], ['Compamy', 'Firm'])).toMatchObject([{ near: ['Compamy'] }]);
    expect(slipText({ key: 'a', header: 'A', near: ['X', 'Y'] })).toContain('and "X" and "Y" is: rename it to "A"');
  });

  test('columns that could not be made fail the run by name; others may be missing', () => {
    const snapshot = snapshotOf({ columns: [missing('a', 'A'), missing('b', 'B'), found('c')] });
    expect(() => assertMade(snapshot, ['a', 'c'])).toThrow(
      'columns could not be made in the tab "Prospects": "A"; nothing',
    );
    expect(() => assertMade(snapshot, ['a', 'b'])).toThrow('"A", "B"; nothing');
    expect(() => assertMade(snapshot, ['c'])).not.toThrow();
    expect(() => assertMade(snapshotOf({ idColumn: missing('#id', 'ID') }), [])).toThrow('"ID"');
  });

  test('a renamed and a missing column are told, a found one is not', () => {
    expect(columnNotice(found('a'))).toEqual([]);
    expect(columnNotice(missing('a', 'A'))).toEqual([expect.stringContaining('the header "A" is not in the tab')]);
    expect(columnNotice({ kind: 'renamed', key: 'a', header: 'A', headerNow: 'B', letter: 'C' })).toEqual([
      expect.stringContaining('the header "A" is "B" now (column C)'),
    ]);
    expect(columnNotice({ kind: 'doubled', key: 'a', header: 'A', letters: ['A', 'B'] })).toEqual([]);
  });

  test('a status column counts while it is in the tab, also under another header', () => {
    const renamed: ColumnState = { kind: 'renamed', key: statusKey, header: 'S', headerNow: 'T', letter: 'B' };
    expect(hasStatusColumn(snapshotOf({ columns: [found('a'), found(statusKey)] }))).toBe(true);
    expect(hasStatusColumn(snapshotOf({ columns: [renamed] }))).toBe(true);
    expect(hasStatusColumn(snapshotOf({ columns: [found('a'), missing(statusKey)] }))).toBe(false);
  });
});

describe('the cells that a push writes', () => {
  const rows = [row(2, 'a', { [statusKey]: 'in sync' }), row(3, 'b'), row(4, 'c')];
  const input = {
    sets: [{ ...set, row: 3 }],
    statuses: new Map([
      [2, 'in sync'],
      [4, 'held: no'],
    ]),
    toCells: () => ({ a: 'x' }),
    statusOf: ({ own }: Row) => own[statusKey],
  };

  test('are those of changes and statuses that are news, in the order of the tab', () => {
    const writes = rowWrites(snapshotOf({ rows, columns: [found(statusKey)] }), input);
    expect(writes).toEqual([
      { change: input.sets[0], write: { row: rows[1], set: { a: 'x' }, own: {}, isKnownDuplicate: true } },
      { change: undefined, write: { row: rows[2], set: {}, own: { [statusKey]: 'held: no' }, isKnownDuplicate: true } },
    ]);
  });

  test('are no statuses in a tab without their column, and none of a change that sets no cell', () => {
    expect(rowWrites(snapshotOf({ rows }), input).map(({ write }) => write.row.number)).toEqual([3]);
    expect(rowWrites(snapshotOf({ rows }), { ...input, toCells: () => ({}) })).toEqual([]);
  });
});

describe('W5: cells of our own that are refused', () => {
  const now = 1_000_000;
  const own = { [statusKey]: 'held: no' };
  const headerOf = (key: string) => `header of ${key}`;
  const fresh = () => createOwnCells({ known: new Map(), retry: new Set(), now }, headerOf);
  const refused = () => {
    const cells = fresh();
    cells.refuse(row(4, 'c'), own, 'it is protected');
    return cells;
  };

  test('are remembered by row and ID, and told once for each range with the rows in order', () => {
    const cells = fresh();
    for (const number of [9, 4, 12, 5]) cells.refuse(row(number, 'c'), own, 'it is protected');
    cells.refuse(row(6, 'd'), own, 'too long');
    expect([...cells.strays(false).keys()]).toEqual(['cells:9 c', 'cells:4 c', 'cells:12 c', 'cells:5 c', 'cells:6 d']);
    expect(cells.problems()).toMatchObject([
      {
        kind: 'refused',
        field: `header of ${statusKey}`,
        rule: 'W5',
        reason: `header of ${statusKey} of rows 4, 5, 9 and 1 more could not be written: it is protected; to have it tried at once: leadsheet retry`,
      },
      { reason: expect.stringContaining('of row 6 could not be written: too long') },
    ]);
  });

  test('wait for the end of their pause, in the same place and with the same content alone', () => {
    const known = refused().strays(false);
    const later = (at: number, retry: ReadonlySet<string> | undefined = new Set()) =>
      createOwnCells({ known, retry, now: at }, headerOf);
    expect(later(now).due(row(4, 'c'), own)).toEqual({});
    expect(later(now + 60_000).due(row(4, 'c'), own)).toBe(own);
    expect(later(now + 59_999).due(row(4, 'c'), own)).toEqual({});
    expect(later(now).due(row(5, 'c'), own)).toBe(own);
    expect(later(now).due(row(4, 'd'), own)).toBe(own);
    const other = { [statusKey]: 'other' };
    expect(later(now).due(row(4, 'c'), other)).toBe(other);
    expect(later(now, new Set([`header of ${statusKey}`])).due(row(4, 'c'), own)).toEqual({});
    expect(later(now, new Set([`row:?/header of ${statusKey}`])).due(row(4, 'c'), own)).toBe(own);
    expect(later(now, new Set(['c'])).due(row(4, 'c'), own)).toBe(own);
    expect(later(now, undefined).due(row(4, 'c'), own)).toEqual({});
  });

  test('stay known while they wait, are told without the command where it does not help, and are forgotten once written', () => {
    const known = refused().strays(false);
    const cells = createOwnCells({ known, retry: undefined, now }, headerOf);
    expect(cells.strays(false).size).toBe(0);
    cells.due(row(4, 'c'), own);
    expect(cells.strays(false)).toEqual(known);
    expect(cells.problems()[0]!.reason).toBe(`header of ${statusKey} of row 4 could not be written: it is protected`);
    cells.written(row(4, 'c'));
    expect([cells.strays(false).size, cells.problems()]).toEqual([0, []]);
  });

  test('W8: a stopped run forgets none of its kind, and takes none of another', () => {
    const [known] = [...refused().strays(false).values()];
    const all = new Map([
      ['cells:4 c', known!],
      ['id:5 ', known!],
      ['append x', known!],
    ]);
    const cells = createOwnCells({ known: all, retry: new Set(), now }, headerOf);
    expect([...cells.strays(true).keys()]).toEqual(['cells:4 c']);
    expect([...createOwnCells({ known: all, retry: new Set(), now }, headerOf, 'id').strays(true).keys()]).toEqual([
      'id:5 ',
    ]);
  });

  /** Writes rows of which the spreadsheet refuses each batch in turn. */
  async function write(writes: readonly OwnedWrite[], ...answers: readonly (readonly RowOutcome[])[]) {
    const calls: (readonly RowChange[])[] = [];
    const left = answers.values();
    const update: Table['update'] = async (_snapshot, changes) => {
      calls.push(changes);
      return left.next().value ?? [];
    };
    const cells = fresh();
    const outcomes = await writeRows({ update } as Table, snapshotOf(), writes, cells);
    return { outcomes, cells, sets: calls.map((changes) => changes.map((change) => change.set)) };
  }
  const protectedCells = (...columns: readonly string[]): RowOutcome => {
    return { kind: 'refused', reason: 'protected', columns, message: 'it is protected' };
  };
  const written: RowOutcome = { kind: 'written', stored: {} };
  const both: OwnedWrite = { row: row(4, 'c'), set: { a: 'x' }, own };

  test('L4: the rest of the row is written without them', async () => {
    const { outcomes, cells, sets } = await write([both], [protectedCells(statusKey)], [written]);
    expect(sets).toEqual([[{ a: 'x', ...own }], [{ a: 'x' }]]);
    expect(outcomes).toEqual([written]);
    expect(cells.strays(false).size).toBe(1);
  });

  test('a refusal of other cells is the outcome of the row', async () => {
    const outcome = protectedCells(statusKey, 'a');
    const { outcomes, cells, sets } = await write([both], [outcome]);
    expect([outcomes, cells.strays(false).size, sets.length]).toEqual([[outcome], 0, 1]);
    const tooLong: RowOutcome = { kind: 'refused', reason: 'cell-too-long', columns: [statusKey], message: 'long' };
    expect((await write([both], [tooLong])).outcomes).toEqual([tooLong]);
  });

  test('L4: where the spreadsheet does not say for which cell, the rest of the row is tried once without them', async () => {
    const unnamed = { kind: 'refused', reason: 'by-spreadsheet', columns: ['a', statusKey], message: 'no' } as const;
    const { outcomes, cells, sets } = await write([both], [unnamed], [written]);
    expect(sets).toEqual([[{ a: 'x', ...own }], [{ a: 'x' }]]);
    expect(outcomes).toEqual([written]);
    expect(cells.problems()).toMatchObject([{ kind: 'refused', reason: expect.stringContaining('written: no;') }]);
    const other = { ...unnamed, message: 'neither' };
    const without = await write([both], [unnamed], [other]);
    expect([without.outcomes, without.cells.problems()]).toEqual([[other], []]);
  });

  test('V5: a cell that holds a formula is left out, told with its rows in order, and known to no later run', () => {
    const cells = fresh();
    const withFormula = (number: number): Row => ({ ...row(number, 'c'), formulas: [statusKey] });
    expect(cells.due(withFormula(9), { ...own, '#result': 'enrolled' })).toEqual({ '#result': 'enrolled' });
    expect(cells.due(withFormula(4), own)).toEqual({});
    expect(cells.strays(false).size).toBe(0);
    const reason = `header of ${statusKey} of rows 4, 9 hold a formula, which is never written over: clear the cell`;
    expect(cells.problems()).toMatchObject([{ kind: 'held', rule: 'V5', field: `header of ${statusKey}`, reason }]);
    const one = fresh();
    one.due(withFormula(4), own);
    expect(one.problems()).toMatchObject([{ reason: expect.stringContaining('of row 4 holds a formula') }]);
  });

  test('V5, L4: where the driver alone finds the formula, the rest of the row is written without that cell', async () => {
    const { outcomes, cells, sets } = await write([both], [{ kind: 'formula', columns: [statusKey] }], [written]);
    expect(sets).toEqual([[{ a: 'x', ...own }], [{ a: 'x' }]]);
    expect([outcomes, cells.strays(false).size]).toEqual([[written], 1]);
    const formula: RowOutcome = { kind: 'formula', columns: [statusKey, 'a'] };
    expect((await write([both], [formula])).outcomes).toEqual([formula]);
  });

  test('L6: a cell that shows nothing after it was written is refused, and the row is written', async () => {
    const hidden: RowOutcome = { kind: 'written', stored: { a: 'x', [statusKey]: null } };
    const { outcomes, cells, sets } = await write([both], [hidden]);
    expect([outcomes, sets.length]).toEqual([[hidden], 1]);
    expect(cells.problems()).toMatchObject([{ kind: 'refused', reason: expect.stringContaining('shows nothing') }]);
    const shown: RowOutcome = { kind: 'written', stored: { a: null, [statusKey]: 'typed' } };
    expect((await write([both], [shown])).cells.problems()).toEqual([]);
  });

  test('a row with nothing else is not tried again, and each outcome is at the place of its row', async () => {
    const alone: OwnedWrite = { row: row(5, 'd'), set: {}, own };
    const nothing: OwnedWrite = { row: row(6, 'e'), set: {}, own: {} };
    const id: OwnedWrite = { row: row(7, ''), set: {}, own: {}, id: 'f' };
    const { outcomes, cells, sets } = await write([nothing, alone, id], [refusedBatch, written]);
    expect(outcomes).toEqual([undefined, refusedBatch, written]);
    expect(sets).toEqual([[own, {}]]);
    expect([...cells.strays(false).keys()]).toEqual(['cells:5 d']);
    expect((await write([nothing])).sets).toEqual([]);
    const { cells: kept } = await write([alone], [failedBatch]);
    expect(kept.strays(false).size).toBe(0);
  });
});

describe('what became of a row', () => {
  const shape = { shape: { fromCells: (stored: object) => ({ ...stored, read: 1 }) } };
  const update = (outcome: RowOutcome) => fromUpdate(shape, outcome);
  const refused = { kind: 'refused', reason: 'protected', columns: ['a'], message: 'no' } as const;

  test('W3, W5: of cells', () => {
    expect(update({ kind: 'written', stored: { a: 'x' } })).toEqual({ kind: 'done', stored: { a: 'x', read: 1 } });
    for (const kind of ['moved', 'row-gone', 'duplicate-id'] as const)
      expect(update({ kind })).toEqual({ kind: 'moved' });
    expect(update({ kind: 'changed-meanwhile', columns: [] })).toEqual({ kind: 'moved' });
    expect(update(refused)).toEqual({ kind: 'refused', message: 'no' });
    expect(update(failedBatch)).toEqual({ kind: 'failed', message: moving });
    expect(update(refusedBatch)).toEqual({ kind: 'refused', message: moving });
    expect(update({ kind: 'unknown', error: new TableMovingError(3, {}) })).toEqual({
      kind: 'unknown',
      message: moving,
    });
    const cell = { written: 'x', before: 'y' };
    const putBack = { ...cell, cell: 'D17', isRestored: true };
    const left = { ...cell, cell: 'E17', isRestored: false };
    expect(update({ kind: 'displaced', cells: [putBack, left] })).toEqual({
      kind: 'unknown',
      message: 'cells were moved in the moment of writing; look at D17 (put back), E17',
    });
    expect(update({ kind: 'displaced', cells: [putBack] })).toMatchObject({ kind: 'failed' });
    // Another row was written to, and nobody knows which cells.
    expect(update({ kind: 'displaced', cells: [] })).toEqual({
      kind: 'unknown',
      message: expect.stringContaining('look at its row in the version history'),
    });
  });

  test('V5: of a row with a formula in its ID cell, or in another one: the same again would meet it again', () => {
    const message = (columns: readonly string[]) => update({ kind: 'formula', columns });
    const id = 'its ID cell holds a formula, which is never written over: clear the cell';
    expect(message(['#id', 'a'])).toEqual({ kind: 'refused', message: id });
    expect(message(['a'])).toEqual({
      kind: 'refused',
      message: expect.stringMatching(/^a cell of it holds a formula, or/),
    });
  });

  test('W5: of cells that nobody else fills, where nothing of them is shown', () => {
    const stored = (cells: Readonly<Record<string, CellValue>>): RowOutcome => ({ kind: 'written', stored: cells });
    const hidden = { kind: 'refused', message: expect.stringContaining('merged') };
    expect(fromOwnUpdate({ a: 'x', b: '' }, stored({ a: null, b: null }))).toEqual(hidden);
    expect(fromOwnUpdate({ a: 'x', b: 7 }, stored({ a: null, b: 7 }))).toEqual({ kind: 'done', stored: {} });
    expect(fromOwnUpdate({ a: 'x' }, stored({ a: 'y' }))).toEqual({ kind: 'done', stored: {} });
    expect(fromOwnUpdate({ a: 'x' }, stored({}))).toEqual({ kind: 'done', stored: {} });
    expect(fromOwnUpdate({ b: '' }, stored({ b: null }))).toEqual({ kind: 'done', stored: {} });
    expect(fromOwnUpdate({ a: 'x' }, { kind: 'moved' })).toEqual({ kind: 'moved' });
  });

  test('of a new row, and of a deleted one', () => {
    expect(fromAppend({ kind: 'appended' })).toEqual({ kind: 'done', stored: {} });
    expect(fromAppend({ kind: 'moved' })).toEqual({ kind: 'moved' });
    expect(fromAppend({ kind: 'duplicate-id' })).toEqual({ kind: 'moved' });
    expect(fromAppend({ kind: 'displaced', columns: ['a', 'b'] })).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('look at a, b of its row'),
    });
    expect(fromAppend(refused)).toEqual({ kind: 'refused', message: 'no' });
    expect(fromRemove({ kind: 'removed' })).toEqual(done);
    expect(fromRemove({ kind: 'row-gone' })).toEqual(done);
    for (const kind of ['moved', 'duplicate-id'] as const) expect(fromRemove({ kind })).toEqual({ kind: 'moved' });
    expect(fromRemove({ kind: 'changed-meanwhile', columns: [] })).toEqual({ kind: 'moved' });
    expect(fromRemove({ kind: 'has-more', letters: ['F', 'G'] })).toEqual({
      kind: 'moved',
      message: 'its row stays: it has something in column F, G',
    });
    expect(fromRemove({ kind: 'displaced', number: 8 })).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('row 8'),
    });
    expect(fromRemove({ kind: 'failed', error: new RefusedBatch(3, {}) })).toEqual({
      kind: 'refused',
      message: moving,
    });
  });

  test('W5: only a refusal has a reason', () => {
    expect(refusalIn(refused)).toBe('no');
    expect(refusalIn(refusedBatch)).toBe(moving);
    for (const outcome of [failedBatch, { kind: 'moved' } as const]) expect(refusalIn(outcome)).toBeUndefined();
  });
});

describe('the rows of a tab after a run', () => {
  const seen = (rows: readonly Row[], outcomes: readonly (readonly [Change, Outcome])[] = []) =>
    Object.fromEntries(rowsSeen({ rows }, new Map(outcomes), { headerRow: 3 }));
  const rows = [row(4, 'a'), row(5, ''), row(6, 'c'), row(8, 'd')];

  test('are those that have an ID, with the IDs that the run wrote', () => {
    expect(seen(rows)).toEqual({ 4: 'a', 6: 'c', 8: 'd' });
    const linked: Change = { ...set, row: 5, uuid: 'b', id: 'b' };
    expect(seen(rows, [[linked, done]])).toEqual({ 4: 'a', 5: 'b', 6: 'c', 8: 'd' });
    expect(seen(rows, [[linked, { kind: 'moved' }]])).toEqual({ 4: 'a', 6: 'c', 8: 'd' });
    expect(seen(rows, [[{ ...set, row: 5, uuid: 'b' }, done]])).toEqual({ 4: 'a', 6: 'c', 8: 'd' });
    expect(seen(rows, [[{ ...linked, row: null }, done]])).toEqual({ 4: 'a', 6: 'c', 8: 'd' });
  });

  test('D3: those that were appended stand below the last one, in a new tab below the header', () => {
    const appended = ['x', 'y'].map((uuid) => [{ ...append, uuid, row: null }, done] as const);
    expect(seen(rows, appended)).toEqual({ 4: 'a', 6: 'c', 8: 'd', 9: 'x', 10: 'y' });
    expect(seen([], appended)).toEqual({ 4: 'x', 5: 'y' });
    expect(seen([], [[{ ...append, uuid: null }, done]])).toEqual({});
  });

  test('D3: rows below a removed one move up by as many as stood above them', () => {
    const removed = [6, 4].map((at) => [{ ...remove, row: at }, done] as const);
    expect(seen(rows, removed)).toEqual({ 6: 'd' });
    expect(seen(rows, [[{ ...remove, row: 5 }, done]])).toEqual({ 4: 'a', 5: 'c', 7: 'd' });
    expect(seen(rows, [[{ ...remove, row: 8 }, done]])).toEqual({ 4: 'a', 6: 'c' });
    expect(seen(rows, [[{ ...remove, row: null }, done]])).toEqual({ 4: 'a', 6: 'c', 8: 'd' });
    expect(seen(rows, [...removed, [{ ...append, uuid: 'x' }, done]])).toEqual({ 6: 'd', 7: 'x' });
  });
});

describe('W8: a run that was stopped', () => {
  const signal = AbortSignal.abort(new Error('the end'));
  const stopped = { request: { signal } };
  const runs = { request: { signal: new AbortController().signal } };
  const planned = [set, append, remove];
  const outcomes = new Map<Change, Outcome>([
    [set, done],
    [append, { kind: 'failed', message: '' }],
  ]);

  test('has left what has no outcome, and has done what was done', () => {
    expect(leftOf(stopped, planned, outcomes)).toEqual([remove]);
    expect(leftOf(runs, planned, outcomes)).toEqual([]);
    expect(stoppedAt(planned, [remove], outcomes)).toEqual({ stopped: { done: 1, left: 1 } });
    expect(stoppedAt(planned, [], outcomes)).toEqual({});
  });

  test('P1: of an outbox, the messages that wait for their turn are left', () => {
    const send: Change = { ...about, side: 'crm', op: 'send', to: '', from: '' };
    const all = new Map<Change, Outcome>([
      ...outcomes,
      [send, done],
      [
        { ...send, row: 3 },
        { kind: 'failed', message: '' },
      ],
    ]);
    const waits = problem('waiting', { row: 4 }, 'P1', '');
    const others = [problem('waiting', { row: 5 }, 'P4', ''), problem('held', { row: 6 }, 'P1', '')];
    expect(stoppedSending(stopped, [waits, ...others], all)).toEqual({ stopped: { done: 1, left: 1 } });
    expect(stoppedSending(stopped, others, all)).toEqual({});
    expect(stoppedSending(runs, [waits], all)).toEqual({});
  });

  test('L12, W12: is partial instead of succeeded', () => {
    const half = { stopped: { done: 1, left: 1 } };
    expect(statusWhenStopped('succeeded', half)).toBe('partial');
    expect(statusWhenStopped('failed', half)).toBe('failed');
    expect(statusWhenStopped('succeeded', {})).toBe('succeeded');
  });

  test('a call did not begin if it says so, or fails for the reason of the stop', () => {
    expect(isUnbegun(signal.reason, stopped)).toBe(true);
    expect(isUnbegun(new Error('the end'), stopped)).toBe(false);
    expect(isUnbegun(undefined, runs)).toBe(false);
    expect(isUnbegun(Object.create(StoppedError.prototype), runs)).toBe(true);
    expect(isUnbegunRow({ kind: 'failed', error: new AbortedError({}) })).toBe(true);
    expect(isUnbegunRow({ kind: 'unknown', error: new AbortedError({}) })).toBe(false);
    expect(isUnbegunRow(failedBatch)).toBe(false);
    expect(sheetWrite(stopped)).toEqual({ stop: signal });
  });
});

describe('L12, G5: a pull that was not whole', () => {
  const scan = {
    mode: 'full',
    whole: false,
    reasons: ['one', 'two'],
    contacts: 2,
    expected: 6,
  } as const;
  const none = { drifted: [], limited: null };
  const told = (reason: string) => incomplete('contacts', `${reason}. Nothing is concluded about the others`);

  test('that failed is a problem with both numbers, and notes nothing new', () => {
    const known = { drifted: ['full'], limited: null } as const;
    expect(judgeScan(scan, 'no answer', known)).toEqual({
      problems: [told('2 of 6 contacts were read: no answer')],
      notices: [],
      noted: known,
    });
    expect(judgeScan({ ...scan, expected: undefined }, 'no answer', none).problems).toEqual([
      told('2 contacts were read, and it is not known of how many: no answer'),
    ]);
    expect(told('x').id).toBe('pull:contacts');
  });

  test('that drifted is a notice, and a problem where the one before it in the same mode drifted too', () => {
    const drift = { ...scan, lack: 'drift' } as const;
    expect(judgeScan(drift, undefined, none)).toEqual({
      problems: [],
      notices: ['one', 'two'],
      noted: { drifted: ['full'], limited: null },
    });
    const other = { drifted: ['incremental'], limited: null } as const;
    expect(judgeScan(drift, undefined, other).noted).toEqual({ drifted: ['incremental', 'full'], limited: null });
    const again = { drifted: ['full'], limited: null } as const;
    expect(judgeScan(drift, undefined, again)).toEqual({
      problems: [told('2 of 6 contacts were read: one; two, as the time before')],
      notices: [],
      noted: again,
    });
  });

  test.each(['short', 'unreadable'] as const)('that is %s is a problem at once', (lack) => {
    expect(judgeScan({ ...scan, lack }, undefined, none)).toEqual({
      problems: [told('2 of 6 contacts were read: one; two')],
      notices: [],
      noted: none,
    });
  });

  test('that is limited stays a problem of later runs until a full scan is whole', () => {
    const full = judgeScan({ ...scan, lack: 'limit' }, undefined, none);
    const limit = told('2 of 6 contacts were read: one; two');
    expect(full).toEqual({ problems: [limit], notices: [], noted: { drifted: [], limited: limit.reason } });
    const changes = { ...scan, mode: 'incremental' } as const;
    const known = full.noted;
    expect(judgeScan(changes, undefined, known)).toEqual({ problems: [limit], notices: [], noted: known });
    expect(judgeScan({ ...changes, lack: 'drift' }, undefined, known).problems).toEqual([limit]);
    expect(judgeScan({ ...changes, lack: 'limit' }, undefined, none).noted).toEqual(none);
    expect(judgeScan(scan, undefined, known)).toEqual({ problems: [], notices: [], noted: none });
  });

  test('a whole one closes what one of its own mode left open', () => {
    const known = { drifted: ['full', 'incremental'], limited: null } as const;
    expect(judgeScan({ ...scan, mode: 'incremental' }, undefined, known).noted).toEqual({
      drifted: ['full'],
      limited: null,
    });
    expect(judgeScan(scan, undefined, known).noted).toEqual(none);
  });

  test('of a listing', () => {
    const drifted = { drifted: ['full'], limited: null } as const;
    expect(judgeListing({ notice: 'cut', isDrifted: true }, drifted)).toEqual({
      problems: [incomplete('records', 'cut')],
      notices: [],
      noted: drifted,
    });
    expect(judgeListing({ isDrifted: false }, drifted)).toEqual({
      problems: [],
      notices: [],
      noted: none,
    });
    const first = judgeListing({ isDrifted: true }, none);
    expect(first).toMatchObject({ problems: [], notices: [expect.any(String)], noted: drifted });
    const second = judgeListing({ isDrifted: true }, drifted);
    expect(second).toMatchObject({ problems: [{ id: 'pull:records' }], notices: [], noted: drifted });
  });

  test('W9: only what became worse is written at once; every difference goes along', () => {
    const facts = { drifted: ['full'], limited: 'much' } as const;
    expect(worse(facts, none)).toEqual({});
    expect(worse(facts, { drifted: ['full'], limited: 'more' })).toEqual({});
    expect(worse({}, { drifted: ['full'], limited: 'much' })).toEqual(facts);
    expect(worse(facts, { drifted: ['incremental'], limited: null })).toEqual({ drifted: ['incremental'] });
    expect(noteFacts(facts, none)).toEqual(none);
    expect(noteFacts(facts, { ...facts })).toEqual({});
    expect(noteFacts(facts, { drifted: ['full'], limited: 'more' })).toEqual({ limited: 'more' });
    expect([notedIn({}), notedIn(facts)]).toEqual([none, facts]);
  });

  test('W9: whether pulls are whole is news, and how much is missing is not', () => {
    const two = incomplete('contacts', '2 of 6');
    const held = problem('held', { row: 2 }, 'I7', '');
    expect(isPullNews(undefined, [held])).toBe(false);
    expect(isPullNews(undefined, [two])).toBe(true);
    expect(isPullNews({ problems: [two] }, [incomplete('contacts', '3 of 6'), held])).toBe(false);
    expect(isPullNews({ problems: [two, held] }, [held])).toBe(true);
    expect(isPullNews({ problems: [two] }, [incomplete('records', '2 of 6')])).toBe(true);
  });
});

describe('what differs is stored', () => {
  test('facts, by their content', () => {
    expect([...factChanges({ tab: 'a', watermark: 'w' }, { tab: 'a', watermark: 'x', fields: ['f'] })]).toEqual([
      ['watermark', 'x'],
      ['fields', ['f']],
    ]);
    expect(factChanges({ fields: ['f'] }, { fields: ['f'] }).size).toBe(0);
  });

  test('G1: the memory of a table is that of the configured tab, or of a state that names none', () => {
    const sheet = { spreadsheetId: 's', tab: 't' } as Parameters<typeof tabNamed>[0]['sheet'];
    const table = { columnIndexByKey: { a: 1 } };
    expect(tabNamed({ sheet })).toBe('s t');
    expect(tableMemory({ sheet }, { table })).toBe(table);
    expect(tableMemory({ sheet }, { tab: 's t', table })).toBe(table);
    expect(tableMemory({ sheet }, { tab: 's u', table })).toBeUndefined();
  });

  test('records that are new, others or gone', () => {
    const before = new Map(Object.entries({ a: { n: 1 }, b: { n: 2 }, c: { n: 3 } }));
    const after = new Map<string, { n: number } | null>(
      Object.entries({ a: { n: 1 }, b: { n: 9 }, c: null, d: { n: 4 }, e: null }),
    );
    const { isChanged, result, changes } = mapChanges(before, after);
    expect(isChanged).toBe(true);
    expect(changes).toEqual({ put: new Map(Object.entries({ b: { n: 9 }, d: { n: 4 } })), delete: ['c'] });
    expect(Object.fromEntries(result)).toEqual({ a: { n: 1 }, b: { n: 9 }, d: { n: 4 } });
    const same = mapChanges(before, new Map(Object.entries({ a: { n: 1 }, e: null })));
    expect([same.isChanged, same.result === before]).toEqual([false, true]);
    expect(mapChanges(before, new Map([['c', null]])).isChanged).toBe(true);
  });

  test('a record that is left out is deleted where all are replaced', () => {
    const before = new Map(Object.entries({ a: { n: 1 }, b: { n: 2 } }));
    const { result, changes } = replacing(before, new Map(Object.entries({ b: { n: 2 }, c: { n: 3 } })));
    expect(changes).toEqual({ put: new Map([['c', { n: 3 }]]), delete: ['a'] });
    expect([...result.keys()]).toEqual(['b', 'c']);
  });
});

describe('S8: the decision to undo', () => {
  const change = { side: 'crm', op: 'update', uuid: 'a', fields: [] } as const;
  const field = { field: 'position', before: 'CTO', after: 'CEO', rule: 'S4', reason: '' } as const;

  test('its digest is that of the changes in any order, and of each of their parts', () => {
    const one = { ...change, fields: [field] };
    const digest = digestOfUndo([one, change]);
    expect(digestOfUndo([change, one])).toBe(digest);
    expect(digestOfUndo([change, { ...one, fields: [{ ...field, reason: 'other' }] }])).toBe(digest);
    const others = [
      { side: 'sheet' },
      { op: 'delete' },
      { uuid: 'b' },
      { fields: [{ ...field, after: 'x' }] },
    ] as const;
    const digests = others.map((other) => digestOfUndo([change, { ...one, ...other }]));
    const before = digestOfUndo([change, { ...one, fields: [{ ...field, before: undefined }] }]);
    const blank = digestOfUndo([change, { ...one, fields: [{ ...field, before: null }] }]);
    expect(before).toBe(blank);
    expect(new Set([digest, before, ...digests]).size).toBe(6);
  });

  test('the history has it before anything is done', async () => {
    const lines: HistoryLine[] = [];
    const lease = { appendHistory: async (more: readonly HistoryLine[]) => void lines.push(...more) };
    const origin = { by: 'ann', at: 'T', through: 'cli', text: 'undo R1' } as const;
    const undoing = { run: 'R1', lines: [], deletesCreated: false };
    const plan = { counts: nothingPlanned, changes: [] };
    await tellUndo({ run: 'R2', now: () => 0, config: { name: 'prospects' } }, lease, undoing, origin, plan);
    expect(lines).toEqual([
      {
        time: '1970-01-01T00:00:00.000Z',
        sync: 'prospects',
        run: 'R2',
        decision: 'undo',
        id: 'R1',
        contact: null,
        row: null,
        field: null,
        outcome: 'taken',
        text: 'undo R1',
        by: 'ann',
        decided_at: 'T',
        through: 'cli',
        seen: { counts: nothingPlanned, reasons: [], digest: digestOfUndo([]) },
      },
    ]);
  });
});
