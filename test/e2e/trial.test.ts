import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startProgram } from '../support/program.ts';

/* `npm start` without npm: both stand-ins and the daemon in one process. */

const freePorts = ['--service-port', '0', '--sheets-port', '0', '--port', '0'];
const patience = { timeout: 60_000, interval: 50 };

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-trial-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function startTrial(cwd: string) {
  const { child, ended, printed } = startProgram(['trial', ...freePorts], { cwd });
  await vi.waitFor(() => expect(printed.stdout).toContain('Both sides are equal: 560 contacts, 560 rows.'), patience);
  const url = (name: string) => new RegExp(`  ${name} +(http://\\S+)`).exec(printed.stdout)?.[1] ?? '';
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return { printed, end, sheet: url('the sheet'), service: url('the service'), leadsheet: url('leadsheet') };
}

test('a trial makes both sides equal, carries a change over, ends with exit 0 on Ctrl-C, and the next begins anew', async () => {
  const folder = createFolder();
  const trial = await startTrial(folder);
  expect(await (await fetch(`${trial.leadsheet}/readyz`)).text()).toBe('ready\n');

  const [, uuid] = /--uuid (\S+) --position Captain/.exec(trial.printed.stdout)!;
  await fetch(`${trial.service}/leads/api/leads/${uuid}`, {
    method: 'PUT',
    headers: { authorization: 'Bearer standin', 'content-type': 'application/json' },
    body: JSON.stringify({ position: 'Captain' }),
  });
  const positions = `${trial.sheet}/v4/spreadsheets/demo-spreadsheet-of-the-stand-in/values/Prospects!E2:E2`;
  await vi.waitFor(
    async () => expect(await (await fetch(positions)).json()).toMatchObject({ values: [['Captain']] }),
    patience,
  );
  await vi.waitFor(() => expect(trial.printed.stdout).toContain('"after":"Captain"'), patience);

  const { code, stdout, stderr } = await trial.end('SIGINT');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/The trial has ended\.\n$/);

  const history = () =>
    globSync('state/trial/state/**/*.ndjson', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));
  expect(history().join('')).toContain('"Captain"');
  await startTrial(folder);
  expect(history().join('')).not.toContain('"Captain"');
}, 120_000);

test('a port that is taken is one line and exit 1, and a folder of something else is left alone', async () => {
  const folder = createFolder();
  writeFileSync(join(folder, 'precious'), 'mine');
  const refused = await startProgram(['trial', ...freePorts, '--folder', '.'], { cwd: folder }).ended;
  expect(refused).toEqual({
    code: 1,
    stdout: '',
    stderr: 'leadsheet: . holds something else than a trial; choose another --folder\n',
  });
  expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('mine');

  const standin = startProgram(['standin', '--service-port', '0', '--sheets-port', '0']);
  await vi.waitFor(() => expect(standin.printed.stdout).toContain('Ctrl-C'), patience);
  const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(standin.printed.stdout)!;
  const options = ['--service-port', '--sheets-port', '--port'];
  await Promise.all(
    options.map(async (option) => {
      const { code, stdout, stderr } = await startProgram(['trial', ...freePorts, option, port], { cwd: folder }).ended;
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^leadsheet: .*port ${port} .*taken by another process; .*\n$`));
    }),
  );
}, 120_000);
