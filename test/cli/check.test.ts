import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { checkAnswer } from '../../src/operator/answers/check.ts';
import { createSyncTrial } from '../support/app.ts';
import { run } from '../support/cli.ts';

/* `leadsheet check`, `leadsheet config`, and how every command reports a fault. */

type Trial = ReturnType<typeof createSyncTrial>;

async function findings(trial: Trial, ...args: string[]) {
  const { code, stdout } = await trial.cli('check', '--json', ...args);
  return { code, all: checkAnswer.parse(JSON.parse(stdout)).findings };
}

/** The findings that are not `ok`. */
async function wrong(trial: Trial, ...args: string[]) {
  const { code, all } = await findings(trial, ...args);
  return { code, wrong: all.filter(({ verdict }) => verdict === 'failed' || verdict === 'skipped') };
}

function editConfig({ configFile }: Trial, edit: (config: Record<string, any>) => void): void {
  const config = parse(readFileSync(configFile, 'utf8')) as Record<string, any>;
  edit(config);
  writeFileSync(configFile, stringify(config));
}

test('a configuration in order: everything is ok, exit 0, and nothing was changed', async () => {
  const trial = createSyncTrial();
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  const before = JSON.stringify([trial.grid(), trial.file.content.metadataById.size, trial.contacts()]);
  const { code, all } = await findings(trial);
  expect(code).toBe(0);
  expect(all.map(({ verdict, about, what }) => `${verdict} ${about} ${what}`)).toEqual([
    'ok file options',
    'ok service token',
    'ok prospects state',
    'ok service connection',
    'ok prospects list',
    'ok prospects contacts',
    'ok google credentials',
    'ok google endpoint',
    'ok prospects tab',
    'ok prospects headers',
    'ok prospects permission',
    'ok prospects protected ranges',
  ]);
  expect(all[3]!.detail).toBe('http://127.0.0.1:4010 is the stand-in and takes the token, 1 list');
  expect(JSON.stringify([trial.grid(), trial.file.content.metadataById.size, trial.contacts()])).toBe(before);
  expect((await trial.cli('check')).stdout).toMatch(
    /\nok {7}prospects: headers .*first run makes: Contact ID\n(.*\n)*\nall is well\n$/,
  );
});

test('--offline asks neither side, and looks at the credentials file all the same', async () => {
  const trial = createSyncTrial();
  const { code, all } = await findings(trial, '--offline');
  expect(code).toBe(0);
  expect(all.slice(-2)).toMatchObject([
    { verdict: 'ok', about: 'google', what: 'credentials' },
    { verdict: 'skipped', about: 'both sides' },
  ]);
  expect(trial.service.received.entries).toHaveLength(0);
  expect(trial.sheets.log.entries).toHaveLength(0);
});

test.each([
  ['is not there', undefined, 'there is no such file; correct google.credentials_file'],
  ['is no JSON', '{', 'is not JSON; download a new JSON key'],
  ['is of another kind', '{"installed": {}}', 'is an OAuth client, which opens nothing by itself'],
  ['has a broken key', '{"type":"service_account","client_email":"a@b.c","private_key":"x"}', 'private_key is broken'],
])('--offline: a credentials file that %s fails, with exit 1', async (_what, content, text) => {
  const trial = createSyncTrial();
  if (content === undefined) rmSync(trial.keyFile);
  else writeFileSync(trial.keyFile, content);
  expect(await wrong(trial, '--offline')).toMatchObject({
    code: 1,
    wrong: [
      { about: 'google', what: 'credentials', verdict: 'failed', detail: expect.stringContaining(text) },
      { about: 'both sides', verdict: 'skipped' },
    ],
  });
});

test.each([
  ['abc', 'ok', 'there is one; its expiry is not known'],
  [unsigned({ sub: '1' }), 'ok', 'there is one; its expiry is not known'],
  [unsigned({ exp: 'soon' }), 'ok', 'there is one; its expiry is not known'],
  [unsigned({ exp: 1e300 }), 'ok', 'there is one; its expiry is not known'],
  [unsigned({ exp: Date.UTC(2030, 0, 2) / 1000 }), 'ok', 'there is one; it expires on 2030-01-02'],
])('the expiry of the token %s is said only if it is known', async (token, verdict, detail) => {
  const trial = createSyncTrial();
  editConfig(trial, ({ crm }) => (crm.token = token));
  const { all } = await findings(trial, '--offline');
  expect(all[1]).toEqual({ about: 'service', what: 'token', verdict, detail });
});

