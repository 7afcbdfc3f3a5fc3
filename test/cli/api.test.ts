import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operationList } from '../../src/crm/outreach/operations/table.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { addDemoData } from '../../src/standin/service/demo.ts';
import { serve } from '../../src/standin/serve.ts';
import type { RunningServer } from '../../src/standin/serve.ts';
import { StopRequest } from '../../src/cli/exit-codes.ts';
import { createSyncTrial } from '../support/app.ts';
import { run } from '../support/cli.ts';

/* `leadsheet api` at a terminal. */

const standin = createServiceStandin({ now: () => Date.now(), seed: 1, acceptedTokens: ['good-token'] });
addDemoData(standin.model, standin.world);
const folder = mkdtempSync(join(tmpdir(), 'leadsheet-'));
let server: RunningServer;
let env: Record<string, string>;

beforeAll(async () => {
  server = await serve(standin.app, 0);
  env = { OUTREACH_BASE_URL: server.url, OUTREACH_TOKEN: 'good-token' };
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

test('--list shows every operation with its parameters', async () => {
  const { code, stdout } = await run(['api', '--list']);
  expect(code).toBe(0);
  expect(stdout.match(/^\S+/gm)).toHaveLength(operationList.length);
  expect(stdout).toContain('contacts.upsert                   POST /leads/api/leads/upsert');
  expect(stdout).toContain('lead custom_fields list_uuid update_if_exists move_to_list');
});

test('--openapi prints the document', async () => {
  const { code, stdout } = await run(['api', '--openapi']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ openapi: '3.1.0' });
});

test('an operation is called by name, with parameters as the service names them', async () => {
  const { code, stdout, stderr } = await run(['api', 'contacts.search', '--limit', '2', '--order_type', 'desc'], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ total: 600, data: [{ team_id: 1001 }, { team_id: 1001 }] });
});

test('nested parameters have dots, other values than texts are JSON, and dashes do for underscores', async () => {
  const list = standin.model.lists.table.all().next().value?.uuid ?? '';
  const args = ['--lead.email', 'new@firm.test', '--lead.first-name=7', '--move-to-list', 'true', '--list-uuid', list];
  const { stdout } = await run(['api', 'contacts.upsert', ...args, '--custom_fields.segment', '5'], env);
  expect(JSON.parse(stdout)).toMatchObject({ work_email: 'new@firm.test', list_uuid: list });
  expect(standin.received.entries.at(-1)?.body).toMatchObject({
    lead: { email: 'new@firm.test' },
    move_to_list: true,
    custom_fields: { segment: '5' },
  });
});

test('a filter may be written as JSON', async () => {
  const filter = '{"created_at": {">=": "2000-01-01"}, "status": ["ok"]}';
  const { code } = await run(['api', 'contacts.search', '--filter', filter, '--limit', '1'], env);
  expect(code).toBe(0);
  expect(standin.received.entries.at(-1)?.body).toMatchObject({
    filter: { created_at: { '>=': '2000-01-01T00:00:00.000000Z' }, status: ['ok'] },
  });
});

test('--body reads a file, and parameters go before it', async () => {
  const body = file('body.json', '{"filter": {"status": "ok"}, "limit": 50}');
  await run(['api', 'contacts.search', '--body', `@${body}`, '--limit', '3'], env);
  expect(standin.received.entries.at(-1)?.body).toMatchObject({ filter: { status: 'ok' }, limit: 3 });
});

test('--filter.FIELD null finds what has no value there, as null in JSON does', async () => {
  const search = (...filter: string[]) => run(['api', 'contacts.search', '--limit', '1', ...filter], env);
  const totals = await Promise.all(
    [
      ['--filter.about', 'null'],
      ['--filter', '{"about": null}'],
      ['--filter.about', 'is_null'],
    ].map(async (filter) => (JSON.parse((await search(...filter)).stdout) as { total: number }).total),
  );
  expect(totals[0]).toBeGreaterThan(0);
  expect(new Set(totals).size).toBe(1);
});

test('--body - sends nothing, and names the way to read standard input', async () => {
  const to = ['--sender_profile_uuid', 'x', '--lead_uuid', 'y', '--yes'];
  const before = standin.received.entries.length;
  for (const operation of ['emails.send', 'lists.create']) {
    expect(await run(['api', operation, ...(operation === 'emails.send' ? to : []), '--body', '-'], env)).toMatchObject(
      {
        code: 64,
        stderr: expect.stringContaining('--body @- reads standard input'),
      },
    );
  }
  expect(standin.received.entries).toHaveLength(before);
});

