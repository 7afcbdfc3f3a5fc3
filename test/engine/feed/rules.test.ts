import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { createSyncTrial, spreadsheetId, tabTitle, type TrialOptions } from '../../support/app.ts';
import { protect, unprotect } from '../sheet-refusals.ts';
import { columnOf } from './rows.ts';

/* Feeds between both stand-ins: everything real but the network. */

const columns = { ID: 'uuid', Name: 'name', Status: 'status', Priority: 'priority', Hours: 'schedule.timeblocks' };

function createFeedTrial(feed: Readonly<Record<string, unknown>> = {}, options: Partial<TrialOptions> = {}) {
  const trial = createSyncTrial({
    values: [[]],
    feeds: { flows: { resource: 'automations', columns, ...feed } },
    ...options,
  });
  const { automations } = trial.service.model;
  const seed = (...called: readonly string[]) => called.map((name) => automations.add({ name, status: 'off' }));
  const statusOf = (uuid: string) => automations.table.get(uuid).status;
  /** No operation deletes an automation; it goes all the same. */
  const vanish = (...uuids: readonly string[]) =>
    automations.table.replaceAll([...automations.table.all()].filter(({ uuid }) => !uuids.includes(uuid)));
  return { ...trial, automations, vanish, seed, statusOf, runFlows: () => trial.runFeed('flows') };
}

type Trial = ReturnType<typeof createFeedTrial>;

function names(trial: Trial): unknown[] {
  return trial.grid().map(({ Name }) => Name);
}

function stateFiles({ folder }: Trial): unknown {
  const state = join(folder, 'state', 'flows');
  return readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('lock'))
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')]);
}

/** Types into the cell of a column in the row of this name. */
function type(trial: Trial, name: string, header: string, value: string): void {
  const values = trial.person.read("'Prospects'");
  const row = values.findIndex((cells) => cells.includes(name)) + 1;
  const column = values[0]!.indexOf(header);
  trial.person.type(`Prospects!${'ABCDEFGHIJ'[column]}${row}`, value);
}

