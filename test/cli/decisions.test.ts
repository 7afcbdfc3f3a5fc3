import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { conflictsAnswer, requestsAnswer } from '../../src/operator/answers/conflicts.ts';
import { enrolmentLine, logLine } from '../../src/operator/answers/history.ts';
import { statusAnswer } from '../../src/operator/answers/status.ts';
import { standingOf } from '../../src/engine/last-run.ts';
import type { Heartbeat } from '../../src/daemon/heartbeat.ts';
import { createSyncTrial, type TrialOptions } from '../support/app.ts';

/* The commands between runs: status, log, conflicts, resolve, retry, approve. */

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];

async function createLinkedTrial(options: TrialOptions = {}) {
  const trial = createSyncTrial({
    values: [header, ['Ann', 'A', 'Firm', 'ann@firm.io'], ['Bob', 'B', 'Firm', 'bob@firm.io']],
    ...options,
  });
  await trial.cli('sync');
  const uuidOf = (email: string) => trial.contacts().find(({ work_email }) => work_email === email)!.uuid;
  return { ...trial, uuidOf, ann: uuidOf('ann@firm.io'), bob: uuidOf('bob@firm.io') };
}

/** Ann's company is Firm on both sides, and then another one on each side. */
async function createConflict(options: TrialOptions = {}) {
  const trial = await createLinkedTrial(options);
  trial.service.model.contacts.change(trial.ann, { fields: { company_name: 'Crm Ltd' } });
  trial.person.type('Prospects!C2', 'Sheet Ltd');
  expect((await trial.cli('sync')).code).toBe(3);
  const id = `${trial.ann}/company_name`;
  const companies = () => [
    trial.grid()[0]!['Company'],
    trial.service.model.contacts.get(trial.ann).record.company_name,
  ];
  return { ...trial, id, companies };
}

test('M1: a conflict is listed with its base and both values, and stays until a person decides', async () => {
  const { cli, id, ann } = await createConflict();
  const { conflicts } = conflictsAnswer.parse(JSON.parse((await cli('conflicts', '--json')).stdout));
  expect(conflicts).toEqual([
    {
      id,
      sync: 'prospects',
      contact: ann,
      person: 'Ann A <ann@firm.io>',
      row: 2,
      field: 'company_name',
      base: 'Firm',
      is_base_known: true,
      crm: 'Crm Ltd',
      sheet: 'Sheet Ltd',
      since: expect.stringMatching(/^2026-11-21T/),
      decision: null,
      digest: expect.stringMatching(/^[0-9a-f]{32}$/),
    },
  ]);
  const { stdout } = await cli('conflicts', 'prospects');
  expect(stdout).toContain(
    `1 conflict\n  ${id}\n    company_name of Ann A <ann@firm.io>, row 2, prospects, since 2026-11-21`,
  );
  expect(stdout).toMatch(/agreed {2}"Firm"\n\s+crm {5}"Crm Ltd"\n\s+sheet {3}"Sheet Ltd"\n/);
  expect((await cli('sync')).code).toBe(3);
});

test('M1: of a conflict whose sides never agreed, the agreed value is said to be not known, and the history says so, too', async () => {
  const trial = createSyncTrial({
    values: [header, ['Ann', 'A', 'Sheet Ltd', 'ann@firm.io']],
    sync: { conflict: 'manual' },
  });
  trial.addContact({ first_name: 'Ann', last_name: 'A', company_name: 'Crm Ltd', email: 'ann@firm.io' });
  expect((await trial.cli('sync')).code).toBe(3);
  const { conflicts } = conflictsAnswer.parse(JSON.parse((await trial.cli('conflicts', '--json')).stdout));
  expect(conflicts).toMatchObject([{ base: null, is_base_known: false, crm: 'Crm Ltd', sheet: 'Sheet Ltd' }]);
  expect((await trial.cli('conflicts')).stdout).toMatch(/agreed {2}not known\n/);
  expect((await trial.cli('resolve', conflicts[0]!.id, '--use', 'crm')).code).toBe(0);
  await trial.cli('sync');
  const decided = (await trial.cli('log')).stdout;
  expect(decided).toContain('agreed not known, crm "Crm Ltd", sheet "Sheet Ltd"');
});