test('an operation that lacks one of several parameters names these, and no option that does not exist', async () => {
  const { code, stderr } = await run(['api', 'contacts.lookup-one'], env);
  expect(code).toBe(64);
  expect(stderr).toContain('contacts.lookup-one: it needs network_id, or email, or both name and company_name.');
  expect(stderr).not.toContain('--input');
});

test('--body of emails.send is the text of the e-mail, as its help says, and still takes the whole input', async () => {
  const sender = [...standin.model.senderProfiles.table.all()][0]!.uuid;
  const contact = [...standin.model.contacts.all()][0]!.record.uuid;
  const to = ['--sender_profile_uuid', sender, '--lead_uuid', contact, '--subject', 'Hi', '--yes'];
  const send = (body: string) => run(['api', 'emails.send', ...to, '--body', body], env);
  const sent = () => standin.received.entries.at(-1)?.body;
  expect((await send('Hello there')).stderr).toBe('');
  expect(sent()).toMatchObject({ subject: 'Hi', body: 'Hello there' });
  await send('12');
  expect(sent()).toMatchObject({ body: '12' });
  await send(`@${file('letter.txt', 'Dear Ada,\nhello\n')}`);
  expect(sent()).toMatchObject({ body: 'Dear Ada,\nhello\n' });
  await send('{"body": "From JSON"}');
  expect(sent()).toMatchObject({ subject: 'Hi', body: 'From JSON' });
  const calls = standin.received.entries.length;
  expect(await send('{"body": "cut')).toMatchObject({ code: 64, stderr: expect.stringContaining('--body is no JSON') });
  expect(standin.received.entries).toHaveLength(calls);
});

test('a lookup without a hit is null, and deleting a missing contact is gone', async () => {
  expect(await run(['api', 'contacts.lookup-one', '--email', 'nobody@firm.test'], env)).toMatchObject({
    code: 0,
    stdout: 'null\n',
  });
  const nobody = '00000000-0000-4000-8000-000000000000';
  const args = ['api', 'contacts.delete', '--uuid', nobody, '--yes'];
  expect(await run(args, env)).toMatchObject({ code: 0, stdout: '"gone"\n' });
});

test('the token is read from a file', async () => {
  const tokenFile = file('token', 'good-token\n');
  const named = { OUTREACH_BASE_URL: server.url, OUTREACH_TOKEN_FILE: tokenFile };
  expect(await run(['api', 'lists.list'], named)).toMatchObject({ code: 0 });
  const flags = ['--base-url', `${server.url}/`, '--token-file', tokenFile];
  expect(await run(['api', 'lists.list', ...flags])).toMatchObject({ code: 0 });
});