describe('a feed', () => {
  test('F1: mirrors each record into a row, a schedule readably, and makes the columns it needs', async () => {
    const trial = createFeedTrial();
    const [first] = trial.seed('Q3 founders', 'Q4 founders');
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { linked: 0, appended: 2 } });
    expect(trial.grid()).toMatchObject([
      {
        ID: first!.uuid,
        Name: 'Q3 founders',
        Status: 'off',
        Priority: '1',
        Hours: 'Mon-Fri 09:00-18:00',
        Sync: 'in sync',
      },
      { Name: 'Q4 founders' },
    ]);
  });

  test.each(['before its first run', 'after a column joined it'])(
    'W3, F4: a plan makes no column, and shows what the run writes, %s',
    async (when) => {
      const trial = createFeedTrial();
      trial.seed('Q3 founders');
      if (when === 'after a column joined it') {
        await trial.runFlows();
        const file = parse(readFileSync(trial.configFile, 'utf8')) as { feeds: { flows: { columns: object } } };
        Object.assign(file.feeds.flows.columns, { Created: 'created_at' });
        writeFileSync(trial.configFile, stringify(file));
        await trial.start();
      }
      const [before, { writes }] = [trial.person.read("'Prospects'"), trial.sheets.log.counters];
      const { stdout } = await trial.cli('plan', 'flows');
      expect(stdout).toContain(when === 'before its first run' ? '1 row to append' : 'Created');
      expect(trial.person.read("'Prospects'")).toEqual(before);
      expect(trial.sheets.log.counters.writes).toBe(writes);
      expect(await trial.runFlows()).toMatchObject({ status: 'succeeded' });
      expect((await trial.cli('plan', 'flows')).stdout).toContain('nothing to do');
    },
  );

  test('F1: a change in the service is set, and what somebody typed over it is put back', async () => {
    const trial = createFeedTrial();
    const [flow] = trial.seed('Q3', 'Q4');
    await trial.runFlows();
    trial.automations.table.change(flow!.uuid, { priority: 7 }, Date.now());
    type(trial, 'Q4', 'Name', 'mine');
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { set: 2 } });
    expect(trial.grid()).toMatchObject([{ Name: 'Q3', Priority: '7' }, { Name: 'Q4' }]);
  });

  test('F5: unchanged, costs its pages and one read of the sheet, and writes nothing, to no side and no file (W9)', async () => {
    const trial = createFeedTrial();
    trial.seed(...Array.from({ length: 250 }, (_, index) => `flow ${index}`));
    await trial.runFlows();
    await trial.runFlows();
    const before = [stateFiles(trial), trial.grid()];
    const { cost, status, counts } = await trial.runFlows();
    expect({ ...cost, seconds: 0, status }).toEqual({
      crmCalls: 3,
      sheetReads: 1,
      sheetWrites: 0,
      seconds: 0,
      status: 'succeeded',
    });
    expect(counts).toMatchObject({ linked: 250, set: 0, appended: 0 });
    expect([stateFiles(trial), trial.grid()]).toEqual(before);
  });

  test('F5, W9: a mark that neither its run nor the next one could remove goes with the run after them', async () => {
    const trial = createFeedTrial();
    trial.seed('Q3');
    await trial.runFlows();
    trial.seed('Q4');
    const lost = { effect: { type: 'lost' }, when: 'before', times: 999, match: { kind: 'write' } } as const;
    trial.sheets.faults.add({ ...lost, skip: 1 });
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { appended: 1 } });
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { appended: 0 } });
    const marks = () => [...trial.file.content.metadataById.values()].filter(({ key }) => key !== 'c').length;
    expect(marks()).toBe(1);
    trial.sheets.faults.clear();
    await trial.runFlows();
    expect(marks()).toBe(0);
    const [files, { sheet }] = [stateFiles(trial), trial.writes()];
    await trial.runFlows();
    expect([stateFiles(trial), trial.writes().sheet]).toEqual([files, sheet]);
  });

  test('F5: a change in the service is seen although the sheet is as it was', async () => {
    const trial = createFeedTrial();
    const [flow] = trial.seed('Q3');
    for (let run = 0; run < 3; run += 1) await trial.runFlows();
    trial.automations.table.change(flow!.uuid, { name: 'Q3 new' }, Date.now());
    expect(await trial.runFlows()).toMatchObject({ counts: { set: 1 } });
    expect(names(trial)).toEqual(['Q3 new']);
  });

  test('F2: columns of people beside it stay with their row when rows are sorted, added and inserted', async () => {
    const trial = createFeedTrial();
    trial.seed('a', 'b', 'c');
    await trial.runFlows();
    const { Note: _none, ...headers } = Object.fromEntries(trial.person.read("'Prospects'")[0]!.map((h, i) => [h, i]));
    const note = 'ABCDEFGHIJ'[Object.keys(headers).length]!;
    trial.person.type(`Prospects!${note}1`, 'Note');
    for (const [name, text] of [
      ['a', 'note a'],
      ['b', 'note b'],
      ['c', 'note c'],
    ] as const)
      type(trial, name, 'Note', text);
    trial.person.insertRows('Prospects', 2, 2);
    trial.seed('d');
    for (const { uuid } of trial.automations.table.all())
      trial.automations.table.change(uuid, { priority: 9 }, Date.now());
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { set: 3, appended: 1 } });
    expect(trial.grid().filter(({ Name }) => Name)).toMatchObject([
      { Name: 'a', Note: 'note a', Priority: '9' },
      { Name: 'b', Note: 'note b', Priority: '9' },
      { Name: 'c', Note: 'note c', Priority: '9' },
      { Name: 'd', Priority: '9' },
    ]);
  });

  test('F3: the row of a record that is gone says so and stays, or goes with on_gone: delete_row', async () => {
    for (const on_gone of ['mark', 'delete_row']) {
      const trial = createFeedTrial({ on_gone });
      const [, flow] = trial.seed('a', 'b', 'c');
      await trial.runFlows();
      trial.vanish(flow!.uuid);
      const isMarked = on_gone === 'mark';
      expect(await trial.runFlows()).toMatchObject({
        status: 'succeeded',
        counts: { ignored: isMarked ? 1 : 0, removed: isMarked ? 0 : 1 },
      });
      expect(names(trial)).toEqual(isMarked ? ['a', 'b', 'c'] : ['a', 'c']);
      const marked = { Name: 'b', Sync: 'gone: the service does not list it any more' };
      expect(trial.grid().filter(({ Sync }) => Sync !== 'in sync')).toMatchObject(isMarked ? [marked] : []);
    }
  });

  test('F1, L12: the history names the record of a row that came, and makes no name up', async () => {
    const trial = createFeedTrial();
    trial.seed('a', 'b');
    const { fetch } = trial.service;
    const nameless = vi.spyOn(trial.service, 'fetch').mockImplementation(async (...request) => {
      const answer = await fetch(...request);
      return new Response((await answer.text()).replace('"name":"b"', '"name":null'), answer);
    });
    await trial.runFlows();
    nameless.mockRestore();
    const lines = (await trial.history('flows')).filter(({ op }) => op === 'append');
    expect(lines.map((line) => ('name' in line ? line['name'] : 'no name'))).toEqual(['a', 'no name']);
  });

  test('F3, L12: and that of a row that went', async () => {
    const trial = createFeedTrial({ on_gone: 'delete_row' });
    const [, flow] = trial.seed('a', 'b', 'c');
    await trial.runFlows();
    trial.vanish(flow!.uuid);
    expect(await trial.runFlows()).toMatchObject({ counts: { removed: 1 } });
    const lines = (await trial.history('flows')).filter(({ op }) => op === 'remove');
    expect(lines).toMatchObject([{ contact: flow!.uuid, name: 'b', outcome: 'done' }]);
  });

  test('W8, F3: a row whose deletion was not begun before the end was asked for is no failure, and goes with the next run', async () => {
    const trial = createFeedTrial({ on_gone: 'delete_row' });
    const [, flow] = trial.seed('a', 'b', 'c');
    await trial.runFlows();
    trial.vanish(flow!.uuid);
    const stop = new AbortController();
    const busy = { type: 'status', status: 429 } as const;
    trial.sheets.faults.add({ effect: busy, when: 'before', times: 99, match: { kind: 'write' } });
    trial.atEachInstant((what) => {
      // The deletion waits to be asked for again.
      if (what instanceof Request && what.url.includes(':batchUpdate')) stop.abort(new Error('stopped'));
    });
    const report = await trial.runFeed('flows', stop.signal);
    trial.atEachInstant(() => {});
    trial.sheets.faults.clear();
    expect(report).toMatchObject({ status: 'partial', stopped: { done: 0, left: 1 }, problems: [] });
    expect(names(trial)).toEqual(['a', 'b', 'c']);
    expect((await trial.history('flows')).filter(({ op }) => op === 'remove')).toEqual([]);
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { removed: 1 } });
    expect(names(trial)).toEqual(['a', 'c']);
  });

  test('F3, G1: a filter that lets nothing through any more is named', async () => {
    const trial = createFeedTrial({ filter: { status: 'off' }, on_gone: 'delete_row' });
    const flows = trial.seed('a', 'b');
    await trial.runFlows();
    for (const { uuid } of flows) trial.automations.table.change(uuid, { status: 'on' }, Date.now());
    const { status, holds } = await trial.runFlows();
    expect({ status, reason: holds[0]?.reason }).toEqual({
      status: 'held',
      reason:
        'the service lists no automations that the filter lets through, and 2 were there before: if that is right, approve it',
    });
  });

  test('F3, G1: a listing that is empty all of a sudden deletes nothing', async () => {
    const trial = createFeedTrial({ on_gone: 'delete_row' });
    const flows = trial.seed('a', 'b');
    await trial.runFlows();
    trial.vanish(...flows.map(({ uuid }) => uuid));
    expect(await trial.runFlows()).toMatchObject({
      status: 'held',
      holds: [{ reason: expect.stringContaining('the service lists no automations, and 2 were there before') }],
    });
    expect(names(trial)).toEqual(['a', 'b']);
  });

  test('W9, V6: a new row with two refused fields has the status that the next run finds for it', async () => {
    const trial = createFeedTrial({ columns: { ID: 'uuid', Name: 'name', Zone: 'schedule.timezone' } });
    const [flow] = trial.seed('Q3');
    const schedule = { ...flow!.schedule, timezone: 'y'.repeat(50_001) };
    trial.automations.table.change(flow!.uuid, { name: 'x'.repeat(50_001), schedule }, Date.now());
    await trial.runFlows();
    expect(trial.grid()[0]!['Sync']).toMatch(/^refused: Name: .* \(and 1 more\)$/);
    const { sheet } = trial.writes();
    await trial.runFlows();
    expect(trial.writes().sheet).toBe(sheet);
  });

  test('G1, F3: approve lets an empty listing through, once and for so many rows; it is not held again for it', async () => {
    for (const on_gone of ['mark', 'delete_row'] as const) {
      const trial = createFeedTrial({ on_gone });
      const flows = trial.seed('a', 'b', 'c');
      await trial.runFlows();
      trial.vanish(...flows.map(({ uuid }) => uuid));
      const held = await trial.runFlows();
      expect(held).toMatchObject({ status: 'held', approvable: held.run, planned: { missing: 3 } });
      expect(await trial.runFlows()).toMatchObject({ status: 'held', approvable: held.run });
      const before = stateFiles(trial);
      await trial.runFlows();
      expect(stateFiles(trial)).toEqual(before);
      expect((await trial.cli('plan', 'flows')).code).toBe(3);
      expect((await trial.cli('status')).stdout).toContain(`leadsheet approve flows --run ${held.run}`);
      expect(await trial.cli('approve', 'flows', '--run', 'another')).toMatchObject({ code: 64 });
      expect(await trial.cli('approve', 'flows', '--run', held.run)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^flows: approved for .*3 missing; the next run carries it out\n$/),
      });
      const isMarked = on_gone === 'mark';
      const counts = isMarked ? { ignored: 3 } : { removed: 3 };
      expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts });
      const gone = { Sync: 'gone: the service does not list it any more' };
      expect(trial.grid()).toMatchObject(isMarked ? [gone, gone, gone] : []);
      expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { ignored: isMarked ? 3 : 0 } });
      expect((await trial.cli('approve', 'flows', '--run', held.run)).stderr).toContain('nothing of flows is held');
      // It was for those: when the next ones vanish, somebody is asked again.
      const others = trial.seed('d', 'e');
      await trial.runFlows();
      trial.vanish(...others.map(({ uuid }) => uuid));
      expect(await trial.runFlows()).toMatchObject({ status: 'held', planned: { missing: 2 } });
    }
  });

  test('G2, G4: an approval whose cause went away is spent', async () => {
    const trial = createFeedTrial();
    const flows = trial.seed('a', 'b');
    await trial.runFlows();
    const all = [...trial.automations.table.all()];
    trial.vanish(...flows.map(({ uuid }) => uuid));
    const { run } = await trial.runFlows();
    // They are listed again before the approval is used: it is gone with its cause.
    await trial.cli('approve', 'flows', '--run', run);
    trial.automations.table.replaceAll(all);
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { linked: 2, ignored: 0 } });
    expect((await trial.cli('status', 'flows')).stdout).not.toContain('approve');
    trial.vanish(...flows.map(({ uuid }) => uuid));
    expect(await trial.runFlows()).toMatchObject({ status: 'held' });
  });

  test('G2, G4, W8: also by a run that is stopped, and the decision is told as void (L12)', async () => {
    const trial = createFeedTrial({ on_gone: 'delete_row' });
    const flows = trial.seed('a', 'b');
    await trial.runFlows();
    const renamed = [...trial.automations.table.all()].map((flow) => ({ ...flow, name: `new ${flow.name}` }));
    trial.vanish(...flows.map(({ uuid }) => uuid));
    const { run } = await trial.runFlows();
    await trial.cli('approve', 'flows', '--run', run);
    trial.automations.table.replaceAll(renamed);
    const stop = new AbortController();
    const busy = { type: 'status', status: 429 } as const;
    trial.sheets.faults.add({ effect: busy, when: 'before', times: 99, match: { kind: 'write' } });
    trial.atEachInstant((what) => {
      if (what instanceof Request && what.url.includes('batchUpdate')) stop.abort(new Error('stopped'));
    });
    expect(await trial.runFeed('flows', stop.signal)).toMatchObject({ stopped: { done: 0, left: 2 } });
    trial.atEachInstant(() => {});
    trial.sheets.faults.clear();
    trial.vanish(...flows.map(({ uuid }) => uuid));
    expect(await trial.runFlows()).toMatchObject({ status: 'held' });
    expect(names(trial)).toEqual(['a', 'b']);
    const decisions = (await trial.history('flows')).filter(({ decision }) => decision === 'approve');
    expect(decisions).toMatchObject([{ outcome: 'void' }]);
  });

  test('G2, G4, W14: also where it was given while that run went on, and the next runs find nothing to do', async () => {
    const trial = createFeedTrial({ on_gone: 'delete_row' });
    const flows = trial.seed('a', 'b');
    await trial.runFlows();
    const all = [...trial.automations.table.all()];
    trial.vanish(...flows.map(({ uuid }) => uuid));
    const { run } = await trial.runFlows();
    trial.automations.table.replaceAll(all);
    let approved: Promise<{ readonly code: number }> | undefined;
    trial.atEachInstant(async (what) => {
      if (what instanceof Request && what.url.includes('spreadsheets'))
        await (approved ??= trial.cli('approve', 'flows', '--run', run));
    });
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { linked: 2 } });
    trial.atEachInstant(() => {});
    expect(await approved).toMatchObject({ code: 0 });
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { linked: 2 } });
    trial.vanish(...flows.map(({ uuid }) => uuid));
    expect(await trial.runFlows()).toMatchObject({ status: 'held' });
    expect(names(trial)).toEqual(['a', 'b']);
    const decisions = (await trial.history('flows')).filter(({ decision }) => decision === 'approve');
    expect(decisions).toMatchObject([{ outcome: 'void' }]);
  });

  test('F3: a page that fails ends the run, and nothing is concluded', async () => {
    const trial = createFeedTrial({ on_gone: 'delete_row' });
    trial.seed(...Array.from({ length: 150 }, (_, index) => `flow ${index}`));
    await trial.runFlows();
    trial.service.faults.inject({ kind: 'status', status: 422, matches: ({ url }) => url.includes('offset=100') });
    expect(await trial.runFlows()).toMatchObject({ status: 'failed', counts: { removed: 0 } });
    expect(trial.grid()).toHaveLength(150);
  });

  test('F4: a header row of somebody else is refused, and nothing is overwritten', async () => {
    const values = [
      ['Name', 'Phone'],
      ['Ann', '1'],
    ];
    const trial = createFeedTrial({}, { values });
    trial.seed('a');
    expect(await trial.runFlows()).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(
        /^the tab "Prospects" has no column "ID", and row 1 says "Phone": nothing was written/,
      ),
    });
    expect(trial.person.read("'Prospects'")).toEqual(values);
    expect((await trial.cli('plan', 'flows')).code).toBe(1);
    expect((await trial.cli('check')).stdout).toMatch(
      /failed {3}flows: headers\s+the tab "Prospects" has no column "ID"/,
    );
    trial.person.type('Prospects!C1', 'ID');
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { appended: 1, ignored: 1 } });
    expect(trial.grid()).toMatchObject([{ Name: 'Ann', Phone: '1' }, { Name: 'a' }]);
  });

  test('F5: limit_rows takes the newest, and older rows say that they are', async () => {
    const trial = createFeedTrial({ limit_rows: 2 });
    const add = (name: string, created_at: string) => trial.automations.add({ name, status: 'on', created_at });
    add('old', '2026-01-01T00:00:00.000000Z');
    add('new', '2026-01-02T00:00:00.000000Z');
    await trial.runFlows();
    add('newest', '2026-01-03T00:00:00.000000Z');
    await trial.runFlows();
    expect(trial.grid().map(({ Name, Sync }) => [Name, Sync])).toEqual([
      ['new', 'in sync'],
      ['old', 'gone: not among the first 2 any more'],
      ['newest', 'in sync'],
    ]);
  });

  test.each([['mark'], ['delete_row']])(
    'L6, F3, F5: of records of one date limit_rows takes the same each time, in whichever order they come (on_gone: %s)',
    async (on_gone) => {
      let answers = 0;
      /** Begins with another record each time. */
      const turned = async (answer: Response) => {
        const page = (await answer.json()) as { readonly data: readonly unknown[] };
        answers += 1;
        const first = answers % 3;
        return Response.json({ ...page, data: [...page.data.slice(first), ...page.data.slice(0, first)] });
      };
      const around: TrialOptions['around'] = async (request, next) => {
        const answer = await next(request);
        return new URL(request.url).pathname === '/flows/api/flows' ? turned(answer) : answer;
      };
      const trial = createFeedTrial({ limit_rows: 2, on_gone }, { around });
      trial.seed('a', 'b', 'c');
      await trial.runFlows();
      trial.person.paste("'Prospects'!H2", [['a note']]);
      const [before, writes, files] = [trial.person.read("'Prospects'"), trial.writes().sheet, stateFiles(trial)];
      for (let run = 0; run < 4; run += 1) expect(await trial.runFlows()).toMatchObject({ status: 'succeeded' });
      expect(answers).toBe(5);
      expect(trial.person.read("'Prospects'")).toEqual(before);
      expect([trial.writes().sheet, stateFiles(trial)]).toEqual([writes, files]);
    },
  );

  test('F1, F3: limit_rows beside a filter that the service ignores deletes no row of a record that matches', async () => {
    const trial = createFeedTrial(
      { filter: { status: 'on' }, limit_rows: 2, on_gone: 'delete_row' },
      { switches: { flatFilters: 'ignored' } },
    );
    const add = (name: string, status: 'on' | 'off', day: number) =>
      trial.automations.add({ name, status, created_at: `2026-01-0${day}T00:00:00.000000Z` });
    add('a', 'on', 1);
    await trial.runFlows();
    add('b', 'off', 2);
    add('c', 'off', 3);
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { removed: 0 } });
    expect(names(trial)).toEqual(['a']);
    add('d', 'on', 4);
    add('e', 'on', 5);
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { appended: 2, removed: 1 } });
    expect(new Set(names(trial))).toEqual(new Set(['d', 'e']));
  });

  test('F1: sender profiles are filtered by a field of theirs', async () => {
    const trial = createFeedTrial({
      resource: 'sender_profiles',
      filter: { label: 'Sales' },
      columns: { ID: 'uuid', Name: 'label' },
    });
    const { senderProfiles } = trial.service.model;
    for (const label of ['Sales', 'Support']) senderProfiles.add({ first_name: 'Ann', last_name: 'Lee', label });
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { appended: 1 } });
    expect(names(trial)).toEqual(['Sales']);
  });

  test('F1: filter and order are passed on', async () => {
    const trial = createFeedTrial({ filter: { status: 'on' }, order: { field: 'name', type: 'desc' } });
    trial.seed('x');
    for (const name of ['b', 'c', 'a']) trial.automations.add({ name, status: 'on' });
    await trial.runFlows();
    expect(names(trial)).toEqual(['c', 'b', 'a']);
  });
});