/** A JWT without a signature, which only the service checks. */
function unsigned(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256' })}.${part(claims)}.x`;
}

test('a wrong file: a finding for each fault, exit 78', async () => {
  const trial = createSyncTrial({ sync: { conflict: 'crn', schedul: '* * * * *' } });
  const { code, wrong: found } = await wrong(trial);
  expect(code).toBe(78);
  expect(found.map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/leadsheet\.yaml:\d+:\d+: syncs\.prospects\.conflict: found "crn"; .*did you mean crm\?$/),
    expect.stringMatching(/leadsheet\.yaml:\d+:\d+: syncs\.prospects\.schedul: .*did you mean schedule\?$/),
  ]);
});

test('a wrong token stops the questions to the service, not those to the sheet', async () => {
  const trial = createSyncTrial();
  editConfig(trial, ({ crm }) => (crm.token = 'wrong'));
  const { code, wrong: found } = await wrong(trial);
  expect(code).toBe(1);
  expect(found).toMatchObject([
    {
      about: 'service',
      what: 'connection',
      verdict: 'failed',
      detail: expect.stringContaining('does not accept the token'),
    },
    { about: 'prospects', what: 'list', verdict: 'skipped' },
  ]);
});

test('a token that has ended, and one that ends soon, are said', async () => {
  const trial = createSyncTrial();
  for (const [days, text] of [
    [-1, 'the token expired on 2026-11-20'],
    [5, 'the token expires on 2026-11-26, in 5 days'],
  ] as const) {
    const token = await trial.service.signToken({ expiresAt: Date.now() + days * 86_400_000 });
    editConfig(trial, ({ crm }) => (crm.token = token));
    const { all } = await findings(trial, '--offline');
    expect(all[1]).toMatchObject({ what: 'token', verdict: 'warning', detail: expect.stringContaining(text) });
  }
});

test('no list of that name, several of that name, and a uuid that is no list', async () => {
  const trial = createSyncTrial({ sync: { contacts: { list: 'Prospect' } } });
  expect((await wrong(trial)).wrong[0]!.detail).toBe(
    'there is no list "Prospect", did you mean Prospects? Lists that there are, nearest first: Prospects. ' +
      'Correct contacts.list of prospects, make the list in the service, or set contacts.create_list',
  );
  trial.service.model.lists.add({ name: 'Prospect' });
  trial.service.model.lists.add({ name: 'Prospect' });
  expect((await wrong(trial)).wrong[0]!.detail).toContain('2 lists are called "Prospect"');
  editConfig(trial, ({ syncs }) => (syncs.prospects.contacts.list = '00000000-0000-4000-8000-000000000000'));
  expect((await wrong(trial)).wrong[0]).toMatchObject({ what: 'list', detail: expect.stringContaining('HTTP 404') });
});

test('a list that is misspelt: all lists are named, the nearest first, by check and by a run', async () => {
  const trial = createSyncTrial({ sync: { contacts: { list: 'prospekts emea' } } });
  for (const name of ['Zeta', 'Prospects APAC', 'Prospects EMEA']) trial.service.model.lists.add({ name });
  const text =
    'there is no list "prospekts emea", did you mean Prospects EMEA? ' +
    'Lists that there are, nearest first: Prospects EMEA, Prospects, Prospects APAC, Zeta. ';
  expect((await wrong(trial)).wrong[0]!.detail).toContain(text);
  expect((await trial.cli('sync')).stdout).toContain(text);
});

test('of many lists fifty are named, and of none that there is none', async () => {
  const trial = createSyncTrial({ sync: { contacts: { list: 'Leads' } } });
  for (let index = 0; index < 120; index += 1) trial.service.model.lists.add({ name: `List ${index}` });
  expect((await wrong(trial)).wrong[0]!.detail).toMatch(
    /^there is no list "Leads"\. Lists .*: List 0,.* and 71 more\. /,
  );
  const empty = createSyncTrial({
    sync: { contacts: { list: 'Leads' } },
    around: async (request, next) => {
      const answer = await next(request);
      if (!new URL(request.url).pathname.endsWith('/lists')) return answer;
      return Response.json({ ...((await answer.json()) as object), data: [], total: 0 });
    },
  });
  expect((await wrong(empty)).wrong[0]!.detail).toContain('there is no list "Leads", and the service shows no other: ');
});