test.each([
  ['--use', 'crm', 'Crm Ltd'],
  ['--use', 'Service', 'Crm Ltd'],
  ['--use', 'SHEET', 'Sheet Ltd'],
  ['--value', 'Third Ltd', 'Third Ltd'],
  ['--value', 'crm', 'crm'],
])(
  'M1: resolve %s %s is carried out by the next run, on both sides, and closes the conflict',
  async (option, choice, value) => {
    const { cli, id, companies } = await createConflict();
    const resolved = await cli('resolve', id, option, choice);
    expect(resolved).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('the next run carries it out'),
    });
    expect((await cli('conflicts')).stdout).toContain('decided; the next run carries it out');
    expect(companies()).toEqual(['Sheet Ltd', 'Crm Ltd']);
    expect((await cli('sync')).code).toBe(0);
    expect(companies()).toEqual([value, value]);
    expect(await cli('conflicts')).toMatchObject({ code: 0, stdout: 'no conflicts\n' });
    expect((await cli('plan')).code).toBe(0);
  },
);

test.each(['shet', 'services', 'Third Ltd'])(
  'resolve: --use %j is no side, and never becomes the value',
  async (use) => {
    const { cli, id, companies } = await createConflict();
    expect(await cli('resolve', id, '--use', use)).toMatchObject({
      code: 64,
      stdout: '',
      stderr: `leadsheet: --use ${use} is no side: write --use crm or --use sheet; to have the text itself, --value "${use}"\n`,
    });
    await cli('sync');
    expect(companies()).toEqual(['Sheet Ltd', 'Crm Ltd']);
  },
);

test.each(['', ' '])('resolve: --use %j is no side, and the message says how a field is emptied', async (use) => {
  const { cli, id, companies } = await createConflict();
  const { code, stderr } = await cli('resolve', id, '--use', use);
  expect({ code, stderr }).toEqual({
    code: 64,
    stderr: "leadsheet: --use is blank: write --use crm or --use sheet; to empty the field on both sides, --value ''\n",
  });
  await cli('sync');
  expect(companies()).toEqual(['Sheet Ltd', 'Crm Ltd']);
});

test('resolve: a blank empties both sides, and is asked about first', async () => {
  const { cli, id, companies } = await createConflict();
  expect(await cli('resolve', id, '--value', ' ')).toMatchObject({
    code: 64,
    stderr: 'leadsheet: this empties company_name of 1 record on both sides: say --yes to have it so\n',
  });
  const sure = await cli('resolve', id, '--value', '', '--yes');
  expect(sure.stdout).toContain('company_name becomes "" on both sides');
  await cli('sync');
  expect(companies().map((company) => company || null)).toEqual([null, null]);
});

test('resolve: a conflict that is not there, no choice and two choices are wrong usage', async () => {
  const { cli, id } = await createConflict();
  expect(await cli('resolve', `${id}x`, '--use', 'crm')).toEqual({
    code: 64,
    stdout: '',
    stderr: `leadsheet: there is no conflict ${id}x, did you mean ${id}?\n`,
  });
  expect(await cli('resolve', id)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('needs one of --use crm'),
  });
  expect(await cli('resolve', id, '--use', 'crm', '--value', 'x')).toMatchObject({ code: 64 });
  const quiet = await createLinkedTrial();
  expect(await quiet.cli('resolve', id, '--use', 'crm')).toMatchObject({
    code: 64,
    stderr: `leadsheet: there is no conflict ${id}: none is open\n`,
  });
});

test('status shows the last run, the open problems and what to do, without asking either side', async () => {
  const trial = await createConflict();
  const calls = trial.service.received.entries.length;
  const { code, stdout } = await trial.cli('status', '--json');
  const { syncs } = statusAnswer.parse(JSON.parse(stdout));
  expect(code).toBe(0);
  expect(syncs).toMatchObject([
    {
      name: 'prospects',
      last_run: { status: 'partial' },
      next_run: null,
      counts: { linked: 2, waiting: 0, conflicts: 1, quarantined: 0, parked: 0, held: 0, ignored: 0 },
      held_run: null,
      requests: 0,
      problems: [{ id: trial.id, kind: 'conflict', row: 2 }],
    },
  ]);
  const text = (await trial.cli('status')).stdout;
  expect(text).toMatch(/^prospects: partial; last run \S+, ended 2026-11-21 09:00:\d\dZ\n {2}2 linked, 1 conflict\n/);
  expect(text).toContain(`    ${trial.id} (row 2): conflict: `);
  expect(text).toContain(
    `-> conflict: leadsheet resolve ${trial.id} --use crm, or --use sheet, or --value TEXT; or make both sides equal`,
  );
  expect(text).not.toContain('Crm Ltd');
  expect(trial.service.received.entries).toHaveLength(calls);
  expect((await createSyncTrial().cli('status')).stdout).toBe(
    'prospects: has not run yet\n  0 linked\nno daemon is known to run: leadsheet run starts one\n',
  );
});