test('G1: a feed of another account or resource than before is refused, and its rows stay as they are', async () => {
  const trial = createFeedTrial({ columns: { ID: 'uuid', Name: 'name' } });
  trial.seed('a', 'b');
  await trial.runFlows();
  const rows = trial.grid();
  const file = parse(readFileSync(trial.configFile, 'utf8')) as { feeds: { flows: { resource: string } } };
  file.feeds.flows.resource = 'lists';
  writeFileSync(trial.configFile, stringify(file));
  await trial.start();
  expect(await trial.runFlows()).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('this is another account or resource than before'),
  });
  expect(trial.grid()).toEqual(rows);
});

describe('G1, F1: a feed that is set to another tab', () => {
  const other = `${spreadsheetId}-other`;

  async function set(trial: Trial, where: Readonly<Record<string, string>>): Promise<void> {
    const file = parse(readFileSync(trial.configFile, 'utf8')) as { feeds: { flows: object } };
    Object.assign(file.feeds.flows, where);
    writeFileSync(trial.configFile, stringify(file));
    await trial.start();
  }

  test('of the same spreadsheet writes there, and back again, and the tab that it left stays as it is', async () => {
    const trial = createFeedTrial();
    const [a] = trial.seed('a');
    await trial.runFlows();
    trial.person.request({ addSheet: { properties: { title: 'Second' } } });
    const left = trial.person.read(`'${tabTitle}'`);
    await set(trial, { tab: 'Second' });
    trial.automations.table.change(a!.uuid, { priority: 7 }, Date.now());
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { appended: 1 } });
    expect(trial.person.read(`'${tabTitle}'`)).toEqual(left);
    const there = trial.person.read("'Second'");
    expect(there).toHaveLength(2);
    await set(trial, { tab: tabTitle });
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { set: 1 } });
    expect([trial.grid()[0]!['Priority'], trial.person.read("'Second'")]).toEqual(['7', there]);
  });

  test.each([
    ['', []],
    [', also where an earlier version of the program left the state', ['tab']],
  ])('of another spreadsheet, in which no tab has the same number, writes there%s', async (_state, unknown) => {
    const trial = createFeedTrial();
    trial.seed('a');
    await trial.runFlows();
    {
      await using lease = await (await trial.start()).store.sync('flows').acquireLease();
      await lease.load();
      await lease.commit({ facts: { delete: unknown } });
    }
    const tab = { title: tabTitle, sheetId: 8, rowCount: 1000, columnCount: 26, values: [[]] };
    trial.sheets.model.create({ id: other, writers: [trial.account.email], tabs: [tab] });
    await set(trial, { spreadsheet: other });
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { appended: 1 } });
    expect(trial.sheets.person(other).read(`'${tabTitle}'`)).toHaveLength(2);
  });
});

