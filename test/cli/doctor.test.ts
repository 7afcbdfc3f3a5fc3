import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { sealChunks, unsealBytes } from '../../src/state/file/seal.ts';
import { type DoctorAnswer, doctorAnswer } from '../../src/operator/answers/doctor.ts';
import { createOutboxTrial } from '../engine/outbox/support.ts';
import { createSyncTrial } from '../support/app.ts';
import { run } from '../support/cli.ts';
import { createDaemonTrial, until } from '../support/daemon.ts';

/* The command `doctor`: how an installation stands, also a broken one. */

type Trial = Pick<ReturnType<typeof createSyncTrial>, 'cli' | 'configFile'>;

/** As a process of this machine, which sees those that run on it. */
async function examine(trial: Trial): Promise<DoctorAnswer> {
  const { code, stdout, stderr } = await run(['doctor', '--json'], { LEADSHEET_CONFIG: trial.configFile });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return doctorAnswer.parse(JSON.parse(stdout));
}

function edit(trial: Trial, change: (file: Record<string, unknown>) => void): void {
  const file = parse(readFileSync(trial.configFile, 'utf8')) as Record<string, unknown>;
  change(file);
  writeFileSync(trial.configFile, stringify(file));
}

test('doctor of a sync that ran has versions, what the file sets, the state and its index, and nothing that is wrong', async () => {
  const trial = createSyncTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  await trial.run();
  await run(['runs'], { LEADSHEET_CONFIG: trial.configFile });
  const answer = await examine(trial);
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(answer.versions).toMatchObject({ leadsheet: version, node: process.versions.node, state_driver: 'files' });
  expect(answer.configuration).toMatchObject({ path: trial.configFile, faults: [] });
  expect(answer.configuration.sections.find(({ name }) => name === 'prospects')?.options).toContainEqual({
    option: 'contacts.list',
    value: 'Prospects',
    is_default: false,
  });
  expect(answer.state).toMatchObject({ is_there: true, is_default: false, schema: null, schema_known: 2, fault: null });
  expect(answer.state.index?.bytes).toBeGreaterThan(0);
  const [job] = answer.state.jobs;
  expect(job).toMatchObject({ name: 'prospects', kind: 'sync', schema: 2, holder: null, fault: null, notices: [] });
  expect(job!.bytes).toBeGreaterThan(100);
  expect(job!.records).toBeGreaterThan(1);
  expect(Date.parse(job!.folded_at!)).toBeGreaterThan(0);
  expect(answer).toMatchObject({ errors: [], findings: [], daemon: { state: 'unknown', workers: null } });
  const { stdout } = await trial.cli('doctor');
  for (const title of ['Versions', 'Configuration', 'State', 'Daemon', 'Last errors', 'Findings'])
    expect(stdout).toMatch(new RegExp(`^${title}$`, 'm'));
  expect(stdout).toContain('nothing is wrong');
});

test('doctor shows no secret, no value of a contact and no e-mail address, whatever is full of them', async () => {
  const secret = (what: string) => `marker-secret-${what}-0123456789`;
  const person = { first_name: 'MarkerFirst', last_name: 'MarkerLast', company_name: 'MarkerFirm' };
  const trial = createSyncTrial({
    sync: { conflict: 'manual' },
    around: async (request, next) =>
      isRefusing && request.url.includes('/leads/')
        ? Response.json({ message: `refused "MarkerFirst MarkerLast" <marker@person.io>` }, { status: 422 })
        : next(request),
  });
  let isRefusing = false;
  trial.addContact({ ...person, email: 'marker@person.io' });
  trial.addContact({ ...person, first_name: 'MarkerSecond', email: 'marker2@person.io' });
  await trial.run();
  trial.change('marker@person.io', { company_name: 'MarkerTheirs' });
  trial.type('marker@person.io', 'Company', 'MarkerOurs');
  trial.type('marker2@person.io', 'Email', 'marker@person.io');
  await trial.run();
  isRefusing = true;
  await trial.run();
  edit(trial, (file) => {
    Object.assign(file['crm'] as object, { token: secret('token') });
    file['alerts'] = { webhook_url: `https://alerts.test/${secret('alert')}` };
    file['server'] = {
      listen: '127.0.0.1:0',
      hook_secret: secret('hook'),
      password: secret('password'),
      users: [{ name: 'marker@user.io', role: 'viewer', password_hash: scrypt }],
      trusted_proxy: { from: ['127.0.0.1'], header: 'X-User', roles: { 'marker@proxy.io': 'operator' } },
    };
    file['postgres'] = { password: secret('database') };
  });
  const env = {
    LEADSHEET_CONFIG: trial.configFile,
    OUTREACH_TOKEN: secret('env'),
    HTTPS_PROXY: `http://u:${secret('proxy')}@p:1`,
  };
  const [text, json] = await Promise.all([run(['doctor'], env), run(['doctor', '--json'], env)]);
  const answer = doctorAnswer.parse(JSON.parse(json.stdout));
  // There is something to hide: each kind of source is in the answer.
  expect(answer.configuration.faults).toEqual([]);
  expect(answer.configuration.sections.map(({ name }) => name)).toEqual(expect.arrayContaining(['server', 'alerts']));
  expect(answer.errors.length).toBeGreaterThan(0);
  expect(answer.state.jobs[0]!.problems.length).toBeGreaterThan(0);
  expect(answer.environment).toEqual(['LEADSHEET_CONFIG', 'OUTREACH_TOKEN', 'HTTPS_PROXY']);
  for (const printed of [text, json]) {
    expect(printed.code).toBe(0);
    expect(printed.stdout + printed.stderr).not.toMatch(/marker|scrypt/i);
  }
});

