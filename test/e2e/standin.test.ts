import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../support/cli.ts';
import { startProgram } from '../support/program.ts';

/* The stand-in as a process, and a command that calls it. */

function leadsheet(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return startProgram(args, { env });
}

async function startStandin(...args: string[]) {
  const { child, ended } = leadsheet(['standin', '--service-port', '0', '--sheets-port', '0', ...args]);
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  const [url = '', sheetsUrl = ''] = first.toString().match(/http:\S+/g) ?? [];
  return { child, ended, sheetsUrl, env: { OUTREACH_BASE_URL: url, OUTREACH_TOKEN: 'standin' } };
}

test('the stand-in serves demo data and the page of a spreadsheet, and SIGINT ends it with exit 0', async () => {
  const { child, ended, env, sheetsUrl } = await startStandin();
  const { code, stdout } = await leadsheet(['api', 'contacts.search', '--limit', '1'], env).ended;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ total: 600 });
  const id = 'demo-spreadsheet-of-the-stand-in';
  const response = await fetch(`${sheetsUrl}/v4/spreadsheets/${id}/values/Prospects!A1:E1`);
  expect(await response.json()).toMatchObject({
    values: [['First name', 'Last name', 'Company', 'Email', 'Position']],
  });
  const page = await fetch(sheetsUrl);
  expect(page.headers.get('content-type')).toContain('text/html');
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

test('a Ctrl-C that npm passes on once more is still one, and ends it with exit 0', async () => {
  const { child, ended } = await startStandin();
  child.kill('SIGINT');
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
});

test('a taken port is one line, exit 1', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const { code, stderr } = await leadsheet(['standin', '--service-port', String(port), '--sheets-port', '0']).ended;
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `leadsheet: port ${port} is taken by another process; end that one, or choose another port (--help names the options; 0 takes any free one)\n`,
  });
});

test('with --snapshot the data survives a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const snapshot = ['--snapshot', join(folder, 'snapshot.json')];
  const first = await startStandin(...snapshot);
  const created = await run(['api', 'lists.create', '--name', 'Kept'], first.env);
  const { uuid } = JSON.parse(created.stdout) as { uuid: string };
  first.child.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ code: 0 });

  const second = await startStandin(...snapshot);
  const { stdout } = await run(['api', 'lists.get', '--uuid', uuid], second.env);
  expect(JSON.parse(stdout)).toMatchObject({ name: 'Kept' });
});
