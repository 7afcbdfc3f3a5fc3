// Commands take part in the budgets that all processes with one state share.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createSyncTrial } from '../support/app.ts';
import { run } from '../support/cli.ts';

const token = 'the-token-of-the-tests';

async function createTrial() {
  const trial = createSyncTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@example.com' });
  await trial.run();
  const env = { LEADSHEET_CONFIG: trial.configFile, OUTREACH_BASE_URL: 'http://127.0.0.1:4010', OUTREACH_TOKEN: token };
  const uptime = () => Number(process.hrtime.bigint()) / 1e6;
  const path = join(trial.folder, 'state', '.budget.db');
  const calls = () => trial.crmCalls().length + trial.sheets.log.counters.reads + trial.sheets.log.counters.writes;
  return {
    path,
    calls,
    command: (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      run(args, { ...env, ...more }, { transport: trial.transport, uptime }),
    counted: () => {
      using database = new DatabaseSync(path, { readOnly: true });
      return database.prepare('SELECT count(*) AS n FROM starts').get()?.['n'];
    },
  };
}

test.each([{ args: ['plan'] }, { args: ['check'] }, { args: ['api', 'lists.list'] }, { args: ['sync'] }])(
  'W6: $args counts every call that it makes',
  async ({ args }) => {
    const { command, calls, counted } = await createTrial();
    const before = calls();
    expect((await command(args)).code).toBe(0);
    const made = calls() - before;
    expect(made).toBeGreaterThan(0);
    expect(counted()).toBe(made);
  },
);

test('api without a configuration counts alone', async () => {
  const { command, path } = await createTrial();
  expect((await command(['api', 'lists.list'], { LEADSHEET_CONFIG: '/no/such/file' })).code).toBe(0);
  expect(existsSync(path)).toBe(false);
});

test.each([{ args: ['plan'] }, { args: ['check'] }, { args: ['api', 'lists.list'] }])(
  'if the file cannot be used, $args does its work and says so once',
  async ({ args }) => {
    const { command, path } = await createTrial();
    mkdirSync(path);
    const { code, stdout, stderr } = await command(args);
    expect(code).toBe(0);
    expect(
      `${stdout}${stderr}`.match(/calls of other processes of this machine are not counted for now/g),
    ).toHaveLength(1);
  },
);
