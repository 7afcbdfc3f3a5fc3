import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectiveConfig } from '../../src/config/effective.ts';
import { readConfigFile } from '../../src/app-config.ts';
import { defaultOf, load, problemsOf } from '../support/config.ts';
import { feed, start, sync } from './files.ts';
import { outreachDescription } from '../../src/crm/outreach/description.ts';

const readFile = (file: string) => readFileSync(file, 'utf8');

describe('a file with only the required options', () => {
  const config = load(start + sync());

  test('has a default for each other option', () => {
    expect(config).toMatchObject({
      path: 'c.yaml',
      accounts: new Map([['default', expect.anything()]]),
      state: { kind: 'file', folder: './state' },
      server: { host: '127.0.0.1', port: 4000 },
      log: { level: 'info', format: 'json', contactDetails: 'hidden' },
      feeds: [],
      outboxes: [],
    });
    expect(defaultOf(config)).toMatchObject({
      name: 'default',
      crm: { baseUrl: 'https://crm.example', requestsPerMinute: 240, concurrency: 2, timeoutMs: 30_000 },
      google: { credentialsFile: 'g.json', readsPerMinute: 60, writesPerMinute: 60, hints: 'off' },
    });
    expect(defaultOf(config).alertWebhookUrl).toBeUndefined();
    expect(defaultOf(config).google.endpoint).toBeUndefined();
  });

  test('has a sync that deletes nothing and enrols no contact', () => {
    expect(config.syncs).toEqual([
      {
        name: 's',
        account: 'default',
        schedule: { cron: '*/30 * * * * *', timeZone: 'UTC' },
        fullScan: { cron: '0 3 * * *', timeZone: 'UTC' },
        contacts: { list: 'L', moveToList: false, createList: false },
        sheet: { spreadsheetId: '1AbCdEfGhIj', tab: 'T', headerRow: 1, idHeader: 'Contact ID', fullLookMs: 300_000 },
        match: [['email']],
        identifiers: outreachDescription.identifiers,
        columns: [
          {
            key: 'email',
            header: 'Email',
            target: { kind: 'field', field: outreachDescription.fields.get('email') },
            direction: 'both',
            conflict: 'manual',
            blank: 'sync',
          },
        ],
        settleMs: 10_000,
        onRowDeleted: 'ignore',
        onContactDeleted: 'mark',
        limits: {
          deletesPercent: 20,
          changesPercent: 50,
          blanksPercent: 20,
          creates: 1000,
          enrolmentsPerHour: 100,
        },
      },
    ]);
  });

  test('has a feed whose rows are marked when their record is gone', () => {
    expect(load(start + feed('resource: emails, columns: { ID: uuid, Copy: "cc[0]" }')).feeds).toEqual([
      {
        name: 'f',
        account: 'default',
        resource: 'emails',
        schedule: { cron: '*/5 * * * *', timeZone: 'UTC' },
        sheet: { spreadsheetId: '1AbCdEfGhIj', tab: 'F', headerRow: 1, statusHeader: 'Sync', fullLookMs: 300_000 },
        columns: [
          { key: 'uuid', header: 'ID', path: ['uuid'], kind: 'text' },
          { key: 'cc[0]', header: 'Copy', path: ['cc', 0], kind: 'list' },
        ],
        filter: {},
        order: { field: 'created_at', type: 'asc' },
        onGone: 'mark',
      },
    ]);
  });
});

describe('columns', () => {
  const columnsOf = (columns: string, ...more: string[]) => load(start + sync({ columns }, ...more)).syncs[0]!.columns;

  test('go both ways, or the one way that their field allows (M4, M8)', () => {
    const columns = columnsOf('A: email, B: status, C: name, D: domain, E: { custom_field: x }, F: network_id');
    expect(columns.map(({ key, direction }) => [key, direction])).toEqual([
      ['email', 'both'],
      ['status', 'to_sheet'],
      ['name', 'to_sheet'],
      ['domain', 'to_crm'],
      ['custom_fields.x', 'to_crm'],
      ['network_id', 'both'],
    ]);
  });

  test('may go one way only', () => {
    expect(columnsOf('A: { field: email, direction: to_crm }')[0]).toMatchObject({ direction: 'to_crm' });
  });

  test('use their own policy before that of the sync (M1, M3)', () => {
    const columns = columnsOf(
      'A: email, B: { field: position, conflict: crm, blank: sync }',
      'conflict: newest',
      'blank: ignore',
    );
    expect(columns.map(({ conflict, blank }) => [conflict, blank])).toEqual([
      ['newest', 'ignore'],
      ['crm', 'sync'],
    ]);
  });

  test('have headers without outer blanks', () => {
    expect(columnsOf('"  First name ": first_name')[0]).toMatchObject({ header: 'First name' });
  });
});

