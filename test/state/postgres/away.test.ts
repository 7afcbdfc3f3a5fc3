// Commands over two jobs whose database cannot be worked on: one line names the database, with what to do, and none a job.
import { uptime } from 'node:os';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAgencyTrial } from '../../support/agency.ts';
import { run } from '../../support/cli.ts';
import { openDatabase, servePostgres } from '../../support/postgres.ts';

const server = servePostgres();
const password = 'a-password-of-nobody';

function configFileWith(state: string, postgres: Readonly<Record<string, unknown>> = {}): string {
  const trial = createAgencyTrial();
  trial.edit((file) => ({ ...file, state, postgres }));
  vi.useRealTimers();
  return trial.configFile;
}

async function tell(configFile: string, command: string) {
  const { code, stdout, stderr } = await run(command.split(' '), { LEADSHEET_CONFIG: configFile }, { uptime });
  const lines = `${stdout}${stderr}`.split('\n');
  expect(`${stdout}${stderr}`).not.toContain(password);
  return { code, named: lines.filter((line) => line.includes('postgres://')), lines };
}

/** Nothing listens there. */
const away = `postgres://me:${password}@127.0.0.1:1/leads`;

test.each([
  'status',
  'plan',
  'plan leads',
  'sync',
  'run',
  'budgets',
  'workers',
  'conflicts',
  'enrolments',
  'log',
  'runs',
  'pause leads',
  'resume leads',
  'retry somebody@firm.io',
  'explain somebody@firm.io',
  'undo 20260101-000000-abcd',
  'state check',
  'state migrate',
])('%s: a database that is away is named once, exit 1', async (command) => {
  const { code, named, lines } = await tell(configFileWith(away), command);
  expect({ code, named }).toEqual({
    code: 1,
    named: [expect.stringMatching(/^leadsheet: postgres:\/\/127\.0\.0\.1:1\/leads: the connection was refused\. .+$/)],
  });
  expect(lines.filter((line) => /prospects|leads: run/.test(line))).toEqual([]);
});

test.each([
  ['a port on which nothing listens', away, 'the connection was refused'],
  ['a host that is mistyped', `postgres://me:${password}@db.invalid/leads`, 'the name of the host is not known'],
])('%s: the place in `state:` is named before the server is looked at', async (_what, state, why) => {
  const { named } = await tell(configFileWith(state), 'status');
  expect(named).toEqual([
    expect.stringMatching(
      new RegExp(`: ${why}. Look whether host and port in \`state:\` are right. Nothing that was saved`),
    ),
  ]);
});

test.each(['check', 'check --offline'])('%s: a database that is away is one finding, exit 1', async (command) => {
  const { code, named, lines } = await tell(configFileWith(away), command);
  expect({ code, named }).toEqual({
    code: 1,
    named: [expect.stringMatching(/^failed +state: database +postgres:\/\/127\.0\.0\.1:1\/leads: the connection was/)],
  });
  expect(lines).toContainEqual(expect.stringMatching(/^skipped +both sides: everything else +not looked at: /));
  expect(lines).toContain('1 thing to correct');
});

test.each(['status', 'plan', 'check', 'run'])(
  '%s: a password that the server refuses is named once, exit 1',
  async (command) => {
    const url = new URL(await server().createDatabase());
    url.password = password;
    const { code, named } = await tell(configFileWith(url.href), command);
    expect({ code, named }).toEqual({
      code: 1,
      named: [expect.stringMatching(/the server refused user or password .*`postgres\.password_file`/)],
    });
  },
);

test.each(['plan', 'sync --even-if-paused', 'run', 'check', 'check --offline'])(
  '%s: a server that only lets read is named once, exit 1',
  async (command) => {
    const url = await server().createDatabase();
    const database = openDatabase(url);
    onTestFinished(() => database.end());
    await database.query(`ALTER DATABASE "${url.split('/').at(-1)}" SET default_transaction_read_only = on`);
    const { code, named } = await tell(configFileWith(url), command);
    expect({ code, named }).toEqual({
      code: 1,
      named: [expect.stringMatching(/: the server only lets read: it is a replica, .* Set `state:` to the primary/)],
    });
  },
);

test.each(['plan', 'sync', 'run', 'check'])(
  '%s: tables that are missing and that this process may not make are named once, exit 1',
  async (command) => {
    const state = await server().createDatabase();
    const { code, named } = await tell(configFileWith(state, { migrate: false }), command);
    expect({ code, named }).toEqual({
      code: 1,
      named: [expect.stringMatching(/: the tables are not made yet\. Run: leadsheet state migrate$/)],
    });
  },
);
