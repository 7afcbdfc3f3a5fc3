// W5, W9 for a feed: a spreadsheet that refuses is asked again after pauses that grow, the last of which repeats.
import { describe, expect, it } from 'vitest';
import { createSyncTrial, tabTitle, type TrialOptions } from '../../support/app.ts';
import { protect, triesOf, unprotect } from '../sheet-refusals.ts';

const columns = { ID: 'uuid', Name: 'name', Priority: 'priority' };
const hourMinutes = 60;

async function createMirrored(
  feed: Readonly<Record<string, unknown>> = {},
  options: Pick<TrialOptions, 'behaviour' | 'values'> = {},
) {
  const trial = createSyncTrial({
    values: [[]],
    ...options,
    feeds: { flows: { resource: 'automations', columns, ...feed } },
  });
  const { automations } = trial.service.model;
  const records = ['Q1', 'Q2', 'Q3'].map((name) => automations.add({ name, status: 'off' }));
  const run = () => trial.runFeed('flows');
  await run();
  const change = (index: number, priority: number) =>
    automations.table.change(records[index]!.uuid, { priority }, Date.now());
  /** No operation deletes an automation; it goes all the same. */
  const vanish = (index: number) =>
    automations.table.replaceAll([...automations.table.all()].filter(({ uuid }) => uuid !== records[index]!.uuid));
  return { ...trial, automations, records, run, change, vanish, stateName: 'flows' };
}

/** Tries of five hours: after 1, 5, 30 and 120 minutes, and each two hours after that. */
const hours = 5;
/** Between two runs. */
const stepMinutes = 10;
const triesInAll = 3 + 2;