test('create_list with nearly the name of a list that is there is a warning', async () => {
  const contacts = (list: string) => ({ sync: { contacts: { list, create_list: true } } });
  const verdict = async (list: string) => (await findings(createSyncTrial(contacts(list)))).all[4];
  expect(await verdict('prospects')).toMatchObject({
    verdict: 'warning',
    detail: expect.stringContaining('makes it; did you mean "Prospects"? Then correct contacts.list'),
  });
  expect(await verdict('Prospects 2')).toMatchObject({ verdict: 'ok' });
});

test('credentials that are not there: the rest of the sheet is skipped, the service is not', async () => {
  const trial = createSyncTrial();
  rmSync(trial.keyFile);
  expect(await wrong(trial)).toMatchObject({
    code: 1,
    wrong: [
      { about: 'google', what: 'credentials', detail: expect.stringContaining('correct google.credentials_file') },
      { about: 'prospects', what: 'tab', verdict: 'skipped' },
    ],
  });
});

test('a tab that is not there is answered with those that are', async () => {
  const trial = createSyncTrial();
  trial.person.renameTab('Prospects', 'People');
  const { wrong: found } = await wrong(trial);
  expect(found).toMatchObject([
    { what: 'tab', detail: expect.stringContaining('has no tab "Prospects"; it has People') },
    { what: 'headers and permissions', verdict: 'skipped' },
  ]);
});

test('W11: a tab that was renamed after a run is told as the one in which the runs go on', async () => {
  const trial = createSyncTrial({ values: [['First name', 'Last name', 'Company', 'Email', 'Status']] });
  await trial.run();
  trial.person.renameTab('Prospects', 'People');
  trial.addContact({ first_name: 'Ann', email: 'ann@firm.io' });
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { appended: 1 } });
  const { code, all } = await findings(trial);
  expect(code).toBe(0);
  expect(all.filter(({ what }) => what === 'tab' || what === 'headers')).toMatchObject([
    { what: 'tab', verdict: 'warning', detail: expect.stringContaining('"Prospects" is "People" now (gid:7)') },
    { what: 'headers', verdict: 'ok' },
  ]);
  trial.person.request({ addSheet: { properties: { title: 'Other' } } }, { deleteSheet: { sheetId: 7 } });
  expect((await wrong(trial)).wrong[0]).toMatchObject({
    verdict: 'failed',
    detail: expect.stringContaining('has no tab "Prospects"; it has Other'),
  });
});

test('a spreadsheet that is not shared, and one that may only be read', async () => {
  const trial = createSyncTrial();
  const { email } = trial.account;
  trial.file.sharedWith.set(email, 'reader');
  expect((await wrong(trial)).wrong).toMatchObject([
    { what: 'permission', detail: expect.stringContaining('an editor') },
  ]);
  trial.file.sharedWith.delete(email);
  expect((await wrong(trial)).wrong[0]).toMatchObject({
    what: 'tab',
    detail: expect.stringContaining('is not shared with'),
  });
});

test('headers: none of them, one there twice, and one misspelt', async () => {
  const values = [['Vorname', 'Nachname']];
  expect((await wrong(createSyncTrial({ values }))).wrong).toMatchObject([
    {
      what: 'headers',
      detail: expect.stringContaining('none of the mapped headers is in row 1, which says "Vorname"'),
    },
  ]);
  const twice = createSyncTrial({ values: [['First name', 'Email', 'Email']] });
  expect((await wrong(twice)).wrong).toMatchObject([
    { what: 'headers', detail: 'there twice: "Email" in columns B and C; rename one of them' },
  ]);
});

