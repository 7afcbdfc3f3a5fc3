import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { createSyncTrial, isOfNote } from '../../support/app.ts';
import { repeats } from '../../support/repeats.ts';

/* What of a feed can be taken back (S8). */

const columns = { ID: 'uuid', Name: 'name', Status: 'status' };

async function createFeedTrial(feed: Readonly<Record<string, unknown>> = {}) {
  const trial = createSyncTrial({
    values: [[]],
    feeds: { flows: { resource: 'automations', columns, control: true, ...feed } },
  });
  const { automations } = trial.service.model;
  const [a, b] = ['a', 'b'].map((name) => automations.add({ name, status: 'off' }));
  const type = (name: string, value: string) => {
    const row = trial.person.read("'Prospects'").findIndex((cells) => cells.includes(name)) + 1;
    trial.person.type(`Prospects!C${row}`, value);
  };
  const statuses = () => [a!, b!].map(({ uuid }) => automations.table.get(uuid).status);
  const cells = () => trial.grid().map(({ Status }) => Status);
  await trial.runFeed('flows');
  return { ...trial, automations, a: a!, b: b!, type, statuses, cells };
}

test('S8, E7: an automation that a cell started is stopped again, its cell follows, and no later run starts it', async () => {
  const trial = await createFeedTrial();
  trial.type('a', 'on');
  const { run } = await trial.runFeed('flows');
  const planned = await trial.cli('undo', run);
  expect(planned.code).toBe(2);
  expect(planned.stdout).toContain('1 automation to start or stop');
  expect(trial.statuses()).toEqual(['on', 'off']);
  const undone = await trial.cli('undo', run, '--yes');
  expect(undone.code).toBe(0);
  expect(trial.statuses()).toEqual(['off', 'off']);
  expect(trial.grid()).toMatchObject([{ Status: 'off', Sync: `in sync: undo of ${run}` }, { Status: 'off' }]);
  const writes = trial.sheets.log.counters.writes;
  expect(await trial.runFeed('flows')).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
  expect(await trial.runFeed('flows')).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
  expect(trial.sheets.log.counters.writes).toBe(writes);
  expect(trial.statuses()).toEqual(['off', 'off']);
});

test('S8: the undo of an undo starts the automation again', async () => {
  const trial = await createFeedTrial();
  trial.type('a', 'on');
  const { run } = await trial.runFeed('flows');
  const { stdout } = await trial.cli('undo', run, '--yes', '--json');
  const undo = (JSON.parse(stdout) as { run: { run: string } }).run.run;
  expect((await trial.cli('undo', undo, '--yes')).code).toBe(0);
  expect([trial.statuses(), trial.cells()]).toEqual([
    ['on', 'off'],
    ['on', 'off'],
  ]);
});

test('S8: what changed since stays, in the service and in the cell', async () => {
  const trial = await createFeedTrial();
  trial.type('a', 'on');
  trial.type('b', 'on');
  const { run } = await trial.runFeed('flows');
  trial.automations.table.change(trial.a.uuid, { status: 'off' }, Date.now());
  trial.type('b', 'off');
  const { stdout } = await trial.cli('undo', run, '--yes');
  expect(stdout).toContain(`undo of ${run}: not taken back: it is so again`);
  expect(stdout).toContain(`undo of ${run}: not taken back: its cell was changed since`);
  expect(trial.statuses()).toEqual(['off', 'on']);
});

test('S8, L12: without control nothing is taken back, and the undo says so', async () => {
  const trial = await createFeedTrial();
  trial.type('a', 'on');
  const { run } = await trial.runFeed('flows');
  const file = parse(readFileSync(trial.configFile, 'utf8')) as { feeds: { flows: { control?: boolean } } };
  delete file.feeds.flows.control;
  writeFileSync(trial.configFile, stringify(file));
  await trial.start();
  const { code, stdout } = await trial.cli('undo', run, '--yes');
  expect(code).not.toBe(0);
  expect(stdout).toContain(`undo of ${run}: not taken back: the feed has no control column any more`);
  expect(trial.statuses()).toEqual(['on', 'off']);
});

test('S8, L4: of an automation that the service does not stop, the cell stays as it is, and so does that of a row that went', async () => {
  const trial = await createFeedTrial();
  trial.type('a', 'on');
  trial.type('b', 'on');
  const { run } = await trial.runFeed('flows');
  trial.person.deleteRows('Prospects', trial.grid().findIndex(({ Name }) => Name === 'b') + 2);
  trial.service.faults.inject({ kind: 'status', status: 422, operation: 'automations.stop', times: 9 });
  const { code, stdout } = await trial.cli('undo', run, '--yes');
  expect(code).not.toBe(0);
  expect(stdout).toContain('refused');
  expect(trial.statuses()).toEqual(['on', 'on']);
  expect(trial.cells()).toEqual(['on']);
  trial.service.faults.clear();
  expect(await trial.runFeed('flows')).toMatchObject({ counts: { updated: 0 } });
  expect(trial.statuses()).toEqual(['on', 'on']);
});

