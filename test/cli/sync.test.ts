import { expect, test } from 'vitest';
import { syncAnswer } from '../../src/operator/answers/runs.ts';
import { pause } from '../../src/operator/pause.ts';
import { ann, operatorOf } from '../operator/support.ts';
import { createSyncTrial, spreadsheetId } from '../support/app.ts';
import { createDaemonTrial } from '../support/daemon.ts';

/* `leadsheet sync` at a terminal. */

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];

test('a run makes both sides equal, says so, and exits 0', async () => {
  const trial = createSyncTrial({ values: [header, ['Bob', 'Row', 'Firm', 'bob@firm.io', '']] });
  trial.addContact({ first_name: 'Ann', last_name: 'Contact', email: 'ann@firm.io' });
  const { code, stdout, stderr } = await trial.cli('sync');
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'leadsheet: prospects: there is no state yet: rows and contacts are matched anew, and nothing is deleted\n',
  });
  expect(stdout).toMatch(/^prospects: succeeded, run \S+, a full scan, /);
  expect(stdout).toContain('contacts: 1 created; rows: 1 appended, 1 set\n');
  expect(trial.grid().map((row) => row['First name'])).toEqual(['Bob', 'Ann']);
  expect((await trial.cli('sync')).stdout).toContain('  2 linked; nothing to do\n');
});

test('--json is as documented, and nothing else is on standard output', async () => {
  const trial = createSyncTrial({ values: [header, ['Bob', 'Row', 'Firm', '', '']] });
  const { code, stdout } = await trial.cli('sync', 'prospects', '--json');
  const { syncs } = syncAnswer.parse(JSON.parse(stdout));
  expect(code).toBe(0);
  expect(syncs).toMatchObject([
    {
      name: 'prospects',
      status: 'succeeded',
      counts: { linked: 0, waiting: 1 },
      problems: [{ id: 'row:2', kind: 'waiting', contact: null, row: 2, field: null }],
    },
  ]);
});

test('W12: a problem for a person exits 3, is named, and says what to do', async () => {
  const trial = createSyncTrial({
    values: [header, ['Bob', 'Row', 'Firm', 'bob@firm.io', ''], ['Rob', 'Row', 'Firm', 'BOB@firm.io', '']],
  });
  const { code, stdout } = await trial.cli('sync');
  expect(code).toBe(3);
  expect(stdout).toContain('  2 problems need somebody:\n    row:2: quarantined: names the same person as row 3');
  expect(stdout).toContain('-> quarantined: correct what it names');
});

test('a run that fails exits 1 with its reason in one line', async () => {
  const trial = createSyncTrial({ sync: { contacts: { list: 'Nobody' } } });
  const { code, stdout } = await trial.cli('sync');
  expect(code).toBe(1);
  expect(stdout).toContain(
    '  there is no list "Nobody". Lists that there are, nearest first: Prospects. Correct contacts.list of prospects, make the list in the service, or set contacts.create_list\n',
  );
});

test('an unknown name is wrong usage, and the nearest is named', async () => {
  const trial = createSyncTrial();
  expect(await trial.cli('sync', 'prospekts')).toEqual({
    code: 64,
    stdout: '',
    stderr: 'leadsheet: there is no sync, feed or outbox prospekts, did you mean prospects?\n',
  });
});

test('notices go to standard error, and --log-level takes them away or adds every change', async () => {
  const trial = createSyncTrial({ values: [header, ['Bob', 'Row', 'Firm', 'bob@firm.io', '']] });
  const { stderr, stdout } = await trial.cli('sync', '--log-level', 'debug', '--json');
  expect(stderr).toMatch(/prospects: run \S+ begins\n(.*\n)*.*prospects: crm create row 2: done\n/);
  expect(stderr).not.toContain('bob@firm.io');
  expect(JSON.parse(stdout)).toBeDefined();
  trial.person.type('Prospects!A1', 'Given name');
  expect((await trial.cli('sync')).stderr).toContain('prospects: the header "First name" is "Given name" now');
  expect((await trial.cli('sync', '--log-level', 'error')).stderr).toBe('');
});

test('G2: a held run exits 3 and says how to approve it', async () => {
  const trial = createSyncTrial({ sync: { limits: { creates: 1 } } });
  for (const name of ['ann', 'bob']) trial.addContact({ first_name: name, email: `${name}@firm.io` });
  trial.person.paste('Prospects!A2', [
    ['Cy', 'Row', 'Firm', 'cy@firm.io'],
    ['Di', 'Row', 'Firm', 'di@firm.io'],
  ]);
  const { code, stdout } = await trial.cli('sync');
  expect(code).toBe(3);
  expect(stdout).toContain('nothing was written: 2 new contacts are more than the limit of 1');
  expect(stdout).toMatch(/to let it through: leadsheet approve prospects --run \S+\n/);
});

test.each([
  [['sync'], 0],
  [['sync', 'prospects', 'second'], 1],
])('W13: %j leaves out a job that is paused while the one before it runs', async (command, code) => {
  let onCall: (() => Promise<unknown>) | undefined;
  const trial = createDaemonTrial({
    others: { second: { sheet: { spreadsheet: spreadsheetId, tab: 'Second' } } },
    around: async (request, next) => {
      const then = onCall;
      onCall = undefined;
      await then?.();
      return next(request);
    },
  });
  onCall = () => pause(operatorOf(trial), ann, { name: 'second' });
  const ended = await trial.cli(...command);
  expect(ended.code).toBe(code);
  expect(ended.stdout).toContain('prospects: succeeded');
  expect(ended.stdout).not.toContain('second');
  expect(ended.stderr).toMatch(/second is paused by ann .*--even-if-paused/);
});
