import type { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { requestsAnswer } from '../../src/operator/answers/conflicts.ts';
import { createLinkedTrial, header } from '../operator/support.ts';
import { createSyncTrial } from '../support/app.ts';
import { createTerminal, ctrlC, enter, enterBefore } from '../support/key-presses.ts';

/* `approve` at a terminal: what is held is shown, and a person says yes or no. */

const people = ['ann', 'bob', 'cyd', 'dan'];
const row = (first: string) => [first, 'Row', 'Firm', `${first}@firm.io`];

/** Four new contacts are held, and one is allowed. */
async function createHeld() {
  const trial = createSyncTrial({ values: [header, ...people.map(row)], sync: { limits: { creates: 1 } } });
  const { stdout } = await trial.cli('sync');
  const run = /approve prospects --run (\S+)/.exec(stdout)![1]!;
  const { store } = await trial.start();
  const waiting = async () => (await store.sync('prospects').load()).requests.size;
  return { ...trial, heldRun: run, waiting };
}

test('G2: approve shows the held run, its counts, its reasons and how to see all of it; yes lets it through once', async () => {
  const trial = await createHeld();
  const terminal = createTerminal([{ at: 'Approve all 4 records?', keys: ['y'] }]);
  const ended = await trial.cliAt(terminal, 'approve', 'prospects');
  expect(terminal.left()).toEqual([]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toBe('prospects: approved for 4 creates; the next run carries it out\n');
  for (const text of [
    `prospects, held run ${trial.heldRun}`,
    '4 creates',
    '4 new contacts are more than the limit of 1',
    'leadsheet plan prospects shows all of it',
  ])
    expect(terminal.shown()).toContain(text);
  expect((await trial.cli('sync')).code).toBe(0);
  expect(trial.contacts()).toHaveLength(4);
  trial.person.paste('Prospects!A6', [row('eve'), row('fay')]);
  expect((await trial.cli('sync')).code).toBe(3);
});

test.each([
  ['Enter, since no is the first answer', [enter], 1],
  ['Enter, also after one that was pressed before the question', [enterBefore, enter], 1],
  ['n', ['n'], 1],
  ['Ctrl-C', [ctrlC], 130],
])('G2: %s approves nothing, and the plan stays held', async (_, keys, code) => {
  const trial = await createHeld();
  const terminal = createTerminal([{ at: 'Approve all 4 records?', keys }]);
  expect(await trial.cliAt(terminal, 'approve', 'prospects')).toMatchObject({
    code,
    stdout: '',
    stderr: 'leadsheet: nothing was approved; prospects stays held\n',
  });
  expect(await trial.waiting()).toBe(0);
  expect((await trial.cli('sync')).code).toBe(3);
  expect(trial.contacts()).toEqual([]);
});

test('G2: without a terminal approve names the run to write, and approves nothing; so with --json', async () => {
  const trial = await createHeld();
  const refusal = `leadsheet: say which run: leadsheet approve prospects --run ${trial.heldRun}; or some of its records: --only ID...; or --yes for what is held now\n`;
  expect(await trial.cli('approve', 'prospects')).toEqual({ code: 64, stdout: '', stderr: refusal });
  expect(await trial.cliAt(createTerminal([]), 'approve', 'prospects', '--json')).toMatchObject({
    code: 64,
    stdout: '',
  });
  expect(await trial.waiting()).toBe(0);
});

test('G2: --yes, --run and --only ask nothing, also at a terminal', async () => {
  for (const how of [['--yes'], ['--run'], ['--only', 'row:3']]) {
    const trial = await createHeld();
    const words = how[0] === '--run' ? ['--run', trial.heldRun] : how;
    const terminal = createTerminal([]);
    expect(await trial.cliAt(terminal, 'approve', 'prospects', ...words)).toMatchObject({ code: 0, stderr: '' });
    expect(terminal.shown()).toBe('');
    await trial.cli('sync');
    expect(trial.contacts()).toHaveLength(how[0] === '--only' ? 1 : 4);
  }
});

test('G6: --only takes records by row, uuid, address and name; one that is not held records nothing', async () => {
  const trial = await createHeld();
  const { stdout } = await trial.cli('approve', 'prospects', '--only', 'row:3', 'row:5', '--json');
  expect(requestsAnswer.parse(JSON.parse(stdout)).requests).toMatchObject([
    { sync: 'prospects', decision: 'approve-records' },
  ]);
  await trial.cli('sync');
  expect(trial.contacts().map(({ first_name }) => first_name)).toEqual(['bob', 'dan']);
  const before = await trial.waiting();
  expect(await trial.cli('approve', 'prospects', '--only', 'row:2', 'row:99')).toMatchObject({ code: 64, stdout: '' });
  expect(await trial.waiting()).toBe(before);
});

test('G2: a plan that becomes another one while the person reads is not approved', async () => {
  const trial = await createLinkedTrial(['Ann', 'Bob', 'Cyd', 'Dan', 'Eve'], {
    sync: { on_row_deleted: 'delete_contact', limits: { deletes: '20%' } },
  });
  trial.person.deleteRows('Prospects', 2, 2);
  await trial.cli('sync');
  const terminal = createTerminal([]);
  const asking = trial.cliAt(terminal, 'approve', 'prospects');
  while (!terminal.shown().includes('Approve all 2 records?')) await new Promise((resolve) => setImmediate(resolve));
  trial.person.deleteRows('Prospects', 2, 1);
  await trial.cli('sync');
  (terminal.input as PassThrough).write('y');
  const { code, stdout, stderr } = await asking;
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
  expect(stderr).toMatch(/^leadsheet: .*prospects.* is another one by now: look at it again\n$/);
  await trial.cli('sync');
  expect(trial.contacts()).toHaveLength(5);
});

test('nothing is held: approve says so, and asks nothing', async () => {
  const trial = await createLinkedTrial(['Ann']);
  const terminal = createTerminal([]);
  expect(await trial.cliAt(terminal, 'approve', 'prospects')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^leadsheet: nothing of prospects is held; its last run is \S+, succeeded\n$/),
  });
  expect(terminal.shown()).toBe('');
});