test('--capture keeps every answer whole, for the owner of the file alone, and no token', async () => {
  const capture = join(folder, 'capture.ndjson');
  writeFileSync(capture, '');
  chmodSync(capture, 0o644);
  await run(['api', 'lists.list', '--capture', capture], env);
  await run(['api', 'lists.get', '--uuid', '00000000-0000-4000-8000-000000000000', '--capture', capture], env);
  const text = readFileSync(capture, 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toMatchObject([
    { operation: 'lists.list', status: 200 },
    { operation: 'lists.get', status: 404 },
  ]);
  expect(JSON.parse(String(lines[0]?.['text']))).toMatchObject({ total: 3 });
  expect(text).not.toContain('good-token');
  expect(statSync(capture).mode & 0o777).toBe(0o600);
});

test.each([
  ['an unknown operation', ['contact.get'], 'there is no operation contact.get, did you mean contacts.get?'],
  ['an unknown parameter', ['contacts.get', '--uid', 'x'], 'contacts.get has no parameter --uid, did you mean --uuid?'],
  [
    'an unknown nested one',
    ['contacts.upsert', '--lead.emal', 'x'],
    'no parameter --lead.emal, did you mean --lead.email?',
  ],
  [
    'an unknown filter',
    ['contacts.search', '--filter.statu', 'x'],
    'no parameter --filter.statu, did you mean --filter.status?',
  ],
  ['a parameter without a value', ['contacts.get', '--uuid'], 'contacts.get: --uuid needs a value'],
  ['a value without a parameter', ['contacts.get', 'x'], '"x" is no parameter; write --name value'],
  ['no operation', [], 'api needs an operation'],
  ['a body that is no JSON', ['lists.create', '--body', '{'], '--body is no JSON'],
  ['a body that is no object', ['lists.create', '--body', '[]'], '--body must be a JSON object'],
  [
    'a body file that is not there',
    ['lists.create', '--body', '@/nowhere'],
    'the file /nowhere of --body cannot be read (ENOENT)',
  ],
  [
    'a body the contract refuses',
    ['lists.create', '--name', ''],
    'lists.create: --name must not be blank. leadsheet api lists.create --help',
  ],
  ['a missing field', ['lists.create'], 'lists.create: --name is missing. leadsheet api lists.create --help shows'],
  [
    'a missing path parameter',
    ['contacts.get'],
    'leadsheet: contacts.get: --uuid is missing. leadsheet api contacts.get --help',
  ],
  ['a missing nested field', ['contacts.upsert', '--list_uuid', 'x'], 'contacts.upsert: --lead is missing'],
  ['two missing fields', ['emails.send', '--yes'], '--sender_profile_uuid is missing; --'],
  [
    'a word that is none of the list',
    ['contacts.search', '--order_type', 'up'],
    '--order_type must be one of asc, desc',
  ],
  ['a number that is too small', ['contacts.search', '--limit', '0'], '--limit must be 1 at least'],
  ['help for an operation that there is none of', ['contact.get', '--help'], 'did you mean contacts.get?'],
  ['two accounts', ['lists.list', '--config', 'x.yaml', '--base-url', 'http://127.0.0.1:1'], 'not both'],
  ['a number that is none', ['contacts.search', '--limit', 'many'], '--limit must be a number'],
  ['a timeout that is none', ['lists.list', '--timeout-secs', 'x'], '--timeout-secs must be a number of seconds'],
])('%s exits 64 with one line', async (_, args, message) => {
  const { code, stdout, stderr } = await run(['api', ...args], env);
  expect(stderr).toContain(message);
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test.each([
  [
    'no address',
    { OUTREACH_BASE_URL: '' },
    'no service address: set OUTREACH_BASE_URL, or give --base-url or --config',
  ],
  ['an address that is none', { OUTREACH_BASE_URL: 'outreach' }, 'is no http address'],
  ['plain http beyond this machine', { OUTREACH_BASE_URL: 'http://outreach.test' }, 'must be https'],
  ['no token', { OUTREACH_TOKEN: '' }, 'no token: set OUTREACH_TOKEN'],
  ['a token of two lines', { OUTREACH_TOKEN: 'a\nb' }, 'copy it again, as one word'],
  ['a token in quotes', { OUTREACH_TOKEN: '"a"' }, 'the token in OUTREACH_TOKEN has quotes around it; leave them out'],
  [
    'a token file that is not there',
    { OUTREACH_TOKEN: '', OUTREACH_TOKEN_FILE: '/nowhere' },
    '/nowhere cannot be read (ENOENT)',
  ],
  ['a token the service refuses', { OUTREACH_TOKEN: 'a-bad-token' }, 'does not accept the token'],
  ['a host nobody listens on', { OUTREACH_BASE_URL: 'http://127.0.0.1:1' }, 'lists.list: '],
])('%s is one clear line, exit 1, no stack', async (_, changed, message) => {
  const { code, stdout, stderr } = await run(['api', 'lists.list'], { ...env, ...changed });
  expect(stderr).toContain(message);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('a host that answers with a page is one clear line', async () => {
  await using other = await serve({ fetch: () => new Response('<!doctype html><title>Shop</title>') }, 0);
  const { code, stderr } = await run(['api', 'lists.list'], { ...env, OUTREACH_BASE_URL: other.url });
  expect(code).toBe(1);
  expect(stderr).toBe(
    'leadsheet: lists.list: answered an HTML page titled "Shop" instead of JSON (HTTP 200). ' +
      'Is crm.base_url (OUTREACH_BASE_URL) the address of the service?\n',
  );
});

test('a token that ends within a month is said, on the side', async () => {
  const token = await standin.signToken({ expiresAt: Date.now() + 10 * 24 * 3_600_000 });
  const { code, stderr, stdout } = await run(['api', 'lists.list'], { ...env, OUTREACH_TOKEN: token });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^leadsheet: the token expires on \d{4}-\d\d-\d\d, in 10 days; make a new API key in time\n$/);
  expect(JSON.parse(stdout)).toMatchObject({ total: 3 });
});

test('W8: a call that is stopped while it reads ends with the exit code of the signal', async () => {
  standin.faults.inject({ kind: 'hang', operation: 'lists.list' });
  const stopping = new AbortController();
  setTimeout(() => stopping.abort(new StopRequest('SIGINT')), 50);
  const { code, stderr } = await run(['api', 'lists.list'], env, { stop: stopping.signal });
  expect(code).toBe(130);
  expect(stderr).toMatch(/^leadsheet: stopping: .*\nleadsheet: stopped: nothing was changed\n$/);
});

test('every operation has help: what it does, whether it deletes or sends, its parameters with types and defaults', async () => {
  for (const { name, operation } of operationList) {
    const { code, stdout, stderr } = await run(['api', name, '--help']);
    expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' });
    expect(stdout).toContain(`${name}: ${operation.summary}\n`);
    expect({ name, isAsked: stdout.includes('--yes') }).toEqual({ name, isAsked: operation.confirm !== undefined });
    expect(stdout).not.toContain('undefined');
  }
  const { stdout } = await run(['api', 'contacts.search', '-h']);
  expect(stdout).toMatch(/ {2}--limit +a whole number, default 100 +page size/);
  expect(stdout).toContain('It changes nothing.');
  expect((await run(['api', 'contacts.get', '--help'])).stdout).toMatch(/ {2}--uuid {2}a text, required\n/);
  expect((await run(['api', 'contacts.upsert', '--help'])).stdout).toMatch(/ {2}--lead\.email +a text +a contactable/);
  expect((await run(['api', '--help'])).stdout).toContain('Usage: leadsheet api [options] [operation] [parameters...]');
});

test('each operation that deletes a record or has something sent asks first', () => {
  const asking = operationList.filter(({ operation }) => operation.confirm !== undefined).map(({ name }) => name);
  expect(asking).toEqual([
    'contacts.delete',
    'automations.start',
    'automations.add-contact',
    'automations.add-new-lead',
    'network-messages.send',
    'emails.send',
  ]);
  const deleting = operationList.filter(({ operation }) => operation.method === 'DELETE').map(({ name }) => name);
  expect(asking).toEqual(expect.arrayContaining(deleting));
});

/** A terminal at which a person types this. */
const typing = (text: string) => ({
  terminal: () => ({
    input: Readable.from([text]),
    output: new Writable({ write: (_chunk, _encoding, done) => done() }),
  }),
});

test('what deletes wants --yes or a yes at a terminal; anything else sends nothing', async () => {
  const { uuid } = standin.model.contacts.add({ fields: { first_name: 'Gone' } }).record;
  const args = ['api', 'contacts.delete', '--uuid', uuid];
  const isThere = () => [...standin.model.contacts.all()].some(({ record }) => record.uuid === uuid);
  const host = new URL(server.url).host;
  expect(await run(args, env)).toEqual({
    code: 64,
    stdout: '',
    stderr: `leadsheet: contacts.delete deletes the contact, on ${host}: if you are sure, add --yes\n`,
  });
  for (const answer of ['n\n', '\n', '', 'yesterday\n']) {
    const { code, stderr } = await run(args, env, typing(answer));
    expect(code).toBe(1);
    expect(stderr).toContain(`contacts.delete deletes the contact, on ${host}. Go on? [y/N] `);
    expect(stderr).toContain('leadsheet: not confirmed: nothing was sent\n');
  }
  expect(isThere()).toBe(true);
  expect(await run(args, env, typing('Yes\n'))).toMatchObject({ code: 0 });
  expect(isThere()).toBe(false);
});

test('without an address the account is that of the configuration; --config outweighs the environment', async () => {
  const trial = createSyncTrial();
  expect(JSON.parse((await trial.cli('api', 'lists.list')).stdout)).toMatchObject({ data: [{ name: 'Prospects' }] });
  const world = { transport: trial.transport };
  const named = await run(['api', 'lists.list', '--config', trial.configFile], env, world);
  expect(JSON.parse(named.stdout)).toMatchObject({ data: [{ name: 'Prospects' }] });
  const wrongToken = file('wrong-token', 'a-bad-token\n');
  const refused = await trial.cli('api', 'lists.list', '--token-file', wrongToken);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('does not accept the token') });
  const missing = await run(['api', 'lists.list', '--config', join(folder, 'nowhere.yaml')], env);
  expect(missing).toMatchObject({ code: 78, stderr: expect.stringContaining('nowhere.yaml') });
});
