import { expect, test, vi } from 'vitest';
import { readInstant } from '../../src/operator/instant.ts';
import { createSyncTrial } from '../support/app.ts';

/* `leadsheet log`: which lines it shows, and what it says of a filter that cannot be meant. */

const now = Date.parse('2026-11-21T09:00:00Z');

test.each([
  ['today', '2026-11-21T00:00:00.000Z', '2026-11-21T23:59:59.999Z'],
  ['yesterday', '2026-11-20T00:00:00.000Z', '2026-11-20T23:59:59.999Z'],
  ['2026-01-05', '2026-01-05T00:00:00.000Z', '2026-01-05T23:59:59.999Z'],
  ['2026-01-05T09:00Z', '2026-01-05T09:00:00.000Z', '2026-01-05T09:00:00.000Z'],
  ['30s', '2026-11-21T08:59:30.000Z', '2026-11-21T08:59:30.000Z'],
  ['90m', '2026-11-21T07:30:00.000Z', '2026-11-21T07:30:00.000Z'],
  ['12H', '2026-11-20T21:00:00.000Z', '2026-11-20T21:00:00.000Z'],
  ['7d', '2026-11-14T09:00:00.000Z', '2026-11-14T09:00:00.000Z'],
  [' 2w ', '2026-11-07T09:00:00.000Z', '2026-11-07T09:00:00.000Z'],
])('%s is an instant; a day has a first and a last millisecond, in UTC', (text, start, end) => {
  expect(new Date(readInstant('since', text, now, 'start')).toISOString()).toBe(start);
  expect(new Date(readInstant('until', text, now, 'end')).toISOString()).toBe(end);
});

test.each(['soon', '', '5', '5y', '2026-02-31', '2026-13-01', '2026-02-31T09:00Z', '-3d', '2026-1-5'])(
  '"%s" is no time',
  (text) => {
    expect(() => readInstant('since', text, now, 'start')).toThrow(`${text} is no time: write 2026-01-05`);
  },
);

/** Ann and Bob, linked; a day later Ann's company changes in the service, and a day later Bob's first name. */
async function createHistory() {
  const trial = createSyncTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io', company_name: 'Firm' });
  trial.addContact({ first_name: 'Bob', email: 'bob@firm.io', company_name: 'Firm' });
  await trial.run();
  vi.advanceTimersByTime(86_400_000);
  trial.change('ann@firm.io', { company_name: 'Second' });
  await trial.run();
  vi.advanceTimersByTime(86_400_000);
  trial.change('bob@firm.io', { first_name: 'Rob' });
  await trial.run();
  const lines = async (...args: string[]) => {
    const { stdout } = await trial.cli('log', '--json', ...args);
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((text) => JSON.parse(text) as { readonly run: string; readonly time: string; readonly after: unknown });
  };
  return { ...trial, lines };
}

test('-n shows the latest lines, oldest first; more than there are shows all', async () => {
  const trial = await createHistory();
  const all = await trial.lines();
  expect(await trial.lines('-n', '2')).toEqual(all.slice(-2));
  expect(await trial.lines('--limit', '1')).toEqual(all.slice(-1));
  expect(await trial.lines('-n', '99999')).toEqual(all);
  for (const wrong of ['0', '-1', '1.5', 'many', '100001']) {
    const { code, stderr } = await trial.cli('log', '-n', wrong);
    expect({ code, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 64, lines: 1 });
  }
});

test('--since and --until take a range of days; a day of --until counts whole', async () => {
  const trial = await createHistory();
  const all = await trial.lines();
  const first = all.filter(({ time }) => time.startsWith('2026-11-21'));
  expect(first.length).toBeGreaterThan(0);
  expect(await trial.lines('--until', '2026-11-21')).toEqual(first);
  expect(await trial.lines('--since', '2026-11-22', '--until', '2026-11-22')).toMatchObject([{ after: 'Second' }]);
  expect(await trial.lines('--since', 'yesterday', '--until', 'yesterday')).toMatchObject([{ after: 'Second' }]);
  expect(await trial.lines('--since', 'today')).toMatchObject([{ after: 'Rob' }]);
  expect(await trial.lines('--since', '2d')).toHaveLength(all.length);
  expect(await trial.lines('--until', '2026-11-21', '-n', '1')).toEqual(first.slice(-1));
});