describe('W5, W9: what the spreadsheet refuses a feed', () => {
  it('F1: a new row', async () => {
    const trial = await createMirrored();
    protect(trial, { startRowIndex: 3, endRowIndex: 1000 });
    const { uuid } = trial.automations.add({ name: 'Q4', status: 'off' });
    const first = await trial.run();
    expect(first).toMatchObject({ status: 'partial', counts: { appended: 0 } });
    expect(first.problems).toEqual([expect.objectContaining({ kind: 'refused', rule: 'W5', uuid })]);
    expect(first.problems[0]!.reason).toMatch(/^its row could not be added: .* may not edit the protected range /);
    expect(await triesOf(trial, hours * hourMinutes, stepMinutes)).toEqual({ tries: triesInAll, news: 0 });
    const inWords = (problems: typeof first.problems) => problems.map(({ retryAt: _at, ...said }) => said);
    expect(inWords((await trial.run()).problems)).toEqual(inWords(first.problems));
    unprotect(trial);
    await triesOf(trial, 2 * hourMinutes, stepMinutes);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { linked: 4 } });
  });

  it('F1: cells of a row, until the record changes', async () => {
    const trial = await createMirrored();
    protect(trial, { startRowIndex: 2, endRowIndex: 3 });
    trial.change(1, 7);
    const [problem] = (await trial.run()).problems;
    expect(problem).toMatchObject({ kind: 'refused', rule: 'W5', row: 3 });
    expect(await triesOf(trial, hourMinutes, stepMinutes)).toEqual({ tries: 3, news: 0 });
    trial.change(1, 8);
    const before = trial.writes().sheet;
    await trial.run();
    expect(trial.writes().sheet).toBeGreaterThan(before);
    expect(await triesOf(trial, 4, 4)).toEqual({ tries: 1, news: 0 });
  });

  it('F3: the row of a record that is gone, and a status that says so', async () => {
    for (const onGone of ['delete_row', 'mark']) {
      const trial = await createMirrored({ on_gone: onGone });
      protect(trial, { startRowIndex: 2, endRowIndex: 3 });
      trial.vanish(1);
      const first = await trial.run();
      const told = first.problems.find(({ rule }) => rule === 'W5')!;
      expect(told.reason).toMatch(/^(its row could not be deleted|Sync of row 3 could not be written): /);
      expect(await triesOf(trial, hours * hourMinutes, stepMinutes)).toEqual({ tries: triesInAll, news: 0 });
      unprotect(trial);
      await triesOf(trial, 2 * hourMinutes, stepMinutes);
      expect(trial.grid()).toHaveLength(onGone === 'mark' ? 3 : 2);
      expect((await trial.run()).problems.filter(({ rule }) => rule === 'W5')).toEqual([]);
    }
  });

  it('L4: a record goes into its row although the status column is protected', async () => {
    const trial = await createMirrored({}, { behaviour: { skippedCellsAreProtected: false } });
    trial.person.paste(`'${tabTitle}'!D2`, [['mine']]);
    const column = trial.columnIndexOf('Sync');
    expect(column).toBe(3);
    protect(trial, { startColumnIndex: column, endColumnIndex: column + 1 });
    trial.change(0, 9);
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { set: 1 } });
    expect(trial.grid()[0]).toMatchObject({ Priority: '9', Sync: 'mine' });
    expect(await triesOf(trial, hourMinutes, stepMinutes)).toEqual({ tries: 3, news: 0 });
  });

  it('V5, L4: a formula in the status cell keeps no other cell of the row from being written', async () => {
    // In a column that leadsheet makes, a formula that is typed is text.
    const trial = await createMirrored({}, { values: [['ID', 'Name', 'Priority', 'Sync']] });
    trial.person.type(`'${tabTitle}'!D2`, '="mi"&"ne"');
    trial.change(0, 9);
    const told = { status: 'partial', problems: [{ kind: 'held', rule: 'V5', field: 'Sync' }] };
    expect(await trial.run()).toMatchObject({ ...told, counts: { set: 1 } });
    expect(trial.grid()[0]).toMatchObject({ Priority: '9', Sync: 'mine' });
    expect(await triesOf(trial, hourMinutes, stepMinutes)).toEqual({ tries: 0, news: 0 });
    expect(await trial.run()).toMatchObject(told);
  });

  it('L6, F5: a cell that a merge covers is refused, and no run writes a line of history about it in between', async () => {
    const trial = await createMirrored();
    const range = { sheetId: 7, startRowIndex: 1, endRowIndex: 3, startColumnIndex: 1, endColumnIndex: 2 };
    trial.person.request({ mergeCells: { range, mergeType: 'MERGE_ALL' } });
    const { problems } = await trial.run();
    expect(problems).toMatchObject([{ kind: 'refused', rule: 'W5', row: 3 }]);
    expect(problems[0]!.reason).toContain('it shows nothing after it was written');
    const lines = (await trial.history('flows')).length;
    await trial.run();
    expect(await trial.history('flows')).toHaveLength(lines);
    expect(await triesOf(trial, hourMinutes, stepMinutes)).toEqual({ tries: 3, news: 0 });
    trial.person.request({ unmergeCells: { range } });
    await triesOf(trial, 2 * hourMinutes, stepMinutes);
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    expect(trial.grid().map(({ Name }) => Name)).toEqual(['Q1', 'Q2', 'Q3']);
  });

  it('V3, F1: while merged cells cover IDs no run adds one more row without an ID', async () => {
    const trial = await createMirrored();
    const startColumnIndex = trial.columnIndexOf('ID');
    const block = { startRowIndex: 3, endRowIndex: 5, startColumnIndex, endColumnIndex: startColumnIndex + 1 };
    trial.person.request({ mergeCells: { range: { sheetId: 7, ...block }, mergeType: 'MERGE_ALL' } });
    const { uuid } = trial.automations.add({ name: 'Q4', status: 'off' });
    await trial.run();
    const { length } = trial.grid();
    const { status, problems } = await trial.run();
    expect(status).toBe('partial');
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'held', rule: 'V3', row: 4 }));
    expect(await triesOf(trial, hourMinutes, stepMinutes)).toEqual({ tries: 0, news: 0 });
    expect(trial.grid()).toHaveLength(length);
    // The new row is one of those by now.
    const merged = { sheetId: 7, ...block, endRowIndex: block.endRowIndex + 1 };
    trial.person.request({ unmergeCells: { range: merged } });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { appended: 1 } });
    expect(trial.grid().map(({ ID: id }) => id)).toContain(uuid);
  });
});