describe('automations with control: true', () => {
  /** A run whose process dies once a cell is written, and before it can save that. */
  async function killedAfterCellWrite(trial: Trial) {
    let isWritten = false;
    trial.atEachInstant((what) => {
      if (isWritten && what === 'answered') trial.kill();
      if (what instanceof Request && what.url.includes('batchUpdateByDataFilter')) isWritten = true;
    });
    const ended = await trial.attemptFeed('flows');
    trial.atEachInstant(() => {});
    return ended;
  }

  const noWrites = {
    effect: { type: 'status', status: 503 },
    when: 'before',
    times: 99,
    match: { kind: 'write' },
  } as const;

  test('E7: off and on in the Status cell stop and start, and the cell holds what the service has', async () => {
    const trial = createFeedTrial({ control: true });
    const [a, b] = trial.seed('a', 'b');
    await trial.runFlows();
    type(trial, 'a', 'Status', 'ON ');
    const plan = await trial.cli('plan', 'flows');
    expect(plan.code).toBe(2);
    expect(plan.stdout).toContain('1 automation to start or stop');
    expect(trial.statusOf(a!.uuid)).toBe('off');
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    expect([trial.statusOf(a!.uuid), trial.statusOf(b!.uuid)]).toEqual(['on', 'off']);
    expect(trial.grid()).toMatchObject([{ Name: 'a', Status: 'on', Sync: 'in sync' }, { Status: 'off' }]);
    type(trial, 'a', 'Status', 'off');
    await trial.runFlows();
    expect(trial.statusOf(a!.uuid)).toBe('off');
  });

  const blank = ['', ''];
  test.each([
    ['sorted', ([a, b, c]) => [b, c, a]],
    ['deleted, and those below moved up', ([, b, c]) => [b, c, blank]],
    ['cut, and pasted into another row', ([, b, c]) => [b, blank, c]],
    ['copied into another row', ([, b, c]) => [b, b, c]],
  ] as readonly [string, (rows: string[][]) => (string[] | undefined)[]][])(
    'E7, L8: cells that are %s without the ID start and stop nothing, and are put back',
    async (_how, move) => {
      const trial = createFeedTrial({ control: true });
      const [a, b, c] = trial.seed('a', 'b', 'c');
      trial.automations.table.change(b!.uuid, { status: 'on' }, Date.now());
      await trial.runFlows();
      const before = trial.grid();
      const column = (header: string) => columnOf(trial, header);
      const range = `'Prospects'!${column('Name')}2:${column('Status')}4`;
      trial.person.paste(range, move(trial.person.read(range) as string[][]) as string[][]);
      const { counts, problems } = await trial.runFlows();
      expect(counts.updated).toBe(0);
      expect([a, b, c].map((each) => trial.statusOf(each!.uuid))).toEqual(['off', 'on', 'off']);
      for (const each of problems) {
        expect(each).toMatchObject({ kind: 'refused', rule: 'E7' });
        expect(each.reason).toMatch(
          /^the row showed what another record has, .*: type (on|off) again if it is meant$|takes on or off$/,
        );
      }
      expect(problems.length).toBeGreaterThan(0);
      expect(trial.grid().map(({ Sync: _said, ...rest }) => rest)).toEqual(
        before.map(({ Sync: _said, ...rest }) => rest),
      );
      expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
      type(trial, 'a', 'Status', 'on');
      await trial.runFlows();
      expect(trial.statusOf(a!.uuid)).toBe('on');
    },
  );

  test('E7: a wish counts in a row whose automation got another name or priority meanwhile', async () => {
    const trial = createFeedTrial({ control: true });
    const [a, b] = trial.seed('a', 'b');
    await trial.runFlows();
    trial.automations.table.change(a!.uuid, { name: 'z', priority: 7 }, Date.now());
    type(trial, 'a', 'Status', 'on');
    type(trial, 'b', 'Name', 'mine');
    type(trial, 'mine', 'Status', 'on');
    await trial.runFlows();
    expect([trial.statusOf(a!.uuid), trial.statusOf(b!.uuid)]).toEqual(['on', 'on']);
  });

  test('E7: a refusal stands in the status column, and the cell returns to the truth', async () => {
    const trial = createFeedTrial({ control: true });
    const archived = trial.automations.add({ name: 'old', status: 'archived' });
    await trial.runFlows();
    type(trial, 'old', 'Status', 'on');
    expect(await trial.runFlows()).toMatchObject({ status: 'partial', problems: [{ kind: 'refused', rule: 'E7' }] });
    const refused = [{ Status: 'archived', Sync: 'refused: You cannot turn on an archived automation' }];
    expect(trial.grid()).toMatchObject(refused);
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
    expect(trial.grid()).toMatchObject(refused);
    trial.automations.table.change(archived.uuid, { status: 'off' }, Date.now());
    await trial.runFlows();
    expect(trial.grid()).toMatchObject([{ Status: 'off', Sync: 'in sync' }]);
  });

  test.each([['mark'], ['delete_row']])(
    'E7, F3, L12: on that is typed beside a record that limit_rows leaves out is named as not carried out (on_gone: %s)',
    async (on_gone) => {
      const trial = createFeedTrial({ control: true, limit_rows: 1, on_gone });
      const add = (name: string, created_at: string) => trial.automations.add({ name, status: 'off', created_at });
      const old = add('old', '2026-01-01T00:00:00.000000Z');
      await trial.runFlows();
      add('new', '2026-01-02T00:00:00.000000Z');
      if (on_gone === 'mark') await trial.runFlows();
      type(trial, 'old', 'Status', 'on');
      const said = { kind: 'held', rule: 'E7', reason: 'on is not carried out: not among the first 1 any more' };
      const told = await trial.runFlows();
      expect(told).toMatchObject({
        status: 'partial',
        problems: expect.arrayContaining([expect.objectContaining(said)]),
      });
      expect(trial.statusOf(old.uuid)).toBe('off');
      if (on_gone === 'delete_row') return;
      expect(trial.grid()).toMatchObject([
        { Name: 'old', Status: 'on', Sync: `held: ${said.reason}` },
        { Name: 'new' },
      ]);
      const [writes, files] = [trial.writes().sheet, stateFiles(trial)];
      await trial.runFlows();
      expect([trial.writes().sheet, stateFiles(trial)]).toEqual([writes, files]);
      type(trial, 'old', 'Status', 'off');
      expect(await trial.runFlows()).toMatchObject({ status: 'succeeded' });
      expect(trial.grid()).toMatchObject([{ Status: 'off', Sync: 'gone: not among the first 1 any more' }, {}]);
    },
  );

  test('E7: another word is put back and said, and starts nothing', async () => {
    const trial = createFeedTrial({ control: true });
    trial.seed('a');
    await trial.runFlows();
    type(trial, 'a', 'Status', 'please');
    await trial.runFlows();
    expect(trial.grid()).toMatchObject([{ Status: 'off', Sync: 'refused: Status takes on or off' }]);
    expect((await trial.cli('status')).stdout).toMatch(/^flows: partial/);
    await trial.runFlows();
    expect((await trial.cli('status')).stdout).toMatch(/^flows: succeeded/);
  });

  test('E7: an old status in a cell is not a wish: the service changed it', async () => {
    const trial = createFeedTrial({ control: true });
    const [a] = trial.seed('a');
    await trial.runFlows();
    trial.automations.start(a!.uuid);
    expect(await trial.runFlows()).toMatchObject({ counts: { updated: 0, set: 1 } });
    expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['on', 'on']);
  });

  test('E7, I9: with a lost state a cell is set to the truth, never taken for a wish', async () => {
    const trial = createFeedTrial({ control: true });
    const [a] = trial.seed('a');
    await trial.runFlows();
    type(trial, 'a', 'Status', 'on');
    const { rmSync } = await import('node:fs');
    rmSync(join(trial.folder, 'state'), { recursive: true });
    await trial.start();
    await trial.runFlows();
    expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['off', 'off']);
  });

  test('E7, S3: nor is it with a state that lost its end, where the service went back to what it had been before', async () => {
    const trial = createFeedTrial({ control: true });
    const [a] = trial.seed('a');
    await trial.runFlows();
    trial.automations.start(a!.uuid);
    await trial.runFlows();
    const log = join(trial.folder, 'state', 'flows', 'base.log');
    writeFileSync(log, readFileSync(log, 'utf8').replace('"writing":"on"', '"writing":"??"'));
    trial.automations.table.change(a!.uuid, { status: 'off' }, Date.now());
    await trial.start();
    // The loss is known from the first run on, whatever becomes of that run.
    trial.service.faults.inject({ kind: 'status', status: 401, operation: 'automations.list' });
    expect(await trial.runFlows()).toMatchObject({ status: 'failed' });
    await trial.start();
    expect((await trial.cli('plan', 'flows')).stdout).not.toContain('to start');
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 1 } });
    expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['off', 'off']);
  });

  test.each([
    ['and every repeat is lost as well', { times: 9 }, []],
    ['and the repeat is refused', { times: 1 }, [422]],
  ])(
    'E7, W4, L12: a lost answer, %s, is tried again by the next run, which sees the truth',
    async (_and, lost, refusals) => {
      const trial = createFeedTrial({ control: true });
      const [a] = trial.seed('a');
      await trial.runFlows();
      type(trial, 'a', 'Status', 'on');
      trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'automations.start', ...lost });
      for (const status of refusals)
        trial.service.faults.inject({ kind: 'status', status, operation: 'automations.start' });
      expect(await trial.runFlows()).toMatchObject({ isFull: true, status: 'partial' });
      const lines = (await trial.history('flows')).filter(({ side }) => side === 'crm');
      expect(lines).toMatchObject([{ contact: a!.uuid, field: 'status', after: 'on', outcome: 'unknown' }]);
      await trial.runFlows();
      expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['on', 'on']);
    },
  );

  test('E7, L8: an automation that a run started before the token was refused is not started again after a stop in the service', async () => {
    const trial = createFeedTrial({ control: true });
    const flows = trial.seed('a', 'b');
    await trial.runFlows();
    for (const name of ['a', 'b']) type(trial, name, 'Status', 'on');
    let starts = 0;
    trial.atEachInstant((what) => {
      if (!(what instanceof Request) || !what.url.endsWith('/start')) return;
      starts += 1;
      if (starts === 2) trial.service.faults.inject({ kind: 'status', status: 401, operation: 'automations.start' });
    });
    expect(await trial.runFlows()).toMatchObject({ status: 'failed' });
    trial.atEachInstant(() => {});
    const [started, refused] = flows.toSorted((one) => (trial.statusOf(one.uuid) === 'on' ? -1 : 1));
    expect([started, refused].map(({ uuid } = started!) => trial.statusOf(uuid))).toEqual(['on', 'off']);
    trial.automations.table.change(started!.uuid, { status: 'off' }, Date.now());
    await trial.start();
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 1, set: 1 } });
    expect([started, refused].map(({ uuid } = started!) => trial.statusOf(uuid))).toEqual(['off', 'on']);
  });

  test('E7, L8, L10: nor one whose run was killed while it wrote the row of another, when its cell needed no write', async () => {
    const trial = createFeedTrial({ control: true });
    const [a, b] = trial.seed('a', 'b');
    await trial.runFlows();
    type(trial, 'a', 'Status', 'on');
    trial.automations.table.change(b!.uuid, { name: 'renamed' }, Date.now());
    trial.atEachInstant((what) => {
      if (what instanceof Request && what.url.includes('batchUpdateByDataFilter')) trial.kill();
    });
    expect(await trial.attemptFeed('flows')).toBe('killed');
    trial.atEachInstant(() => {});
    await trial.start();
    expect(trial.statusOf(a!.uuid)).toBe('on');
    trial.automations.table.change(a!.uuid, { status: 'off' }, Date.now());
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 0 } });
    expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['off', 'off']);
  });

  test('E7, W6, L12: a start that has no answer, and whose repeat the token is refused for, is unknown in the history', async () => {
    const trial = createFeedTrial({ control: true });
    const [a] = trial.seed('a');
    await trial.runFlows();
    type(trial, 'a', 'Status', 'on');
    trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'automations.start' });
    trial.service.faults.inject({ kind: 'status', status: 401, operation: 'automations.start' });
    expect(await trial.runFlows()).toMatchObject({ status: 'failed' });
    await trial.start();
    await trial.runFlows();
    expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['on', 'on']);
    const lines = (await trial.history('flows')).filter(({ side }) => side === 'crm');
    expect(lines).toMatchObject([{ contact: a!.uuid, field: 'status', after: 'on', outcome: 'unknown' }]);
  });

  test('E7, W6: a wish whose call the token was refused for at once, and that was taken out of its cell, stops nothing', async () => {
    const trial = createFeedTrial({ control: true });
    const [a] = trial.seed('a');
    await trial.runFlows();
    type(trial, 'a', 'Status', 'on');
    trial.service.faults.inject({ kind: 'status', status: 401, operation: 'automations.start' });
    expect(await trial.runFlows()).toMatchObject({ status: 'failed' });
    type(trial, 'a', 'Status', 'off');
    // Somebody starts it in the service instead.
    trial.automations.start(a!.uuid);
    await trial.start();
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 1 } });
    expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['on', 'on']);
  });

  test('E7, W8, L10: nor does one whose call was not begun because the end was asked for, in a run that was killed then', async () => {
    const trial = createFeedTrial({ control: true });
    const [a] = trial.seed('a');
    await trial.runFlows();
    type(trial, 'a', 'Status', 'on');
    const stop = new AbortController();
    let saves = 0;
    trial.atEachInstant((what) => {
      if (what === 'saving') saves += 1;
      // The call is noted, and then its note is taken back.
      if (saves === 1) stop.abort(new Error('stopped'));
      if (saves === 3) trial.kill();
    });
    expect(await trial.attemptFeed('flows', stop.signal)).toBe('killed');
    trial.atEachInstant(() => {});
    expect(trial.crmCalls('automations.start')).toHaveLength(0);
    type(trial, 'a', 'Status', 'off');
    trial.automations.start(a!.uuid);
    await trial.start();
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 1 } });
    expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['on', 'on']);
  });

  test('E7, L12: what a killed run had started is in the history, and the call that it died in is unknown there', async () => {
    const trial = createFeedTrial({ control: true });
    const automations = trial.seed('a', 'b');
    await trial.runFlows();
    for (const name of ['a', 'b']) type(trial, name, 'Status', 'on');
    let starts = 0;
    trial.atEachInstant((what) => {
      if (what instanceof Request && what.url.endsWith('/start')) starts += 1;
      if (starts === 2) trial.kill();
    });
    expect(await trial.attemptFeed('flows')).toBe('killed');
    trial.atEachInstant(() => {});
    await trial.start();
    await trial.runFlows();
    expect(automations.map(({ uuid }) => trial.statusOf(uuid))).toEqual(['on', 'on']);
    const lines = (await trial.history('flows')).filter(({ side }) => side === 'crm');
    const [a, b] = automations.map(({ uuid }) => uuid);
    expect(lines).toMatchObject([
      { contact: a, outcome: 'done' },
      { contact: b, outcome: 'unknown', run: lines[0]!.run },
      { contact: b, outcome: 'done' },
    ]);
    for (const line of lines) expect(line).toMatchObject({ field: 'status', after: 'on', rule: 'E7' });
  });

  test.each(['on', 'off'] as const)(
    'E7, L10: what a killed run wrote into a cell is no wish, whatever the service has since (it was %s)',
    async (was) => {
      const trial = createFeedTrial({ control: true });
      const [a] = trial.seed('a');
      if (was === 'on') trial.automations.start(a!.uuid);
      await trial.runFlows();
      const change = (status: 'on' | 'off') => trial.automations.table.change(a!.uuid, { status }, Date.now());
      const other = was === 'on' ? 'off' : 'on';
      change(other);
      expect(await killedAfterCellWrite(trial)).toBe('killed');
      expect(trial.grid()[0]!['Status']).toBe(other);
      change(was);
      await trial.start();
      expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 1 } });
      expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual([was, was]);
    },
  );

  test('E7, L10: nor is what it wrote into the new row of an automation whose row was deleted', async () => {
    const trial = createFeedTrial({ control: true });
    const [a] = trial.seed('a');
    trial.automations.start(a!.uuid);
    await trial.runFlows();
    trial.person.deleteRows('Prospects', 2);
    const change = (status: 'on' | 'off') => trial.automations.table.change(a!.uuid, { status }, Date.now());
    change('off');
    let isAppended = false;
    trial.atEachInstant((what) => {
      if (isAppended && what === 'saving') trial.kill();
      isAppended ||= trial.grid().length > 0;
    });
    expect(await trial.attemptFeed('flows')).toBe('killed');
    trial.atEachInstant(() => {});
    expect(trial.grid()[0]!['Status']).toBe('off');
    change('on');
    await trial.start();
    expect(await trial.runFlows()).toMatchObject({ counts: { updated: 0, set: 1 } });
    expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['on', 'on']);
  });

  test.each([
    { how: 'what somebody typed is a wish', typed: 'off', service: 'on', status: 'off' },
    { how: 'what the run wrote is none', typed: undefined, service: 'off', status: 'off' },
  ] as const)('E7, L1, L10: in a row that a killed run appended, $how', async ({ typed, service, status }) => {
    const trial = createFeedTrial({ control: true });
    const [a] = trial.seed('a');
    trial.automations.start(a!.uuid);
    let isAppended = false;
    trial.atEachInstant((what) => {
      if (isAppended && what === 'saving') trial.kill();
      isAppended ||= trial.grid().length > 0;
    });
    expect(await trial.attemptFeed('flows')).toBe('killed');
    trial.atEachInstant(() => {});
    await trial.start();
    expect(trial.grid()[0]!['Status']).toBe('on');
    trial.automations.table.change(a!.uuid, { status: service }, Date.now());
    if (typed !== undefined) type(trial, 'a', 'Status', typed);
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded' });
    expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual([status, status]);
    expect(trial.crmCalls('automations.start')).toHaveLength(0);
  });

  test('E7, L10: nor is it after a later run failed to write something else there', async () => {
    const trial = createFeedTrial({ control: true });
    const [a] = trial.seed('a');
    trial.automations.start(a!.uuid);
    await trial.runFlows();
    const change = (status: 'on' | 'off') => trial.automations.table.change(a!.uuid, { status }, Date.now());
    change('off');
    expect(await killedAfterCellWrite(trial)).toBe('killed');
    expect(trial.grid()[0]!['Status']).toBe('off');
    change('on');
    await trial.start();
    trial.sheets.faults.add(noWrites);
    expect(await trial.runFlows()).toMatchObject({ status: 'partial' });
    trial.sheets.faults.clear();
    expect(await trial.runFlows()).toMatchObject({ counts: { updated: 0, set: 1 } });
    expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['on', 'on']);
  });

  describe('a feed that is set to another spreadsheet and back', () => {
    const other = `${spreadsheetId}-other`;

    async function moveTo(trial: Trial, spreadsheet: string): Promise<void> {
      const file = parse(readFileSync(trial.configFile, 'utf8')) as { feeds: { flows: { spreadsheet: string } } };
      file.feeds.flows.spreadsheet = spreadsheet;
      writeFileSync(trial.configFile, stringify(file));
      await trial.start();
    }

    /** A feed whose only automation is on, and another spreadsheet with a blank tab. */
    async function createMovable() {
      const trial = createFeedTrial({ control: true });
      const tab = { title: tabTitle, sheetId: 7, rowCount: 1000, columnCount: 26, values: [[]] };
      trial.sheets.model.create({ id: other, writers: [trial.account.email], tabs: [tab] });
      const [a] = trial.seed('a');
      await trial.runFlows();
      type(trial, 'a', 'Status', 'on');
      const { run } = await trial.runFlows();
      const state = () => [trial.statusOf(a!.uuid), trial.grid()[0]!['Status']];
      expect(state()).toEqual(['on', 'on']);
      return { ...trial, a: a!, started: run, state };
    }

    test('E7, G1, L10: what a killed run noted of cells there makes no cell here a wish', async () => {
      const trial = await createMovable();
      trial.automations.table.change(trial.a.uuid, { status: 'off' }, Date.now());
      await moveTo(trial, other);
      const there = trial.sheets.person(other);
      let isAppended = false;
      trial.atEachInstant((what) => {
        if (isAppended && what === 'saving') trial.kill();
        isAppended ||= there.read(`'${tabTitle}'`).length > 1;
      });
      expect(await trial.attemptFeed('flows')).toBe('killed');
      trial.atEachInstant(() => {});
      await moveTo(trial, spreadsheetId);
      expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 1 } });
      expect(trial.state()).toEqual(['off', 'off']);
    });

    test('E7, G1, S8: nor does what an undo noted there', async () => {
      const trial = await createMovable();
      trial.sheets.person(other).paste(`'${tabTitle}'!A1`, trial.person.read(`'${tabTitle}'`));
      await moveTo(trial, other);
      expect((await trial.cli('undo', trial.started, '--yes')).code).toBe(0);
      expect(trial.state()).toEqual(['off', 'on']);
      await moveTo(trial, spreadsheetId);
      expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 1 } });
      expect(trial.state()).toEqual(['off', 'off']);
    });
  });

  test('E7, L1: on that is typed where a run could not write on is a wish, when the service went back to off', async () => {
    const trial = createFeedTrial({ control: true });
    const [a] = trial.seed('a');
    await trial.runFlows();
    const change = (status: 'on' | 'off') => trial.automations.table.change(a!.uuid, { status }, Date.now());
    change('on');
    trial.sheets.faults.add(noWrites);
    expect(await trial.runFlows()).toMatchObject({ status: 'partial', problems: [{ kind: 'failed' }] });
    trial.sheets.faults.clear();
    change('off');
    type(trial, 'a', 'Status', 'on');
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['on', 'on']);
  });

  describe('copies', () => {
    /** Two rows of a; the service changes a from off to on, and the row shows that. */
    async function copied() {
      const trial = createFeedTrial({ control: true, columns: { ID: 'uuid', Name: 'name', Status: 'status' } });
      const [a] = trial.seed('a');
      await trial.runFlows();
      const [, row = []] = trial.person.read("'Prospects'");
      trial.person.insertRows('Prospects', 3, 1);
      trial.person.paste("'Prospects'!A3", [row]);
      await trial.runFlows();
      trial.automations.start(a!.uuid);
      await trial.runFlows();
      const state = () => [trial.statusOf(a!.uuid), ...trial.grid().map(({ Status }) => Status)];
      expect(state()).toEqual(['on', 'on', 'off']);
      return { ...trial, a: a!, state };
    }
    const said = 'stands or stood in a copy of this row: once there is no copy, type it again if it is meant';

    test('E7, I4: an old status in a copy that is left alone stops nothing, and typed again it does', async () => {
      const trial = await copied();
      trial.person.deleteRows('Prospects', 2);
      expect(await trial.runFlows()).toMatchObject({ status: 'partial', counts: { updated: 0 } });
      expect(trial.state()).toEqual(['on', 'on']);
      expect(trial.grid()[0]!['Sync']).toBe(`refused: off ${said}`);
      expect(await trial.runFlows()).toMatchObject({ status: 'succeeded' });
      type(trial, 'a', 'Status', 'off');
      expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
      expect(trial.state()).toEqual(['off', 'off']);
    });

    test('E7, I4: nor does it where another column was mapped meanwhile', async () => {
      const trial = await copied();
      const file = parse(readFileSync(trial.configFile, 'utf8')) as { feeds: { flows: { columns: unknown } } };
      file.feeds.flows.columns = { ID: 'uuid', Name: 'name', Priority: 'priority', Status: 'status' };
      writeFileSync(trial.configFile, stringify(file));
      trial.person.deleteRows('Prospects', 2);
      await trial.start();
      expect(await trial.runFlows()).toMatchObject({ status: 'partial', counts: { updated: 0 } });
      expect(trial.state()).toEqual(['on', 'on']);
    });

    test.each(['before', 'after'] as const)(
      'E7, I4, W11: nor where the column was lost meanwhile, and the row was deleted %s it came back',
      async (when) => {
        const trial = await copied();
        const column = columnOf(trial, 'Status');
        trial.person.deleteColumns('Prospects', column);
        await trial.runFlows();
        if (when === 'before') {
          trial.person.deleteRows('Prospects', 2);
          await trial.runFlows();
        }
        // The column is put back as it was.
        trial.person.insertColumns('Prospects', column);
        const cells = when === 'before' ? [['Status'], ['off']] : [['Status'], ['on'], ['off']];
        trial.person.paste(`Prospects!${column}1`, cells);
        if (when === 'after') trial.person.deleteRows('Prospects', 2);
        expect(await trial.runFlows()).toMatchObject({ status: 'partial', counts: { updated: 0 } });
        expect(trial.state()).toEqual(['on', 'on']);
      },
    );

    test('E7, I4: nor does one of rows that nobody could tell apart', async () => {
      const trial = await copied();
      trial.automations.table.change(trial.a.uuid, { name: 'b' }, Date.now());
      // Either row differs from the record in one field.
      trial.person.paste("'Prospects'!B2", [['a', 'on']]);
      trial.person.paste("'Prospects'!B3", [['b', 'off']]);
      await trial.runFlows();
      expect(trial.state()).toEqual(['on', 'on', 'off']);
      trial.person.deleteRows('Prospects', 2);
      expect(await trial.runFlows()).toMatchObject({ counts: { updated: 0 } });
      expect(trial.state()[0]).toBe('on');
    });
  });

  test('E7, L3: an answer without a status is not called done, and the next run sees the truth', async () => {
    const trial = createFeedTrial({ control: true });
    const [a] = trial.seed('a');
    await trial.runFlows();
    type(trial, 'a', 'Status', 'on');
    const { fetch } = trial.service;
    const mute = vi.spyOn(trial.service, 'fetch').mockImplementation(async (...request) => {
      const answer = await fetch(...request);
      const [{ url }] = request as [Request];
      return url.endsWith('/start') ? Response.json({ uuid: a!.uuid }) : answer;
    });
    expect(await trial.runFlows()).toMatchObject({ status: 'partial', problems: [{ kind: 'unknown' }] });
    mute.mockRestore();
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded' });
    expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['on', 'on']);
  });

  describe('what is typed after a call whose end no run noted', () => {
    const unseen = {
      'a lost answer': { kind: 'lost', when: 'after', operation: 'automations.start', times: 9 },
      'a call that never arrived': { kind: 'lost', when: 'before', operation: 'automations.start', times: 9 },
    } as const;

    async function killedAfterCall(trial: Trial) {
      let isCalled = false;
      trial.atEachInstant((what) => {
        if (isCalled && what === 'answered') trial.kill();
        if (what instanceof Request && what.url.endsWith('/start')) isCalled = true;
      });
      const ended = await trial.attemptFeed('flows');
      trial.atEachInstant(() => {});
      await trial.start();
      return ended;
    }

    async function unanswered(trial: Trial, fault: (typeof unseen)[keyof typeof unseen]) {
      trial.service.faults.inject(fault);
      const { status } = await trial.runFlows();
      trial.service.faults.clear();
      return status;
    }

    /** Somebody typed `on` into the cell of a, and the run that called for it was killed, or had no answer. */
    async function called(how: keyof typeof unseen | 'a kill') {
      const trial = createFeedTrial({ control: true });
      const [a] = trial.seed('a');
      await trial.runFlows();
      type(trial, 'a', 'Status', 'on');
      const ended = how === 'a kill' ? await killedAfterCall(trial) : await unanswered(trial, unseen[how]);
      expect(ended).toBe(how === 'a kill' ? 'killed' : 'partial');
      const state = () => [trial.statusOf(a!.uuid), trial.grid()[0]!['Status']];
      return { ...trial, a: a!, state };
    }

    test.each(['a lost answer', 'a kill'] as const)(
      'E7, L12: after %s, the history has the call once, as unknown, also when the cell and the service agree',
      async (how) => {
        const trial = await called(how);
        for (let runs = 0; runs < 2; runs += 1) expect(await trial.runFlows()).toMatchObject({ status: 'succeeded' });
        const lines = (await trial.history('flows')).filter(({ side }) => side === 'crm');
        expect(lines).toMatchObject([{ contact: trial.a.uuid, before: 'off', after: 'on', outcome: 'unknown' }]);
      },
    );

    test.each(['a lost answer', 'a kill'] as const)(
      'E7, L1: after %s, an off that was typed instead stops what had been started',
      async (how) => {
        const trial = await called(how);
        type(trial, 'a', 'Status', 'off');
        expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
        expect(trial.state()).toEqual(['off', 'off']);
        expect(await trial.runFlows()).toMatchObject({ counts: { updated: 0, set: 0 } });
      },
    );

    test('E7: after a call that never arrived, an off that was typed instead makes no call', async () => {
      const trial = await called('a call that never arrived');
      type(trial, 'a', 'Status', 'off');
      expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 0 } });
      expect(trial.state()).toEqual(['off', 'off']);
      // From here on both sides agree, so that a start in the service is mirrored.
      trial.automations.start(trial.a.uuid);
      expect(await trial.runFlows()).toMatchObject({ counts: { updated: 0, set: 1 } });
      expect(trial.state()).toEqual(['on', 'on']);
    });

    test.each(['a lost answer', 'a kill', 'a call that never arrived'] as const)(
      'E7: after %s, a cell that was left alone is started, once',
      async (how) => {
        const trial = await called(how);
        await trial.runFlows();
        expect(trial.state()).toEqual(['on', 'on']);
        expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
      },
    );

    test.each(['a lost answer', 'a kill'] as const)(
      'E7: after %s, and a stop in the service meanwhile, the cell that was left alone starts it again',
      async (how) => {
        const trial = await called(how);
        trial.automations.table.change(trial.a.uuid, { status: 'off' }, Date.now());
        await trial.runFlows();
        expect(trial.state()).toEqual(['on', 'on']);
      },
    );
  });

  test('E7, L1: an off that is typed while the answer to an ON goes into its cell stops what was started', async () => {
    const trial = createFeedTrial({ control: true });
    const [a] = trial.seed('a');
    await trial.runFlows();
    type(trial, 'a', 'Status', 'ON ');
    let isTyped = false;
    trial.atEachInstant(() => {
      if (isTyped || trial.statusOf(a!.uuid) === 'off') return;
      isTyped = true;
      type(trial, 'a', 'Status', 'off');
    });
    await trial.runFlows();
    expect(isTyped).toBe(true);
    await trial.runFlows();
    expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['off', 'off']);
  });

  describe('a wish that was carried out, and whose cell was not written', () => {
    const interruptions = {
      'the spreadsheet did not answer': async (trial: Trial) => {
        trial.sheets.faults.add(noWrites);
        await trial.runFlows();
        trial.sheets.faults.clear();
      },
      'the row was protected': async (trial: Trial) => {
        protect(trial, { startRowIndex: 1, endRowIndex: 2 });
        await trial.runFlows();
        await trial.runFlows();
        unprotect(trial);
      },
      'the process was killed before the write': async (trial: Trial) => {
        trial.atEachInstant((what) => {
          if (what instanceof Request && what.url.includes('batchUpdateByDataFilter')) trial.kill();
        });
        await trial.attemptFeed('flows');
        trial.atEachInstant(() => {});
        await trial.start();
      },
    } as const;

    test.each(
      Object.entries(interruptions).flatMap(([how, interrupt]) =>
        (['off', 'on'] as const).map((before) => ({ how, before, interrupt })),
      ),
    )(
      'E7, L10: ON over $before is not carried out again when the service has off later ($how)',
      async ({ before, interrupt }) => {
        const trial = createFeedTrial({ control: true });
        const [a] = trial.seed('a');
        const change = (status: 'on' | 'off') => trial.automations.table.change(a!.uuid, { status }, Date.now());
        change(before);
        await trial.runFlows();
        type(trial, 'a', 'Status', 'ON');
        await interrupt(trial);
        expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['on', 'ON']);
        change('off');
        const report = await trial.runFlows();
        expect([report.counts.updated, trial.statusOf(a!.uuid)]).toEqual([0, 'off']);
        // Typed anew it is a wish.
        type(trial, 'a', 'Status', 'on ');
        await trial.runFlows();
        expect(trial.statusOf(a!.uuid)).toBe('on');
      },
    );
  });

  test('E7, W9: a refused wish whose cell cannot be written is not asked for again by each run', async () => {
    const trial = createFeedTrial({ control: true });
    trial.automations.add({ name: 'old', status: 'archived' });
    await trial.runFlows();
    type(trial, 'old', 'Status', 'on');
    protect(trial, { startRowIndex: 1, endRowIndex: 2 });
    for (let runs = 0; runs < 4; runs += 1) expect(await trial.runFlows()).toMatchObject({ status: 'partial' });
    expect(trial.crmCalls('automations.start')).toHaveLength(1);
    expect((await trial.history('flows')).filter(({ side }) => side === 'crm')).toHaveLength(1);
    unprotect(trial);
    await new Promise((resolve) => setTimeout(resolve, 3 * 3_600_000));
    await trial.runFlows();
    const refused = [{ Status: 'archived', Sync: 'refused: You cannot turn on an archived automation' }];
    expect(trial.grid()).toMatchObject(refused);
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { set: 0 } });
    // Once the cell was put back, the same wish counts again.
    type(trial, 'old', 'Status', 'on');
    await trial.runFlows();
    expect(trial.crmCalls('automations.start')).toHaveLength(2);
  });

  describe('control that is switched off and on again', () => {
    /** Carries on with this `control` in the configuration. */
    async function configure(trial: Trial, control: boolean) {
      const file = parse(readFileSync(trial.configFile, 'utf8')) as { feeds: { flows: { control: boolean } } };
      file.feeds.flows.control = control;
      writeFileSync(trial.configFile, stringify(file));
      await trial.start();
    }

    test.each(['ended', 'was killed after it wrote the cell'])(
      'E7, L10: what a run without control mirrored is no wish, whatever the service has since (that run %s)',
      async (how) => {
        const trial = createFeedTrial({ control: true });
        const [a] = trial.seed('a');
        await trial.runFlows();
        await configure(trial, false);
        trial.automations.start(a!.uuid);
        await (how === 'ended' ? trial.runFlows() : killedAfterCellWrite(trial));
        expect(trial.grid()[0]!['Status']).toBe('on');
        await configure(trial, true);
        trial.automations.table.change(a!.uuid, { status: 'off' }, Date.now());
        expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 1 } });
        expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['off', 'off']);
        // From here on a cell is a wish again.
        type(trial, 'a', 'Status', 'on');
        expect(await trial.runFlows()).toMatchObject({ counts: { updated: 1 } });
        expect(trial.statusOf(a!.uuid)).toBe('on');
      },
    );

    test('E7, W9: an old refusal leaves the status, and the runs after that write nothing', async () => {
      const trial = createFeedTrial({ control: true });
      trial.automations.add({ name: 'old', status: 'archived' });
      await trial.runFlows();
      type(trial, 'old', 'Status', 'on');
      await trial.runFlows();
      expect(trial.grid()[0]!['Sync']).toMatch(/^refused: /);
      await configure(trial, false);
      await trial.runFlows();
      expect(trial.grid()).toMatchObject([{ Status: 'archived', Sync: 'in sync' }]);
      const before = [stateFiles(trial), trial.writes().sheet];
      await trial.runFlows();
      expect([stateFiles(trial), trial.writes().sheet]).toEqual(before);
    });
  });

  test('E7: without control a typed status is put back like any other cell', async () => {
    const trial = createFeedTrial();
    const [a] = trial.seed('a');
    await trial.runFlows();
    type(trial, 'a', 'Status', 'on');
    expect(await trial.runFlows()).toMatchObject({ counts: { updated: 0, set: 1 } });
    expect([trial.statusOf(a!.uuid), trial.grid()[0]!['Status']]).toEqual(['off', 'off']);
  });
});