describe('match keys (I2)', () => {
  const matchOf = (columns: string, ...more: string[]) => load(start + sync({ columns }, ...more)).syncs[0]!.match;

  test('are the profile and the e-mail address, if they are mapped', () => {
    expect(matchOf('A: first_name, B: email, C: network')).toEqual([['network_id'], ['email']]);
    expect(matchOf('A: first_name')).toEqual([]);
  });

  test.each(['name', 'first_name', 'last_name'] as const)('take a name from a column of %s', (field) => {
    expect(matchOf(`A: ${field}, B: company_name`, 'match: [name+company_name]')).toEqual([['name', 'company_name']]);
  });
});

test('vetoes use the key of their column (E4)', () => {
  const text = start + sync({}, 'automation: { column: A, result_column: null, unless: { Email: x@example.com } }');
  expect(load(text).syncs[0]!.automation).toEqual({
    header: 'A',
    segment: 1,
    vetoes: [{ columnKey: 'email', values: ['x@example.com'] }],
    onClear: 'ignore',
  });
});

describe('references to the environment', () => {
  const env = { A: 'a: b # "c', TOKEN: 'test-key', TAB: 'From outside' };

  test('are replaced by the value of the variable, which is not read as YAML', () => {
    expect(load(start + sync({ contacts: 'list: "${A}"' }), { env }).syncs[0]!.contacts.list).toBe(env.A);
    expect(load(start + sync({ contacts: 'list: say ${A}' }), { env }).syncs[0]!.contacts.list).toBe(`say ${env.A}`);
  });

  test('work in braces, although braces belong to YAML', () => {
    const text = `crm: { base_url: https://crm.example, token: \${TOKEN} }\ngoogle: { credentials_file: g }\n${sync()}`;
    expect(defaultOf(load(text, { env })).crm.token.reveal()).toBe('test-key');
  });

  test('keep the places of the text after them', () => {
    const text = `${start}log: { format: \${TAB}, level: inof }\n${sync()}`;
    expect(problemsOf(text, { env })).toEqual([
      '3:16: log.format: found "${TAB}" (its value is not shown here); allowed: json or pretty',
      '3:31: log.level: found "inof"; allowed: trace, debug, info, warn, error or fatal; did you mean info?',
    ]);
  });

  test('stay unchanged behind a second $, in comments and in headers', () => {
    const text = start + sync({ contacts: 'list: "$${NOPE} $ {x}"', columns: '"${NOPE}": email' }, '# ${NOPE}');
    const [first] = load(text).syncs;
    expect(first!.contacts.list).toBe('${NOPE} $ {x}');
    expect(first!.columns[0]!.header).toBe('${NOPE}');
  });

  test('are refused when empty, as when unset', () => {
    expect(problemsOf(start + sync({ contacts: 'list: "${E}"' }), { env: { E: '' } })).toEqual([
      '5:23: syncs.s.contacts.list: found ${E}, which is empty in the environment; allowed: a variable that is set',
    ]);
  });

  test('work in an option that an alias gives', () => {
    const text = `${start}log: { level: &level "\${L}" }\n${sync({ contacts: 'list: *level' })}`;
    expect(load(text, { env: { L: 'warn' } }).syncs[0]!.contacts.list).toBe('warn');
  });
});