test('a running daemon adds the next run, the lag and the used budget', async () => {
  const trial = await createLinkedTrial();
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  const counts = { ...standingOf(), linked: 2 };
  const ran = { full_scan: false, counts, problems: {}, approvable: null };
  const beat: Heartbeat = {
    version: 1,
    pid: 1,
    host: null,
    boot: null,
    started_at: at(-600),
    written_at: at(-10),
    state: 'running',
    syncs: [
      {
        name: 'prospects',
        phase: 'backing-off',
        last_run: {
          ...ran,
          run: 'r9',
          status: 'failed',
          started_at: at(0),
          ended_at: at(1),
          reason: 'the service is down',
          refused: null,
        },
        last_success_at: at(-90),
        next_run_at: at(30),
        next_full_scan_at: null,
        failures_in_a_row: 1,
        running: null,
        told: null,
      },
    ],
    configuration: { left_out: [], refused: null },
    budget: {
      crm: { used: 12, per_minute: 240 },
      sheet_reads: { used: 3, per_minute: 60 },
      sheet_writes: { used: 0, per_minute: 60 },
    },
    account_budgets: [],
  };
  const tell = (change: object) =>
    writeFileSync(join(trial.folder, 'state', '.daemon.json'), JSON.stringify({ ...beat, ...change }));
  const status = async () => statusAnswer.parse(JSON.parse((await trial.cli('status', '--json')).stdout));
  tell({});
  expect(await status()).toMatchObject({
    daemon: { state: 'running', budget: { crm: { used: 12 } } },
    syncs: [{ last_run: { run: 'r9', reason: 'the service is down' }, next_run: at(30), lag_secs: 90 }],
  });
  expect((await trial.cli('status')).stdout).toContain(
    'the daemon is running as of 2026-11-21 08:59:50Z; in the last minute 12 of 240 calls',
  );
  for (const gone of [{ state: 'ended' }, { written_at: at(-300) }, { syncs: 'x' }]) {
    tell(gone);
    expect(await status()).toMatchObject({ daemon: null, syncs: [{ next_run: null, lag_secs: null }] });
  }
});

test('W9: an idle run leaves the state as it was, and status still tells', async () => {
  const trial = await createLinkedTrial();
  await trial.cli('sync');
  const before = (await trial.cli('status')).stdout;
  expect((await trial.cli('sync')).code).toBe(0);
  expect((await trial.cli('status')).stdout).toBe(before);
});

test('D1: a row that was deleted is left alone until retry names its contact, by uuid or by e-mail address', async () => {
  const trial = await createLinkedTrial();
  trial.person.deleteRows('Prospects', 2);
  expect(await trial.cli('sync')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`    ${trial.ann}: ignored: its row was deleted`),
  });
  expect(await trial.cli('retry')).toMatchObject({ code: 0, stdout: 'nothing is quarantined, parked or refused\n' });
  const retried = await trial.cli('retry', 'ANN@firm.io', '--json');
  expect(requestsAnswer.parse(JSON.parse(retried.stdout))).toEqual({
    requests: [
      {
        sync: 'prospects',
        decision: 'retry',
        id: trial.ann,
        text: `${trial.ann} is tried again`,
        by: 'ann',
        at: expect.stringMatching(/^2026-11-21T/),
        through: 'cli',
      },
    ],
  });
  expect((await trial.cli('status')).stdout).toContain('1 decision for the next run to carry out');
  await trial.cli('sync');
  expect(trial.grid().map((row) => row['First name'])).toEqual(['Bob', 'Ann']);
  expect((await trial.cli('status')).stdout).not.toContain('decision');
});