test('the other collections are mirrored alike: lists, sender profiles, messages, e-mails', async () => {
  for (const [resource, seed] of [
    ['lists', (trial: Trial) => trial.service.model.lists.add({ name: 'Another' })],
    [
      'emails',
      (trial: Trial) => trial.service.model.inbox.addEmail({ lead_uuid: 'x', subject: '=1+1' }, { body: 'b' }),
    ],
    [
      'network_messages',
      (trial: Trial) => trial.service.model.inbox.addMessage({ lead_uuid: 'x', sender_profile_uuid: 'y', text: '007' }),
    ],
  ] as const) {
    const fields = {
      lists: { Name: 'name' },
      emails: { Name: 'subject', At: 'created_at' },
      network_messages: { Name: 'text' },
    };
    const trial = createFeedTrial({ resource, columns: { ID: 'uuid', ...fields[resource] } });
    seed(trial);
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded' });
    const shown = { lists: 'Another', emails: '=1+1', network_messages: '007' };
    expect(names(trial)).toContain(shown[resource]);
    expect(await trial.runFlows()).toMatchObject({ counts: { set: 0, appended: 0 } });
  }
});

test('sync, plan, status and check take feeds by name', async () => {
  const trial = createFeedTrial();
  trial.seed('a');
  expect((await trial.cli('plan')).stdout).toMatch(/^flows: 1 change of 1 record/);
  expect(await trial.cli('sync', 'flows')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('rows: 1 appended'),
  });
  expect(await trial.cli('plan')).toMatchObject({ code: 0, stdout: 'flows: nothing to do\n' });
  expect((await trial.cli('status', 'flows')).stdout).toMatch(/^flows: succeeded; last run/);
  const { code, stdout } = await trial.cli('check');
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/flows: records\s+1 automations/) });
  expect(await trial.cli('sync', 'flow')).toMatchObject({ code: 64, stderr: expect.stringContaining('flows?') });
});