describe('secrets', () => {
  const secret = 'S3cr3t-of-mine-alone';
  const env = { SECRET: secret, HOOK: `https://hooks.example/${secret}` };
  const text = `crm: { base_url: https://crm.example, token: \${SECRET} }
google: { credentials_file: g.json }
state: file:./state
server: { listen: "[::]:4000", password: \${SECRET}, hook_secret: \${SECRET}-\${SECRET}-\${SECRET} }
alerts: { webhook_url: \${HOOK} }
${sync()}`;

  test('can be revealed by the code that needs them', () => {
    const config = load(text, { env });
    const { crm, alertWebhookUrl } = defaultOf(config);
    const { server } = config;
    expect(crm.token.reveal()).toBe(secret);
    expect(server).toMatchObject({ host: '::', port: 4000 });
    expect(server?.password?.reveal()).toBe(secret);
    expect(server?.hookSecret?.reveal()).toBe(`${secret}-${secret}-${secret}`);
    expect(alertWebhookUrl?.reveal()).toBe(env.HOOK);
  });

  test('are never printed', () => {
    const config = load(text, { env });
    expect(inspect(config, { depth: 20, showHidden: true })).not.toContain(secret);
    expect(JSON.stringify(config)).not.toContain(secret);
    expect(JSON.stringify(effectiveConfig(config))).not.toContain(secret);
  });

  test('may be in files, with or without a line end', () => {
    const inFiles = `crm: { base_url: https://crm.example, token_file: t.txt }
google: { credentials_file: g.json }
server: { listen: 0.0.0.0:1, password_file: p.txt, hook_secret_file: h.txt }
${sync()}`;
    const hookSecret = 'a1b2c3d4'.repeat(4);
    const config = load(inFiles, {
      files: { 't.txt': `${secret}\r\n`, 'p.txt': ' pass word of two\n', 'h.txt': `${hookSecret}\n` },
    });
    expect(defaultOf(config).crm.token.reveal()).toBe(secret);
    expect(config.server?.password?.reveal()).toBe(' pass word of two');
    expect(config.server?.hookSecret?.reveal()).toBe(hookSecret);
    expect(JSON.stringify(effectiveConfig(config))).not.toContain(secret);
  });

  test('of hooks need the same length in files', () => {
    const problems = (listen: string, given: string) =>
      problemsOf(
        `${start}server: { listen: ${listen}, password: fifteen-letters, hook_secret_file: h.txt }\n${sync()}`,
        {
          files: { 'h.txt': given },
        },
      );
    expect(problems('127.0.0.1:1', 'a-secret-of-us-two\n')).toEqual([]);
    expect(problems('127.0.0.1:1', 'a secret of us two\n')).toEqual([
      '3:77: server.hook_secret_file: found a file that holds something else; allowed: one word of 16 characters or more, such as openssl rand -hex 32 makes',
    ]);
    expect(problems('0.0.0.0:1', 'a-secret-of-us-two\n')).toEqual([
      '3:75: server.hook_secret_file: found 18 characters, at an address that others can reach; allowed: one word of 32 characters or more there, such as openssl rand -hex 32 makes',
    ]);
  });

  test('of the server need the same length in files, and may be missing on this machine alone', () => {
    const problems = (listen: string, given: string) =>
      problemsOf(`${start}server: { listen: ${listen}, password_file: p.txt }\n${sync()}`, {
        files: { 'p.txt': given },
      });
    expect(problems('127.0.0.1:1', 'p\n')).toEqual([]);
    expect(problems('0.0.0.0:1', 'fifteen letters\n')).toEqual([]);
    expect(problems('0.0.0.0:1', 'fourteenletter\n')).toEqual([
      '3:45: server.password_file: found 14 characters, at an address that others can reach; allowed: 15 characters or more there, such as openssl rand -base64 18 makes',
    ]);
  });

  test('are in no error, wherever a file is cut, a line is lost or a character is added', () => {
    const written = text.replaceAll('${SECRET}', secret);
    expect(problemsOf(written, { env })).toEqual([]);
    const lines = written.split('\n');
    const at = fc.nat({ max: written.length });
    const broken = fc.oneof(
      at.map((end) => written.slice(0, end)),
      fc.nat({ max: lines.length - 1 }).map((index) => lines.toSpliced(index, 1).join('\n')),
      fc
        .tuple(at, fc.constantFrom('{', '}', '"', "'", ':', '\t', '\n', '- ', '&', '*', '!', '%', '@', ',', '|', '#'))
        .map(([offset, sign]) => written.slice(0, offset) + sign + written.slice(offset)),
    );
    fc.assert(
      fc.property(broken, (wrong) => {
        expect(problemsOf(wrong, { env }).join('\n')).not.toContain(secret);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a file that cannot be read', () => {
  test('is named when it does not exist', () => {
    expect(() => readConfigFile('nowhere/c.yaml', { env: {}, readFile })).toThrow(
      'nowhere/c.yaml: found no such file; allowed: a file this process may read; leadsheet init makes one',
    );
  });

  test('is named when it is a folder', () => {
    expect(() => readConfigFile('test/config', { env: {}, readFile })).toThrow(
      'test/config: found a folder; allowed: a file',
    );
  });
});

describe('the effective configuration', () => {
  const text =
    start +
    sync({ columns: 'Status: status, Seg: { custom_field: x }' }) +
    feed('resource: lists, columns: { ID: uuid }');
  const effective = effectiveConfig(load(text));

  test('shows the options in the words of the file, defaults included', () => {
    expect(effective).toMatchObject({
      crm: { token: '[secret]', requests_per_minute: 240 },
      syncs: {
        s: {
          match: [],
          columns: {
            Status: { field: 'status', direction: 'to_sheet', conflict: 'manual', blank: 'sync' },
            Seg: { custom_field: 'x', direction: 'to_crm' },
          },
          limits: { deletes: '20%' },
        },
      },
      feeds: { f: { on_gone: 'mark' } },
    });
  });

  test('is itself a configuration with the same meaning', () => {
    expect(effectiveConfig(load(JSON.stringify(effective)))).toEqual(effective);
  });
});

test('without a server it has null', () => {
  expect(load(`${start}server: null\n${sync()}`).server).toBeUndefined();
});

test('a file may begin with a byte order mark and end its lines with CRLF, as Windows writes it', () => {
  const text = `\uFEFF${start}log: { level: inof }\n${sync()}`.replaceAll('\n', '\r\n');
  expect(problemsOf(text)).toEqual([
    '3:15: log.level: found "inof"; allowed: trace, debug, info, warn, error or fatal; did you mean info?',
  ]);
});