test.each([
  ['Firstname', 'First name'],
  ['Compny', 'Company'],
  ['E-mail', 'Email'],
])(
  'W11: with the header %j beside no %j, check fails and names both, and a run writes nothing',
  async (typed, wanted) => {
    const headers = ['First name', 'Last name', 'Company', 'Email', 'Status'];
    const values = [headers.map((header) => (header === wanted ? typed : header)), ['Ann', 'A', 'Firm', 'ann@firm.io']];
    const trial = createSyncTrial({ values });
    trial.addContact({ first_name: 'Bob', email: 'bob@firm.io' });
    const text =
      `the header "${wanted}" is not there, and "${typed}" is: rename it to "${wanted}" or write "${typed}" into columns; ` +
      `if they are two columns, type "${wanted}" into a free cell of the header row`;
    expect(await wrong(trial)).toMatchObject({ code: 1, wrong: [{ what: 'headers', detail: text }] });
    const before = JSON.stringify([trial.person.read("'Prospects'"), trial.contacts()]);
    for (const command of ['plan', 'sync', 'sync']) {
      const { code, stdout } = await trial.cli(command);
      expect({ command, code }).toEqual({ command, code: 1 });
      expect(stdout).toContain(`in the tab "Prospects" ${text}. Nothing was written`);
    }
    expect(JSON.stringify([trial.person.read("'Prospects'"), trial.contacts()])).toBe(before);
    // The first remedy.
    trial.person.paste(`Prospects!${String.fromCodePoint(65 + headers.indexOf(wanted))}1`, [[wanted]]);
    expect((await wrong(trial)).code).toBe(0);
    expect((await trial.cli('sync')).code).toBe(0);
    expect(trial.grid()).toMatchObject([{ Email: 'ann@firm.io' }, { Email: 'bob@firm.io' }]);
  },
);

test('W11: two columns with nearly one header are both kept once both headers are typed', async () => {
  const trial = createSyncTrial({ values: [['First name', 'Last name', 'Compny', 'Email', 'Status']] });
  trial.addContact({ first_name: 'Bob', company_name: 'Firm', email: 'bob@firm.io' });
  trial.person.paste('Prospects!F1', [['Company']]);
  expect((await wrong(trial)).code).toBe(0);
  expect((await trial.cli('sync')).code).toBe(0);
  expect(trial.grid()).toMatchObject([{ Email: 'bob@firm.io', Company: 'Firm' }]);
  expect(trial.grid()[0]).not.toHaveProperty('Compny');
});

test('W11: a header with another number, and a short one with another letter, are other columns', async () => {
  const columns = { Email: 'email', 'Phone 2': 'position', Role: 'headline' };
  const trial = createSyncTrial({ values: [['Email', 'Phone 1', 'Rule']], columns });
  expect((await wrong(trial)).code).toBe(0);
  expect((await trial.cli('sync')).code).toBe(0);
});

test('W11: a column that is new in the mapping is not made beside nearly its own header', async () => {
  const columns = { Email: 'email' };
  const trial = createSyncTrial({
    values: [
      ['Email', 'Firstname'],
      ['ann@firm.io', 'Ann'],
    ],
    columns,
  });
  expect((await trial.cli('sync')).code).toBe(0);
  editConfig(trial, ({ syncs }) => (syncs.prospects.columns = { ...columns, 'First name': 'first_name' }));
  const { code, stdout } = await trial.cli('sync');
  expect({ code, first: trial.contacts()[0]!.first_name }).toEqual({ code: 1, first: null });
  expect(stdout).toContain('the header "First name" is not there, and "Firstname" is');
  trial.person.paste('Prospects!B1', [['First name']]);
  expect((await trial.cli('sync')).code).toBe(0);
  expect(trial.contacts()[0]!.first_name).toBe('Ann');
});

test('a protected range over our columns', async () => {
  const trial = createSyncTrial();
  const range = { sheetId: 7, startColumnIndex: 2, endColumnIndex: 4 };
  trial.person.request({ addProtectedRange: { protectedRange: { range } } });
  expect((await wrong(trial)).wrong).toMatchObject([
    { what: 'protected ranges', detail: expect.stringContaining('may not edit C:D: its owner can add the account') },
  ]);
});

test('a gid and a title of the same tab', async () => {
  const trial = createSyncTrial();
  editConfig(trial, ({ syncs }) => {
    syncs.again = structuredClone(syncs.prospects);
    syncs.again.sheet.tab = 'gid:7';
  });
  expect(await wrong(trial)).toMatchObject({
    code: 1,
    wrong: [{ about: 'again', what: 'tab', detail: expect.stringContaining('is the tab that prospects writes') }],
  });
});

test('an unreachable service is a finding and does not end the check', async () => {
  const trial = createSyncTrial({
    around: async (request, next) => {
      if (request.url.includes(':4010')) throw Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' });
      return next(request);
    },
  });
  const { code, wrong: found } = await wrong(trial);
  expect(code).toBe(1);
  expect(found[0]!.detail).toContain('nothing listens at that address');
  expect(found).toHaveLength(2);
});