test('plan --out leaves feeds out and says which; of feeds alone no plan is saved', async () => {
  const trial = createFeedTrial();
  trial.seed('a');
  const file = join(trial.folder, 'plan.json');
  expect(await trial.cli('plan', '--out', file)).toMatchObject({
    code: 1,
    stderr: 'leadsheet: no plan was saved: feeds are not part of one, leadsheet sync carries them out\n',
  });
  expect(existsSync(file)).toBe(false);
  trial.person.request({ addSheet: { properties: { title: 'People' } } });
  const options = parse(readFileSync(trial.configFile, 'utf8')) as { feeds: { flows: { spreadsheet: string } } };
  const { spreadsheet } = options.feeds.flows;
  const people = {
    contacts: { list: 'Prospects' },
    sheet: { spreadsheet, tab: 'People' },
    columns: { Email: 'email' },
  };
  writeFileSync(trial.configFile, stringify({ ...options, syncs: { people } }));
  trial.addContact({ email: 'ann@firm.io' });
  expect(await trial.cli('plan', '--out', file)).toMatchObject({
    code: 2,
    stderr: `leadsheet: saved; leadsheet apply ${file} does exactly this, but for feeds (flows): leadsheet sync carries those out\n`,
  });
  expect(await trial.cli('apply', file)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^people: succeeded/),
  });
  expect(trial.grid()).toEqual([]);
  expect(trial.person.read('People').flat()).toContain('ann@firm.io');
});