/** Of a password that nobody has. */
const scrypt = '$scrypt$ln=17,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g';

test('doctor shows no text of a message and no name of an outbox', async () => {
  const trial = createOutboxTrial();
  await trial.ready(['ann@firm.io', 'Sales', 'MarkerText', 'yes']);
  await trial.run();
  const { stdout } = await trial.cli('doctor');
  expect(stdout).toMatch(/messages: outbox, .* record/);
  expect(stdout).not.toMatch(/MarkerText|firm\.io|Ann/);
});

test.each([
  ['no file', () => undefined],
  ['no YAML', (text: string) => `${text}\n  crm: [marker-secret-0123456789\n`],
  ['an unknown option beside a token', (text: string) => text.replace('token:', 'tokn:')],
  [
    'a token where an address belongs',
    (text: string) => text.replace(/base_url: .*/, 'base_url: marker-secret-0123456789'),
  ],
  [
    'a password as the place of the state',
    (text: string) => text.replace(/state: .*/, 'state: pg://a:marker-secret-0123456789@h/d'),
  ],
])('a configuration with faults (%s) is told without what it quotes, and the rest is looked at', async (_, breaks) => {
  const trial = createSyncTrial();
  await trial.run();
  edit(trial, (file) => Object.assign(file['crm'] as object, { token: 'marker-secret-0123456789' }));
  const text = breaks(readFileSync(trial.configFile, 'utf8'));
  if (text === undefined) rmSync(trial.configFile);
  else writeFileSync(trial.configFile, text);
  const answer = await examine(trial);
  expect(answer.configuration.faults.length).toBeGreaterThan(0);
  expect(answer.configuration.faults.join('\n')).toContain(trial.configFile);
  expect(answer.findings).toContainEqual(expect.objectContaining({ verdict: 'failed', about: 'configuration' }));
  expect(answer.state.place).toBe('file:./state');
  expect(JSON.stringify(answer)).not.toContain('marker');
  expect((await trial.cli('doctor')).stdout).not.toContain('marker');
});

test('one job with a fault leaves the others in, and the state where it is', async () => {
  const trial = createSyncTrial();
  await trial.run();
  edit(trial, (file) => Object.assign(file['syncs'] as object, { bad: { contacts: { list: 'marker@person.io' } } }));
  const answer = await examine(trial);
  expect(answer.state.jobs).toMatchObject([{ name: 'prospects', kind: 'sync', fault: null }]);
  expect(answer.configuration.faults.length).toBeGreaterThan(0);
  expect(JSON.stringify(answer)).not.toContain('marker@person.io');
});