test('--field takes the name of a field or the header of its column, in any case; an unknown one names the nearest', async () => {
  const trial = await createHistory();
  const companies = await trial.lines('--field', 'company_name');
  expect(companies.map(({ after }) => after)).toEqual(['Firm', 'Firm', 'Second']);
  expect(await trial.lines('--field', 'Company')).toEqual(companies);
  expect(await trial.lines('--field', 'COMPANY', '--contact', 'bob@firm.io')).toHaveLength(1);
  expect(await trial.cli('log', '--field', 'Compnay')).toMatchObject({
    code: 64,
    stderr: 'leadsheet: no column is mapped to a field Compnay, did you mean Company?\n',
  });
});

test('--outcome tells what became of a change; other words are refused with the list', async () => {
  const trial = await createHistory();
  trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.update', times: 9 });
  trial.type('ann@firm.io', 'Company', 'Third');
  await trial.run();
  expect(await trial.lines('--outcome', 'refused')).toMatchObject([{ after: 'Third' }]);
  expect((await trial.lines('--outcome', 'done')).length).toBeGreaterThan(1);
  const { code, stderr } = await trial.cli('log', '--outcome', 'broken');
  expect(code).toBe(64);
  expect(stderr).toContain('done, refused, moved, unknown, failed, taken, void');
});

test('--run of a run that does not exist says so, with the nearest; one that changed nothing is no mistake', async () => {
  const trial = await createHistory();
  const { run } = (await trial.lines('-n', '1'))[0]!;
  const near = run.slice(0, -1);
  expect(await trial.cli('log', '--run', near)).toMatchObject({
    code: 64,
    stdout: '',
    stderr: expect.stringContaining(`leadsheet: there is no run ${near}, did you mean `),
  });
  expect(await trial.cli('log', '--run', 'x')).toMatchObject({
    code: 64,
    stderr: 'leadsheet: there is no run x; leadsheet runs lists the latest\n',
  });
  expect(await trial.cli('log', '--enrolments', '--run', 'x')).toMatchObject({ code: 64 });
  expect(await trial.cli('log', '--run', run, '--until', '2026-01-01')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'leadsheet: the history has no such line\n',
  });
});

test.each([
  [['--follow', '--enrolments']],
  [['--follow', '--until', 'today']],
  [['--enrolments', '--field', 'email']],
  [['--enrolments', '--outcome', 'done']],
])('%j do not go together: exit 64, one line', async (options) => {
  const trial = createSyncTrial();
  const { code, stdout, stderr } = await trial.cli('log', ...options);
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
  expect(stderr).toMatch(/^leadsheet: option '.*' cannot be used with option '.*'\n$/);
});

test('--follow -n begins with the latest lines and goes on with new ones, none twice', async () => {
  const trial = await createHistory();
  const all = await trial.lines();
  const stop = new AbortController();
  const following = trial.cliUntil(stop.signal, 'log', '--follow', '-n', '2', '--json');
  trial.change('bob@firm.io', { company_name: 'New' });
  await trial.run();
  await vi.advanceTimersByTimeAsync(5_000);
  stop.abort(new Error('stopped'));
  const { code, stdout } = await following;
  const shown = stdout.split('\n').slice(0, -1);
  expect(code).toBe(0);
  expect(shown.slice(0, 2).map((text) => JSON.parse(text) as unknown)).toEqual(all.slice(-2));
  expect(shown.slice(2).map((text) => (JSON.parse(text) as { after: unknown }).after)).toEqual(['New']);
});

test('--enrolments takes -n, --since and --until by the time of the entry', async () => {
  const trial = await createHistory();
  const { uuid } = trial.contactOf('ann@firm.io');
  const { store } = await trial.start();
  const entries = [18, 20, 19].map((day): [string, object] => [
    `${uuid} 00000000-0000-4000-8000-0000000000${day}`,
    { state: 'enrolled', at: Date.UTC(2026, 10, day), run: `r${day}`, name: 'Welcome' },
  ]);
  {
    await using lease = await store.sync('prospects').acquireLease();
    await lease.load();
    await lease.commit({ ledger: { put: new Map(entries.map(([key, entry]) => [key, { ...entry }])) } });
  }
  const runs = async (...args: string[]) => (await trial.lines('--enrolments', ...args)).map(({ run }) => run);
  expect(await runs()).toEqual(['r18', 'r19', 'r20']);
  expect(await runs('-n', '2')).toEqual(['r19', 'r20']);
  expect(await runs('--until', '2026-11-19')).toEqual(['r18', 'r19']);
  expect(await runs('--since', '2026-11-19', '--until', '2026-11-19')).toEqual(['r19']);
  expect(await runs('--run', 'r20')).toEqual(['r20']);
  expect(await trial.cli('log', '--enrolments', '--since', 'today')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'leadsheet: the ledger of enrolments has no such line\n',
  });
});