test('retry: an unknown id is wrong usage, and the nearest is named', async () => {
  const trial = await createConflict();
  expect(await trial.cli('retry', `${trial.ann}/company_nam`)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining(`did you mean ${trial.id}?`),
  });
  expect(await trial.cli('retry', 'row:99')).toMatchObject({ code: 64 });
  expect(await trial.cli('retry', 'nobody@firm.io')).toMatchObject({ code: 64 });
});

test('E1, L8: an enrolment of unknown outcome is tried again only by its own id and with --yes', async () => {
  const trial = await createLinkedTrial();
  const automation = '3bae3540-25d1-4297-a243-70d9007a3773';
  const { store } = await trial.start();
  await using lease = await store.sync('prospects').acquireLease();
  await lease.load();
  const entry = { state: 'unknown', at: Date.UTC(2026, 10, 20), run: 'r1', name: 'Welcome' };
  await lease.commit({ ledger: { put: new Map([[`${trial.ann} ${automation}`, entry]]) } });
  expect((await trial.cli('retry')).stdout).toBe('nothing is quarantined, parked or refused\n');
  const id = `${trial.ann}/${automation}`;
  const question =
    'it is unknown whether Ann A <ann@firm.io> into Welcome was enrolled (2026-11-20): look in the service';
  expect(await trial.cli('retry', id)).toMatchObject({ code: 64, stderr: expect.stringContaining(question) });
  expect(await trial.cli('retry', id, '--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
});

test('E1: the ledger is listed, and an enrolment is repeated only with --yes', async () => {
  const trial = await createLinkedTrial({ sync: { automation: { column: 'Automation' } } });
  const welcome = trial.service.model.automations.add({ name: 'Welcome', status: 'on' });
  const [names = []] = trial.person.read(`'Prospects'`);
  trial.person.type(`Prospects!${String.fromCodePoint(65 + names.indexOf('Automation'))}2`, 'Welcome');
  expect(await trial.cli('sync')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('automations: 1 enrolled'),
  });
  const { stdout } = await trial.cli('log', '--enrolments', '--json');
  expect(enrolmentLine.parse(JSON.parse(stdout))).toMatchObject({
    sync: 'prospects',
    contact: trial.ann,
    automation: welcome.uuid,
    name: 'Welcome',
    state: 'enrolled',
  });
  expect((await trial.cli('log', '--enrolments')).stdout).toMatch(
    new RegExp(`^2026-11-21 09:0\\d:\\d\\dZ {2}prospects {2}${trial.ann} {2}enrolled in Welcome \\(\\S+\\)\\n$`),
  );
  expect((await trial.cli('log', '--enrolments', '--contact', 'bob@firm.io')).stdout).toBe('');
  const again = await trial.cli('retry', `${trial.ann}/${welcome.uuid}`);
  expect(again).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('Ann A <ann@firm.io> into Welcome was done already (enrolled 2026-11-21)'),
  });
});

test('W5: a permanent refusal is tried again only by retry', async () => {
  let isRefusing = true;
  const trial = createSyncTrial({
    values: [header, ['Ann', 'A', 'Firm', 'ann@firm.io']],
    around: async (request, next) =>
      isRefusing && request.url.endsWith('/upsert')
        ? Response.json({ message: 'no more seats', errors: { email: ['no more seats'] } }, { status: 422 })
        : next(request),
  });
  expect(await trial.cli('sync')).toMatchObject({ code: 3, stdout: expect.stringContaining('row:2: refused: ') });
  isRefusing = false;
  expect((await trial.cli('sync')).code).toBe(3);
  expect(trial.contacts()).toHaveLength(0);
  expect(await trial.cli('retry')).toMatchObject({
    code: 0,
    stdout: 'prospects: row:2 is tried again; the next run carries it out\n',
  });
  expect((await trial.cli('sync')).code).toBe(0);
  expect(trial.contacts()).toHaveLength(1);
});