test('S8, E7: what a cell asked for before an undo is no wish after it', async () => {
  const trial = await createFeedTrial();
  trial.type('a', 'on');
  const { run } = await trial.runFeed('flows');
  trial.service.faults.inject({ kind: 'lost', when: 'before', operation: 'automations.stop', times: 9 });
  trial.type('a', 'off');
  expect(await trial.runFeed('flows')).toMatchObject({ status: 'partial' });
  trial.service.faults.clear();
  trial.type('a', 'on');
  expect((await trial.cli('undo', run, '--yes')).code).toBe(0);
  expect([trial.statuses()[0], trial.cells()[0]]).toEqual(['off', 'off']);
  trial.automations.start(trial.a.uuid);
  expect(await trial.runFeed('flows')).toMatchObject({ counts: { updated: 0, set: 1 } });
  expect([trial.statuses()[0], trial.cells()[0]]).toEqual(['on', 'on']);
});

describe('I4: the row was copied since', () => {
  /** Somebody had a started, and put a copy of its row above it, with this name and status. */
  async function createCopied(name: string, status: string) {
    const trial = await createFeedTrial();
    trial.type('a', 'on');
    const { run } = await trial.runFeed('flows');
    const [, [id = ''] = []] = trial.person.read("'Prospects'");
    trial.person.insertRows('Prospects', 2, 1);
    trial.person.paste("'Prospects'!A2", [[id, name, status]]);
    const undo = () => trial.cli('undo', run, '--yes');
    const rows = () => trial.grid().map(({ Name, Status }) => [Name, Status]);
    return { ...trial, undo, rows };
  }
  const b = ['b', 'off'];

  test.each(['before any run saw the copy', 'after a run saw the copy'])(
    'S8, I4, E7: the undo writes the row of the record and not the copy, which starts nothing later (%s)',
    async (when) => {
      const trial = await createCopied('mine', 'on');
      if (when === 'after a run saw the copy') await trial.runFeed('flows');
      expect((await trial.undo()).code).toBe(0);
      expect(trial.rows()).toEqual([['mine', 'on'], ['a', 'off'], b]);
      trial.person.deleteRows('Prospects', 3);
      await trial.runFeed('flows');
      expect([trial.statuses()[0], trial.rows()]).toEqual(['off', [['a', 'off'], b]]);
    },
  );

  test('S8, I4: another status in a copy keeps nothing from being taken back', async () => {
    const trial = await createCopied('a', 'off');
    await trial.runFeed('flows');
    expect((await trial.undo()).code).toBe(0);
    expect([trial.statuses()[0], trial.rows()]).toEqual(['off', [['a', 'off'], ['a', 'off'], b]]);
  });

  test('S8, I4: where the row cannot be told from a copy, nothing is taken back, and the undo says so', async () => {
    const trial = await createCopied('mine', 'on');
    trial.person.type('Prospects!B3', 'theirs');
    const { code, stdout } = await trial.undo();
    expect(code).not.toBe(0);
    expect(stdout).toContain('not taken back: several rows have its ID, and its row cannot be told from a copy');
    expect([trial.statuses()[0], trial.rows()]).toEqual(['on', [['mine', 'on'], ['theirs', 'on'], b]]);
  });
});

test('S8: a row that went and was put back says that it was undone, until there is something else to say', async () => {
  const trial = await createFeedTrial({ on_gone: 'delete_row' });
  trial.type('a', 'on');
  const { run } = await trial.runFeed('flows');
  const [, row = []] = trial.person.read("'Prospects'");
  const all = [...trial.automations.table.all()];
  trial.automations.table.replaceAll(all.filter(({ uuid }) => uuid !== trial.a.uuid));
  expect(await trial.runFeed('flows')).toMatchObject({ counts: { removed: 1 } });
  trial.automations.table.replaceAll(all);
  trial.person.paste('Prospects!A3', [row]);
  expect((await trial.cli('undo', run, '--yes')).code).toBe(0);
  for (let runs = 0; runs < 2; runs += 1) {
    expect(trial.grid()).toContainEqual(expect.objectContaining({ Status: 'off', Sync: `in sync: undo of ${run}` }));
    await trial.runFeed('flows');
  }
});

test('S8, F1: rows that a feed wrote are mirrored again, and the undo says so', async () => {
  const trial = await createFeedTrial();
  trial.automations.table.change(trial.a.uuid, { name: 'renamed' }, Date.now());
  const { run } = await trial.runFeed('flows');
  const { code, stdout } = await trial.cli('undo', run, '--yes');
  expect(code).toBe(0);
  expect(stdout).toContain('rows of a feed are not taken back (1 set): the next run would mirror them again');
});