describe('L12: a listing that is not whole', () => {
  /** Pages after the first are empty, under a total that says otherwise. */
  const endingEarly = (isOn: () => boolean): Partial<TrialOptions> => ({
    around: async (request, next) => {
      const answer = await next(request);
      if (!isOn() || !request.url.includes('/flows/api/flows') || !/offset=[1-9]/.test(request.url)) return answer;
      return Response.json({ ...((await answer.json()) as object), data: [] });
    },
  });

  test('L12, G5, F3: is a problem that says how many of how many, until a whole one closes it; nobody is gone', async () => {
    let isOn = false;
    const trial = createFeedTrial(
      { on_gone: 'delete_row' },
      endingEarly(() => isOn),
    );
    trial.seed(...Array.from({ length: 150 }, (_, index) => `flow ${index}`));
    await trial.runFlows();
    isOn = true;
    const report = await trial.runFlows();
    expect(report).toMatchObject({
      status: 'partial',
      problems: [
        { id: 'pull:records', kind: 'incomplete', rule: 'G5', reason: expect.stringContaining('only 100 of 150') },
      ],
      counts: { removed: 0 },
    });
    expect((await trial.cli('status', 'flows')).stdout).toContain('only 100 of 150 records could be listed');
    const files = stateFiles(trial);
    expect(await trial.runFlows()).toMatchObject({ status: 'partial' });
    expect(stateFiles(trial)).toEqual(files);
    isOn = false;
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(trial.grid()).toHaveLength(150);
  });

  test('L12, W9: one that drifts is a notice once and a problem when it drifts again, also after a restart', async () => {
    let isOn = false;
    let total = 0;
    const trial = createFeedTrial(
      {},
      {
        around: async (request, next) => {
          const answer = await next(request);
          if (!isOn || !request.url.includes('/flows/api/flows')) return answer;
          const page = (await answer.json()) as { total: number };
          total += 1;
          return Response.json({ ...page, total: page.total - (total % 2) });
        },
      },
    );
    trial.seed(...Array.from({ length: 150 }, (_, index) => `flow ${index}`));
    await trial.runFlows();
    isOn = true;
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', problems: [] });
    await trial.start();
    expect(await trial.runFlows()).toMatchObject({ status: 'partial', problems: [{ kind: 'incomplete' }] });
    isOn = false;
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', problems: [] });
  });
});