test('every command answers a wrong file with exit 78 and every fault, before any request', async () => {
  const trial = createSyncTrial({ sync: { conflict: 'crn', settle_secs: -1 } });
  const commands = [['sync'], ['plan'], ['status'], ['log'], ['conflicts'], ['retry'], ['config']];
  for (const command of [...commands, ['resolve', 'x', '--use', 'crm'], ['approve', 'x', '--run', 'y']]) {
    const { code, stdout, stderr } = await trial.cli(...command);
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/leadsheet\.yaml:\d+:\d+: syncs\.prospects\.conflict: found "crn"/),
      expect.stringMatching(/leadsheet\.yaml:\d+:\d+: syncs\.prospects\.settle_secs: found -1/),
      'leadsheet: the configuration has 2 things to correct; nothing was done',
      '',
    ]);
  }
  expect([...trial.service.received.entries, ...trial.sheets.log.entries]).toHaveLength(0);
});

test('a failure of the spreadsheet or of the state is one line and exit 1, without a stack', async () => {
  const trial = createSyncTrial();
  rmSync(trial.keyFile);
  const { code, stderr } = await trial.cli('sync');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `leadsheet: ${trial.keyFile}: there is no such file; correct google.credentials_file\n`,
  });
  writeFileSync(join(trial.folder, 'state'), 'not a folder');
  const status = await trial.cli('status');
  expect(status.code).toBe(1);
  expect(status.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(status.stderr).toMatch(/^leadsheet: .*state/);
});

test('the file is --config, else LEADSHEET_CONFIG, else config/leadsheet.yaml', async () => {
  const none = await run(['status']);
  expect(none.code).toBe(78);
  expect(none.stderr).toMatch(/^config\/leadsheet\.yaml: found no such file/);
  expect((await run(['status', '--config', '/nowhere.yaml'], { LEADSHEET_CONFIG: 'x' })).stderr).toMatch(
    /^\/nowhere\.yaml/,
  );
  expect((await run(['--config', '/nowhere.yaml', 'status'])).stderr).toMatch(/^\/nowhere\.yaml/);
});

test('config prints the effective options with defaults and without secrets, the schema, and an example with every option', async () => {
  const trial = createSyncTrial();
  const { code, stdout } = await trial.cli('config');
  expect(code).toBe(0);
  expect(parse(stdout)).toMatchObject({
    crm: { token: '[secret]', concurrency: 2 },
    syncs: { prospects: { conflict: 'manual' } },
  });
  expect(stdout).not.toContain('the-token-of-the-tests');
  expect(JSON.parse((await trial.cli('config', '--effective', '--json')).stdout)).toEqual(parse(stdout));
  expect(JSON.parse((await trial.cli('config', '--schema')).stdout)).toMatchObject({ title: 'leadsheet' });
  expect((await run(['config', '--example'])).stdout).toBe(readFileSync('config/example.yaml', 'utf8'));
  expect((await run(['config', '--schema', '--example'])).code).toBe(64);
});

test('files with secrets that other accounts may read, and a state that they may change, are warnings with a remedy', async () => {
  const trial = createSyncTrial();
  const [tokenFile, state] = [join(trial.folder, 'token'), join(trial.folder, 'state')];
  writeFileSync(tokenFile, 'the-token-of-the-tests');
  editConfig(trial, (config) => {
    config['crm'] = { base_url: config['crm'].base_url, token_file: tokenFile };
  });
  mkdirSync(state);
  const modes: readonly (readonly [string, number])[] = [
    [trial.configFile, 0o664],
    [tokenFile, 0o640],
    [trial.keyFile, 0o666],
    [state, 0o777],
  ];
  for (const [path, mode] of modes) chmodSync(path, mode);
  const { code, all } = await findings(trial, '--offline');
  expect(code).toBe(0);
  expect(all.filter(({ verdict }) => verdict === 'warning')).toMatchObject([
    {
      about: 'file',
      what: 'permissions',
      detail: expect.stringMatching(/has mode 664.*change it.*chmod go-w \S+yaml$/),
    },
    { about: 'service', what: 'token file', detail: expect.stringMatching(/has mode 640.*may read it\. .*chmod 600/) },
    {
      about: 'google',
      what: 'credentials file',
      detail: expect.stringMatching(/mode 666.*may read and change it.*chmod 600/),
    },
    { about: 'state', what: 'folder', detail: expect.stringMatching(/has mode 777.*chmod 700 \S+state$/) },
  ]);
  chmodSync(trial.configFile, 0o644);
  chmodSync(tokenFile, 0o600);
  chmodSync(trial.keyFile, 0o400);
  chmodSync(state, 0o755);
  expect((await findings(trial, '--offline')).all.filter(({ verdict }) => verdict === 'warning')).toEqual([]);
});