test('S8, L12: the history has the call of an undo and the one cell that it wrote', async () => {
  const trial = await createFeedTrial();
  trial.type('a', 'on');
  const { run } = await trial.runFeed('flows');
  const { stdout } = await trial.cli('undo', run, '--yes', '--json');
  const undo = (JSON.parse(stdout) as { run: { run: string } }).run.run;
  const lines = (await trial.history('flows')).filter((line) => line.run === undo && line['field'] === 'status');
  const about = { contact: trial.a.uuid, row: 2, before: 'on', after: 'off', outcome: 'done', rule: 'S7' };
  expect(lines).toMatchObject([
    { ...about, side: 'crm', op: 'update' },
    { ...about, side: 'sheet', op: 'set' },
  ]);
});

/** Somebody typed on for a, and a was started by a call whose answer was lost. */
async function createUnanswered() {
  const trial = await createFeedTrial();
  trial.type('a', 'on');
  trial.service.faults.inject({ kind: 'lost', when: 'after', operation: 'automations.start', times: 9 });
  const { run } = await trial.runFeed('flows');
  trial.service.faults.clear();
  expect(trial.statuses()).toEqual(['on', 'off']);
  return { ...trial, run };
}

test.each([0, 1])('S8, L12: a start whose answer was lost is taken back, after %i other runs', async (others) => {
  const trial = await createUnanswered();
  for (let runs = 0; runs < others; runs += 1) await trial.runFeed('flows');
  const { code, stdout } = await trial.cli('undo', trial.run, '--yes');
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('1 automation') });
  expect([trial.statuses()[0], trial.cells()[0]]).toEqual(['off', 'off']);
});

test('S8, L12: of a run that died in its second start both are taken back, once a run has told that one', async () => {
  const trial = await createFeedTrial();
  for (const name of ['a', 'b']) trial.type(name, 'on');
  let starts = 0;
  trial.atEachInstant((what) => {
    if (starts === 2 && what === 'answered') trial.kill();
    if (what instanceof Request && what.url.endsWith('/start')) starts += 1;
  });
  expect(await trial.attemptFeed('flows')).toBe('killed');
  trial.atEachInstant(() => {});
  await trial.start();
  expect(trial.statuses()).toEqual(['on', 'on']);
  const { run } = (await trial.history('flows')).find(({ side }) => side === 'crm')!;
  const early = await trial.cli('undo', run, '--yes');
  expect(early.code).not.toBe(0);
  expect(early.stdout + early.stderr).toContain(`run ${run} was cut short`);
  expect(trial.statuses()).toEqual(['on', 'on']);
  await trial.runFeed('flows');
  expect((await trial.cli('undo', run, '--yes')).code).toBe(0);
  expect([trial.statuses(), trial.cells()]).toEqual([
    ['off', 'off'],
    ['off', 'off'],
  ]);
});

const started = {
  'a start': async () => {
    const trial = await createFeedTrial();
    trial.type('a', 'on');
    return { ...trial, run: (await trial.runFeed('flows')).run };
  },
  'a start whose answer was lost': createUnanswered,
} as const;

test.each(Object.entries(started).map(([what, create], nth) => [what, create, nth + 1] as const))(
  'S8, L10: killed before or after any write of an undo of %s, no later run takes its cell for a wish',
  async (_what, create, first) => {
    // The two share the instants; with REPEATS=all each takes all.
    for (let at = repeats(first, 1); ; at += repeats(2, 1)) {
      const trial = await create();
      const starts = trial.crmCalls('automations.start').length;
      let instants = 0;
      let isKilled = false;
      trial.atEachInstant((what) => {
        if (isKilled || !isOfNote(what) || (instants += 1) !== at) return;
        isKilled = true;
        trial.kill();
      });
      const ended = await trial.attemptUndo(trial.run);
      expect(ended).toBe(isKilled ? 'killed' : 'run');
      trial.atEachInstant(() => {});
      if (!isKilled) return;
      await trial.start();
      await trial.runFeed('flows');
      await trial.runFeed('flows');
      // Undone or not: cell and service are equal, and stay so.
      expect(trial.cells()).toEqual(trial.statuses());
      expect(trial.crmCalls('automations.start')).toHaveLength(starts);
    }
  },
  300_000,
);

test('S8, L10: killed after the call of an undo, before its answer, what was undone is not done again', async () => {
  const trial = await createUnanswered();
  let isCalled = false;
  trial.atEachInstant((what) => {
    if (isCalled && what === 'answered') trial.kill();
    isCalled ||= what instanceof Request && what.url.endsWith('/stop');
  });
  expect(await trial.attemptUndo(trial.run)).toBe('killed');
  trial.atEachInstant(() => {});
  await trial.start();
  expect(trial.statuses()).toEqual(['off', 'off']);
  expect(await trial.runFeed('flows')).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 1 } });
  expect([trial.statuses(), trial.cells()]).toEqual([
    ['off', 'off'],
    ['off', 'off'],
  ]);
  const calls = (await trial.history('flows')).filter(({ side, op }) => side === 'crm' && op === 'update');
  expect(calls).toMatchObject([
    { after: 'on', outcome: 'unknown', rule: 'E7' },
    { after: 'off', outcome: 'unknown', rule: 'S7' },
  ]);
});