describe('W11: a column of a feed that was deleted', () => {
  test('W9, L12: stays away, is named by every run alike, and keeps no new record from its row (L4)', async () => {
    const trial = createFeedTrial();
    trial.seed('old');
    await trial.runFlows();
    trial.person.deleteColumns('Prospects', columnOf(trial, 'Priority'));
    trial.seed('new');
    const { problems, counts } = await trial.runFlows();
    expect([counts.appended, problems]).toEqual([1, [expect.objectContaining({ rule: 'W11', field: 'Priority' })]]);
    const before = [trial.writes().sheet, stateFiles(trial)];
    expect(await trial.runFlows()).toMatchObject({ status: 'partial', problems });
    await trial.start();
    expect(await trial.runFlows()).toMatchObject({ status: 'partial', problems });
    expect([trial.writes().sheet, stateFiles(trial)]).toEqual(before);
    expect(names(trial)).toEqual(['old', 'new']);
  });

  test('is filled once its header is typed again', async () => {
    const trial = createFeedTrial();
    trial.seed('a');
    await trial.runFlows();
    trial.person.deleteColumns('Prospects', columnOf(trial, 'Priority'));
    await trial.runFlows();
    trial.person.paste('Prospects!J1', [['Priority']]);
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { set: 1 } });
    expect(trial.grid()).toMatchObject([{ Priority: '1' }]);
  });

  test('E7: nothing is started, stopped or refused while its column is lost, nor when that comes back', async () => {
    const trial = createFeedTrial({ control: true });
    const [first] = trial.seed('a');
    await trial.runFlows();
    trial.person.deleteColumns('Prospects', columnOf(trial, 'Status'));
    trial.seed('b');
    await trial.runFlows();
    await trial.runFlows();
    trial.person.paste('Prospects!J1', [['Status']]);
    expect(await trial.runFlows()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 2 } });
    expect(trial.grid()).toMatchObject([
      { Status: 'off', Sync: 'in sync' },
      { Status: 'off', Sync: 'in sync' },
    ]);
    type(trial, 'a', 'Status', 'on');
    await trial.runFlows();
    expect(trial.automations.table.get(first!.uuid).status).toBe('on');
  });

  test('E7: a wish in the column that is back is carried out', async () => {
    const trial = createFeedTrial({ control: true });
    const [first] = trial.seed('a');
    await trial.runFlows();
    trial.person.deleteColumns('Prospects', columnOf(trial, 'Status'));
    await trial.runFlows();
    trial.person.paste('Prospects!J1', [['Status']]);
    type(trial, 'a', 'Status', 'on');
    expect(await trial.runFlows()).toMatchObject({ counts: { updated: 1 } });
    expect(trial.automations.table.get(first!.uuid).status).toBe('on');
  });

  test('L12: a deleted status column is named', async () => {
    const trial = createFeedTrial();
    trial.seed('a');
    await trial.runFlows();
    trial.person.deleteColumns('Prospects', columnOf(trial, 'Sync'));
    await trial.runFlows();
    expect(await trial.runFlows()).toMatchObject({ status: 'partial', problems: [{ rule: 'W11', field: 'Sync' }] });
  });
});