const hintsIn = ({ all }: Awaited<ReturnType<typeof findings>>) => all.filter(({ what }) => what === 'hints');

test('W14: a long tab is named with the setting that spares its reading, unless that is set', async () => {
  const trial = createSyncTrial();
  const makeRows = (count: number) => {
    const { content } = trial.file;
    const sheet = content.sheets[0]!;
    content.resize(sheet, count, sheet.columnCount);
  };
  makeRows(19_999);
  expect(hintsIn(await findings(trial))).toEqual([]);
  makeRows(20_000);
  expect(hintsIn(await findings(trial))).toEqual([
    {
      verdict: 'ok',
      about: 'google',
      what: 'hints',
      detail: expect.stringMatching(/^"Prospects" has 20000 rows, .*: google: \{ hints: version \}/),
    },
  ]);
  editConfig(trial, (config) => (config['google'].hints = 'version'));
  expect(hintsIn(await findings(trial))).toMatchObject([{ detail: 'Drive tells about 1 spreadsheet, by version' }]);
});

test('W14: tabs that are read for most of what the account may read are counted, and beyond that it is a warning', async () => {
  const trial = createSyncTrial();
  const readsPerMinute = (reads: number) =>
    editConfig(trial, ({ google, syncs }) => {
      google.reads_per_minute = reads;
      // Two jobs on one tab are refused for another reason, and two reads all the same.
      syncs.other = { ...syncs.prospects, sheet: { ...syncs.prospects.sheet, tab: 'gid:7' } };
    });
  readsPerMinute(8);
  expect(hintsIn(await findings(trial))).toEqual([]);
  readsPerMinute(7);
  expect(hintsIn(await findings(trial))).toMatchObject([
    { verdict: 'ok', detail: expect.stringMatching(/^2 tabs are read 4 times a minute, of 7\. .*hints: version/) },
  ]);
  readsPerMinute(3);
  expect(hintsIn(await findings(trial))).toMatchObject([{ verdict: 'warning' }]);
});

test('W15: full looks for most of what the account may read are a warning, with the full_look to copy', async () => {
  const trial = createSyncTrial({ google: { hints: 'changes', reads_per_minute: 3 } });
  const fullLook = (text: string) => editConfig(trial, ({ syncs }) => (syncs.prospects.sheet.full_look = text));
  fullLook('30s');
  expect(hintsIn(await findings(trial))).toMatchObject([
    { verdict: 'warning', detail: expect.stringContaining('full looks read 2 times a minute, of 3: full_look: 1m') },
  ]);
  fullLook('1m');
  expect(hintsIn(await findings(trial))).toMatchObject([{ verdict: 'ok' }]);
});

const ok = { filter: { status: 'ok' } };

test.each([
  ['one list', {}, {}, true],
  ['a list and a part of it', {}, ok, true],
  ['one part of a list', ok, ok, true],
  ['two parts of a list', ok, { filter: { status: 'no_contact_data' } }, false],
])('E1: two syncs that enrol the people of %s: whether check warns', async (_what, first, second, isTold) => {
  const trial = createSyncTrial();
  editConfig(trial, ({ syncs }) => {
    const { prospects } = syncs;
    prospects.automation = { column: 'Automation', result_column: 'Result' };
    const contactsOf = (part: object) => ({ ...prospects.contacts, ...part });
    syncs.second = { ...prospects, sheet: { ...prospects.sheet, tab: 'Second' }, contacts: contactsOf(second) };
    syncs.prospects = { ...prospects, contacts: contactsOf(first) };
  });
  const told = (await findings(trial, '--offline')).all.filter(({ what }) => what === 'automation');
  const detail = expect.stringMatching(
    /^second and prospects show the list .* is enrolled twice; leave the column to one/,
  );
  expect(told).toEqual(isTold ? [{ verdict: 'warning', about: 'second', what: 'automation', detail }] : []);
});