test('G2: approve lets a held run through, once, and only the one that is held', async () => {
  const values = [header, ...['ann', 'bob', 'cy'].map((name) => [name, '', 'Firm', `${name}@firm.io`])];
  const trial = createSyncTrial({ values, sync: { limits: { creates: 2 } } });
  expect(await trial.cli('approve', 'prospects', '--run', 'x')).toMatchObject({
    code: 1,
    stderr: 'leadsheet: nothing of prospects is held\n',
  });
  expect((await trial.cli('sync')).code).toBe(3);
  const status = await trial.cli('status');
  expect(status.stdout).toMatch(/^prospects: held/);
  expect(status.stdout).toContain('nothing is written: 3 new contacts are more than the limit of 2');
  const run = /approve prospects --run (\S+)/.exec(status.stdout)![1]!;
  expect(await trial.cli('approve', 'prospects', '--run', 'x')).toMatchObject({
    code: 64,
    stderr: `leadsheet: the held run of prospects is ${run}, not x: look at it again\n`,
  });
  expect(await trial.cli('approve', 'prospects', '--run', run)).toMatchObject({
    code: 0,
    stdout: 'prospects: approved for 3 creates; the next run carries it out\n',
  });
  expect((await trial.cli('sync')).code).toBe(0);
  expect(trial.contacts()).toHaveLength(3);
  expect((await trial.cli('status')).stdout).toMatch(/^prospects: succeeded/);
  expect((await trial.cli('approve', 'prospects', '--run', run)).code).toBe(1);
});

test('G2: status --json says of a held run what the text says: that it is held, why, and what waits', async () => {
  const values = [header, ['ann', '', 'Firm', 'ann@firm.io']];
  const trial = createSyncTrial({ values, sync: { limits: { creates: 2 } } });
  const status = async () => statusAnswer.parse(JSON.parse((await trial.cli('status', '--json')).stdout)).syncs[0]!;
  await trial.cli('sync');
  expect(await status()).toMatchObject({ last_run: { status: 'succeeded' }, held_run: null, held_reasons: [] });
  trial.person.paste(
    'Prospects!A3',
    ['bob', 'cy', 'di'].map((name) => [name, '', 'Firm', `${name}@firm.io`]),
  );
  expect((await trial.cli('sync')).code).toBe(3);
  const { last_run: last, held_run: run, held_reasons: reasons, held_what: what } = await status();
  expect({ last: last?.status, run, what }).toEqual({ last: 'held', run: last?.run, what: 'writes' });
  expect(reasons).toEqual([expect.stringContaining('3 new contacts are more than the limit of 2')]);
  const { stdout } = await trial.cli('status');
  expect(stdout).toMatch(/^prospects: held/);
  for (const reason of reasons) expect(stdout).toContain(reason);
  expect(stdout).toContain(`leadsheet approve prospects --run ${run}`);
  expect(stdout.match(/more than the limit/g)).toHaveLength(1);
  // Its end is told as well.
  trial.person.deleteRows('Prospects', 3, 3);
  await trial.cli('sync');
  expect(await status()).toMatchObject({ last_run: { status: 'succeeded' }, held_run: null, held_reasons: [] });
});

test('status --json says of a run that failed without a daemon that it failed, and why', async () => {
  let isDown = false;
  const trial = await createLinkedTrial({
    around: async (request, next) =>
      isDown && request.url.includes('search') ? new Response('', { status: 503 }) : next(request),
  });
  isDown = true;
  expect((await trial.cli('sync')).code).toBe(1);
  const { syncs } = statusAnswer.parse(JSON.parse((await trial.cli('status', '--json')).stdout));
  expect(syncs).toMatchObject([{ last_run: { status: 'failed', reason: expect.stringContaining('503') } }]);
  expect((await trial.cli('status')).stdout).toMatch(/^prospects: failed; last run .*\n.*\n {2}.*503/);
});

test('G4: a held run whose cause went away has nothing to approve any more', async () => {
  const values = [header, ...['ann', 'bob'].map((name) => [name, '', 'Firm', `${name}@firm.io`])];
  const trial = createSyncTrial({ values, sync: { limits: { creates: 1 } } });
  await trial.cli('sync');
  trial.person.deleteRows('Prospects', 3);
  expect((await trial.cli('sync')).code).toBe(0);
  expect((await trial.cli('status')).stdout).toMatch(/^prospects: succeeded/);
});