test('a state that is missing, newer, foreign or damaged is told of each job, with what to do', async () => {
  const trial = createSyncTrial();
  const state = join(trial.folder, 'state');
  expect((await examine(trial)).state).toMatchObject({ is_there: false, bytes: 0, fault: null });
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  await trial.run();
  const document = join(state, 'prospects', 'base.json');
  const whole = readFileSync(document);

  writeFileSync(document, '{"schema":2,"sync":"prospects"');
  const damaged = await examine(trial);
  expect(damaged.state.jobs[0]!.notices.length).toBeGreaterThan(0);
  expect(damaged.findings).toContainEqual(
    expect.objectContaining({ about: 'prospects', detail: expect.stringContaining('leadsheet state check config') }),
  );

  writeFileSync(document, whole);
  const rewrite = (from: string, to: string) => {
    for (const name of readdirSync(join(state, 'prospects')).filter((each) => /^(base|outbox)\..*json$/.test(each))) {
      const path = join(state, 'prospects', name);
      const text = unsealBytes(readFileSync(path))!.toString('utf8');
      writeFileSync(path, Buffer.concat([...sealChunks([text.replace(from, to)])]));
    }
  };
  rewrite('"schema":2', '"schema":99');
  const newer = await examine(trial);
  expect(newer.state.jobs[0]).toMatchObject({
    schema: 99,
    records: null,
    fault: expect.stringContaining('newer leadsheet'),
  });
  expect(newer.findings).toMatchObject([{ verdict: 'failed', about: 'prospects', detail: newer.state.jobs[0]!.fault }]);

  rewrite('"schema":99', '"schema":2');
  rewrite('"sync":"prospects"', '"sync":"customers"');
  const foreign = await examine(trial);
  expect(foreign.state.jobs[0]).toMatchObject({ name: 'prospects', records: null });
  expect(foreign.findings).toMatchObject([
    { verdict: 'failed', about: 'prospects', detail: expect.stringContaining('this is the state of sync') },
  ]);
  // Looking changes nothing.
  rewrite('"sync":"customers"', '"sync":"prospects"');
  expect(readFileSync(document).equals(whole)).toBe(true);
  expect((await examine(trial)).findings).toEqual([]);

  rmSync(state, { recursive: true });
  writeFileSync(state, 'a file');
  const noFolder = await examine(trial);
  expect(noFolder.state).toMatchObject({ jobs: [], fault: expect.stringContaining(state) });
  expect(noFolder.findings).toContainEqual(expect.objectContaining({ verdict: 'failed', about: 'state' }));
});

test('the state of a job that is not configured any more, and a lease whose holder has ended, are named', async () => {
  const trial = createSyncTrial();
  await trial.run();
  const folder = join(trial.folder, 'state', 'old');
  mkdirSync(folder);
  const host = hostname();
  const gone = { sync: 'old', host, pid: 4_194_305, since: '2026-11-21T09:00:00.000Z', start: null, token: 't' };
  writeFileSync(join(folder, 'lock'), `${JSON.stringify(gone)}\n`);
  const { state, findings } = await examine(trial);
  expect(state.jobs.find(({ name }) => name === 'old')).toMatchObject({
    kind: null,
    holder: `process 4194305 on ${host}, since 2026-11-21T09:00:00.000Z`,
    is_holder_running: false,
  });
  expect(findings.filter(({ about }) => about === 'old')).toHaveLength(2);
});

test('a daemon that runs, and one that hangs, are told with process and version', async () => {
  const trial = createDaemonTrial();
  const { stop } = await trial.begin();
  await until(() => trial.said('run ended').length > 0);
  const running = await examine(trial);
  expect(running.daemon).toMatchObject({ state: 'running', pid: process.pid, version: running.versions.leadsheet });
  expect(running.state.jobs[0]).toMatchObject({ phase: expect.stringMatching(/idle|running/) });
  expect(running.findings).toEqual([]);
  await stop();
  expect((await examine(trial)).daemon).toMatchObject({ state: 'ended', pid: process.pid });

  const hanging = createServer(() => {}).listen(join(trial.stateFolder, '.daemon.sock'));
  onTestFinished(() => void hanging.close());
  const silent = await examine(trial);
  expect(silent.daemon).toMatchObject({ state: 'silent', version: null, notice: expect.stringContaining('answer') });
  expect(silent.findings).toContainEqual(
    expect.objectContaining({ about: 'daemon', verdict: 'failed', detail: expect.stringContaining('leadsheet run') }),
  );
});

test('hostile names forge no line of doctor', async () => {
  const hostile = 'x\u001b[2J\r\n  forged line';
  const trial = createSyncTrial();
  appendFileSync(trial.configFile, '\n"a\\e[2J\\n  forged line": 1\n');
  mkdirSync(join(trial.folder, 'state', encodeURIComponent(hostile)), { recursive: true });
  const { stdout } = await trial.cli('doctor');
  expect(stdout).not.toContain('\u001b');
  expect(stdout).not.toMatch(/^ *forged line/m);
});

test('a job whose last run failed is named, without a daemon, until a run of it succeeds', async () => {
  let isRefused = true;
  const trial = createSyncTrial({
    around: async (request, next) =>
      isRefused ? Response.json({ message: 'Unauthenticated.' }, { status: 401 }) : next(request),
  });
  expect(await trial.cli('sync')).toMatchObject({ code: 1 });
  const detail = 'Its last run failed. See why: leadsheet status prospects';
  expect((await examine(trial)).findings).toEqual([{ verdict: 'failed', about: 'prospects', detail }]);
  expect((await trial.cli('doctor')).stdout).toContain(detail);
  isRefused = false;
  await trial.start();
  expect(await trial.cli('sync')).toMatchObject({ code: 0 });
  expect((await examine(trial)).findings).toEqual([]);
});