test('log tells every change with before, after, rule and outcome (L12); --json gives lines', async () => {
  const trial = await createConflict();
  await trial.cli('resolve', trial.id, '--use', 'sheet');
  await trial.cli('sync');
  const { stdout } = await trial.cli('log', '--contact', 'ann@firm.io', '--json');
  const printed = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { decision?: string });
  const lines = printed.filter((line) => line.decision === undefined).map((line) => logLine.parse(line));
  expect(lines.every(({ contact }) => contact === trial.ann)).toBe(true);
  expect(lines.at(-1)).toMatchObject({
    sync: 'prospects',
    side: 'crm',
    op: 'update',
    field: 'company_name',
    before: 'Crm Ltd',
    after: 'Sheet Ltd',
    rule: 'M1',
    outcome: 'done',
  });
  const [change, decision] = (await trial.cli('log', '--run', lines.at(-1)!.run)).stdout.split(/(?<=\n)/);
  expect(change).toMatch(
    /^2026-11-21 09:00:\d\dZ {2}prospects {2}crm update {2}\S+, row 2 {2}company_name: "Crm Ltd" -> "Sheet Ltd" \(resolved by hand, M1\)\n$/,
  );
  expect(decision).toMatch(
    new RegExp(
      `^2026-11-21 09:00:\\d\\dZ {2}prospects {2}decision resolve {2}${trial.id} {2}company_name takes what the sheet holds ` +
        '\\(by ann, 2026-11-21 09:00:\\d\\dZ, through the command line; saw agreed "Firm", crm "Crm Ltd", sheet "Sheet Ltd"\\)\\n$',
    ),
  );
});

test('log can be narrowed to a sync, a time and a contact', async () => {
  const trial = await createLinkedTrial();
  const count = async (...args: string[]) => (await trial.cli('log', '--json', ...args)).stdout.split('\n').length - 1;
  const all = await count();
  expect(all).toBeGreaterThan(0);
  expect(await count('--sync', 'prospects')).toBe(all);
  expect(await count('--since', '1h')).toBe(all);
  expect(await count('--since', '2026-11-21')).toBe(all);
  expect(await count('--since', '2026-11-22')).toBe(0);
  expect(await count('--contact', trial.ann)).toBeLessThan(all);
  expect(await trial.cli('log', '--since', 'soon')).toMatchObject({ code: 64 });
  expect(await trial.cli('log', '--sync', 'others')).toMatchObject({ code: 64 });
  expect(await trial.cli('log', '--contact', 'nobody@firm.io')).toMatchObject({
    code: 1,
    stderr: 'leadsheet: no linked contact has this e-mail address; the history knows others by their uuid\n',
  });
});

test('log --follow goes on until it is stopped, and then exits 0', async () => {
  const trial = await createLinkedTrial();
  const stop = new AbortController();
  const following = trial.cliUntil(stop.signal, 'log', '--follow', '--since', '0m');
  trial.person.type('Prospects!C3', 'Later Ltd');
  await trial.cli('sync');
  await new Promise((resolve) => void setTimeout(resolve, 5_000));
  stop.abort(new Error('stopped by SIGINT'));
  expect(await following).toMatchObject({ code: 0, stdout: expect.stringContaining('"Firm" -> "Later Ltd"') });
});

test('status shows a run that only wrote to the service as the last run', async () => {
  const { cli, person } = await createLinkedTrial();
  person.type('Prospects!C2', 'Limes Ltd');
  const [sent] = (JSON.parse((await cli('sync', '--json')).stdout) as { syncs: { run: string }[] }).syncs;
  const { syncs } = statusAnswer.parse(JSON.parse((await cli('status', '--json')).stdout));
  expect(syncs).toMatchObject([{ last_run: { run: sent!.run, status: 'succeeded' }, problems: [] }]);
});

test('M1: status names the record of a decision that waits, and tells no decision that a later one replaced', async () => {
  const { cli, id, ann } = await createConflict();
  await cli('resolve', id, '--use', 'crm');
  await cli('resolve', id, '--use', 'sheet');
  const { stdout } = await cli('status');
  expect(stdout).toContain(
    `  1 decision for the next run to carry out\n    ${id}: resolve company_name takes what the sheet holds (`,
  );
  const explained = (await cli('explain', ann)).stdout;
  expect(explained).toContain('resolve company_name takes what the sheet holds');
  expect(explained).not.toContain('resolve company_name takes what the service holds');
});
