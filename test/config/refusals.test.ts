// The messages about a wrong file: one line for each problem, here without the name of the file.
import { describe, expect, test } from 'vitest';
import { problemsOf } from '../support/config.ts';
import { feed, outbox, start, sync } from './files.ts';

const hash = `$scrypt$ln=15,r=8,p=3$${'A'.repeat(22)}$${'B'.repeat(43)}`;
const user = (name: string) => `{ name: ${name}, role: viewer, password_hash: "${hash}" }`;

/** By group: the fault, the file, and the lines. */
type Case = readonly [what: string, text: string, lines: readonly string[]];
const groups: Readonly<Record<string, readonly Case[]>> = {
  'the text': [
    [
      'a file of comments',
      '# nothing\n',
      [
        '1:1: found nothing but comments; allowed: crm, google and syncs, feeds or outbox at least; config/example.yaml shows every option',
      ],
    ],
    [
      'a list',
      '- crm\n',
      [
        '1:1: found a list; allowed: a mapping with crm, google, accounts, include, state, postgres, server, log, alerts, syncs, feeds, outbox',
      ],
    ],
    [
      'a tab in front of a line',
      'crm:\n\tbase_url: x\n',
      [
        '2:1: found text that is no YAML (Tabs are not allowed as indentation); allowed: spaces in front of a line, no tabs',
      ],
    ],
    [
      'a quote that is not closed',
      'crm: { token: "abc\n',
      [
        '2:1: found text that is no YAML (Missing closing "quote); allowed: YAML; a text with special signs goes in quotes',
      ],
    ],
    [
      'two documents',
      `${start}---\n${start}`,
      [
        '3:1: found text that is no YAML (Source contains multiple documents); allowed: YAML; a text with special signs goes in quotes',
      ],
    ],
    [
      'an alias of nothing',
      'crm: *service\n',
      [
        '1:6: crm: found an alias (*) of nothing; allowed: the name of an anchor (&) above; a text that begins with * goes in quotes',
      ],
    ],
    [
      'aliases without end',
      `a: &a [x,x,x,x,x,x,x,x,x,x]
${'bcdefgh'.replaceAll(
  /./g,
  (name) => `${name}: &${name} [${Array(10)
    .fill(`*${String.fromCodePoint(name.codePointAt(0)! - 1)}`)
    .join()}]
`,
)}`,
      ['1:1: found aliases (*) of aliases in great number; allowed: aliases of options'],
    ],
    [
      'a cron without quotes',
      start + sync({}, 'schedule: */30 * * * * *'),
      [
        '8:20: found text that is no YAML (Unexpected alias at node end); allowed: YAML; a text with special signs goes in quotes',
      ],
    ],
    [
      'a tag',
      `${start}log: !!foo { level: info }
${sync()}`,
      ['3:6: found text that is no YAML (Unresolved tag); allowed: YAML; a text with special signs goes in quotes'],
    ],
    [
      'a name that JavaScript keeps for itself',
      start + sync().replace('  s:', '  __proto__:'),
      ['4:3: syncs: found __proto__; allowed: another name'],
    ],
    [
      'a key given twice',
      `${start}log: { level: info, level: warn }\n${sync()}`,
      ['3:21: log.level: found it a second time, the first is on line 3; allowed: each key once'],
    ],
    [
      'a column given twice',
      start + sync({ columns: 'Email: email, Email: first_name' }),
      ['7:30: syncs.s.columns.Email: found it a second time, the first is on line 7; allowed: each key once'],
    ],
    [
      'variables that are not set',
      'crm:\n  base_url: https://${HOST}\n  token: ${TOKEN}\ngoogle: { credentials_file: ${FILE} }\n' + sync(),
      [
        '2:13: crm.base_url: found ${HOST}, which is not set in the environment; allowed: a variable that is set',
        '3:10: crm.token: found ${TOKEN}, which is not set in the environment; allowed: a variable that is set',
        '4:29: google.credentials_file: found ${FILE}, which is not set in the environment; allowed: a variable that is set',
      ],
    ],
    [
      'a reference to no variable',
      `${start}state: "file:\${1x}"\n${sync()}`,
      [
        '3:8: state: found ${ that begins no name of a variable; allowed: ${NAME} with letters, digits and _ only, or $${ for a text that begins so',
      ],
    ],
  ],
  'single options': [
    [
      'an unknown option far from any',
      `${start}colour: red\n${sync()}`,
      [
        '3:1: colour: found an unknown option; allowed: crm, google, accounts, include, state, postgres, server, log, alerts, syncs, feeds or outbox',
      ],
    ],
    [
      'misspelt options, and not that they are missing',
      'crm: { base_ur: https://crm.example, tokn: t }\ngoogel: { credentials_file: g.json }\n' + sync(),
      [
        '1:8: crm.base_ur: found an unknown option; allowed: base_url, token, token_file, requests_per_minute, concurrency, timeout_secs, headers or contact_url; did you mean base_url?',
        '1:38: crm.tokn: found an unknown option; allowed: base_url, token, token_file, requests_per_minute, concurrency, timeout_secs, headers or contact_url; did you mean token?',
        '2:1: googel: found an unknown option; allowed: crm, google, accounts, include, state, postgres, server, log, alerts, syncs, feeds or outbox; did you mean google?',
      ],
    ],
    [
      'lists for mappings, and a mapping for a list',
      `${start}syncs: []\nfeeds: { f: { resource: lists, spreadsheet: 1AbCdEfGhIj, tab: F, columns: [uuid] } }\n`,
      [
        '3:8: syncs: found an empty list; allowed: a mapping (key: value)',
        '4:75: feeds.f.columns: found a list; allowed: a mapping (key: value)',
      ],
    ],
    [
      'keys of mappings that are lists',
      start + sync({}, 'match: email', 'automation: { column: A, unless: [Email] }'),
      [
        '8:12: syncs.s.match: found "email"; allowed: a list',
        '9:38: syncs.s.automation.unless: found a list; allowed: a mapping (key: value)',
      ],
    ],
    [
      'sections that are empty',
      'crm:\ngoogle: {}\n' + sync(),
      [
        '1:5: crm: found nothing; allowed: a mapping with base_url, token, token_file, requests_per_minute, concurrency, timeout_secs, headers, contact_url',
        '2:1: google.credentials_file: found nothing; allowed: the path of a credentials file',
      ],
    ],
    [
      'what a sync cannot do without',
      start + sync({ contacts: '', sheet: 'tab: T' }),
      [
        '5:5: syncs.s.contacts.list: found nothing; allowed: the name or the uuid of a list',
        '6:5: syncs.s.sheet.spreadsheet: found nothing; allowed: the id of a spreadsheet, or its address as the browser shows it: https://docs.google.com/spreadsheets/d/...',
      ],
    ],
    [
      'numbers that are none',
      'crm: { base_url: https://crm.example, token: t, requests_per_minute: "240", concurrency: 0 }\ngoogle: { credentials_file: g.json, reads_per_minute: 1.5 }\n' +
        sync(),
      [
        '1:70: crm.requests_per_minute: found "240"; allowed: a whole number from 1 up',
        '1:90: crm.concurrency: found 0; allowed: a whole number from 1 to 20',
        '2:55: google.reads_per_minute: found 1.5; allowed: a whole number from 1 up',
      ],
    ],
    [
      'negative durations',
      'crm: { base_url: https://crm.example, token: t, timeout_secs: -1 }\ngoogle: { credentials_file: g.json }\n' +
        sync({}, 'settle_secs: -5'),
      [
        '1:63: crm.timeout_secs: found -1; allowed: a number of seconds from 1 to 600',
        '8:18: syncs.s.settle_secs: found -5; allowed: a number of seconds from 0 to 3600',
      ],
    ],
    [
      'a choice that is none',
      `${start}log: { level: inof, format: 7 }\n${sync()}`,
      [
        '3:15: log.level: found "inof"; allowed: trace, debug, info, warn, error or fatal; did you mean info?',
        '3:29: log.format: found 7; allowed: json or pretty',
      ],
    ],
    [
      'a state of no kind',
      `${start}state: ./state\n${sync()}`,
      [
        '3:8: state: found a value that is not shown; allowed: file:FOLDER, such as file:./state, or postgres://USER:PASSWORD@HOST/DATABASE',
      ],
    ],
    [
      'a database behind file:, whose password it does not quote',
      `${start}state: file:postgres://me:pass@db/x\n${sync()}`,
      [
        '3:8: state: found a value that is not shown; allowed: file:FOLDER, such as file:./state, or postgres://USER:PASSWORD@HOST/DATABASE',
      ],
    ],
    [
      'a database without a host',
      `${start}state: postgres:///x\n${sync()}`,
      [
        '3:8: state: found a value that is not shown; allowed: an address with one host: postgres://USER:PASSWORD@HOST/DATABASE',
      ],
    ],
    [
      'a database on several hosts',
      `${start}state: postgres://me:pass@one,two/x\n${sync()}`,
      [
        '3:8: state: found a value that is not shown; allowed: an address with one host; a name that follows a failover is the way to several',
      ],
    ],
    [
      'a database without a user',
      `${start}state: postgres://db/x\n${sync()}`,
      [
        '3:8: state: found a value that is not shown; allowed: an address with a user: postgres://USER:PASSWORD@HOST/DATABASE',
      ],
    ],
    [
      'a server without a database, whose password it does not quote',
      `${start}state: postgres://me:pass@db\n${sync()}`,
      [
        '3:8: state: found a value that is not shown; allowed: an address with the name of a database behind the host: postgres://USER:PASSWORD@HOST/DATABASE',
      ],
    ],
    [
      'a database of another kind',
      `${start}state: mysql://me:pass@db/x\n${sync()}`,
      [
        '3:8: state: found a value that is not shown; allowed: file:FOLDER, such as file:./state, or postgres://USER:PASSWORD@HOST/DATABASE',
      ],
    ],
    [
      'a parameter that would loosen the encryption',
      `${start}state: postgres://me:pass@db/x?sslmode=prefer\n${sync()}`,
      [
        '3:8: state: found a value that is not shown; allowed: an address with sslmode=verify-full, sslmode=require or sslmode=disable',
      ],
    ],
    [
      'another parameter of a database',
      `${start}state: postgres://me:pass@db/x?options=-c\n${sync()}`,
      [
        '3:8: state: found a value that is not shown; allowed: an address with no other parameter than sslmode; others are options of `postgres:`',
      ],
    ],
    [
      'a schema of the server itself, no connection, and two passwords',
      `${start}state: postgres://me@db/x\npostgres: { schema: pg_x, pool_size: 0, password: p, password_file: f }\n${sync()}`,
      [
        '4:21: postgres.schema: found "pg_x"; allowed: up to 48 lower-case letters, digits and underscores, beginning with a letter',
        '4:38: postgres.pool_size: found 0; allowed: a whole number from 2 to 100',
        '4:54: postgres.password_file: found this beside password; allowed: one of the two',
        '4:69: postgres.password_file: found the database password file f cannot be read (ENOENT); allowed: a file that holds the database password and that this process may read',
      ],
    ],
    [
      'an unknown time zone',
      start + sync({}, 'timezone: Europe/Berln'),
      [
        '8:15: syncs.s.timezone: found "Europe/Berln"; allowed: an IANA time zone such as Europe/Berlin; did you mean Europe/Berlin?',
      ],
    ],
    [
      'an offset for a time zone',
      start + sync({}, 'timezone: "+02:00"'),
      ['8:15: syncs.s.timezone: found "+02:00"; allowed: an IANA time zone such as Europe/Berlin'],
    ],
    [
      'crons that never fire',
      start + sync({}, 'schedule: "61 * * * *"', 'full_scan: "0 0 31 2 *"'),
      [
        '8:15: syncs.s.schedule: found "61 * * * *"; allowed: a cron expression of five fields, or six with seconds in front, such as "*/30 * * * * *"',
        '9:16: syncs.s.full_scan: found "0 0 31 2 *"; allowed: a cron expression of five fields, or six with seconds in front, such as "*/30 * * * * *"',
      ],
    ],
    [
      'percentages over 100, below 0 or without a sign (G2)',
      start + sync({}, 'limits: { deletes: 120%, changes: 20, blanks: "-1%" }'),
      [
        '8:24: syncs.s.limits.deletes: found "120%"; allowed: a percentage from 0% to 100%',
        '8:39: syncs.s.limits.changes: found 20; allowed: a percentage from 0% to 100%',
        '8:51: syncs.s.limits.blanks: found "-1%"; allowed: a percentage from 0% to 100%',
      ],
    ],
    [
      'caps of 0 (E4)',
      start + sync({}, 'limits: { creates: 0, enrolments_per_hour: 0 }'),
      [
        '8:24: syncs.s.limits.creates: found 0; allowed: a whole number from 1 up',
        '8:48: syncs.s.limits.enrolments_per_hour: found 0; allowed: a whole number from 1 up',
      ],
    ],
    [
      'a segment that is no integer',
      start + sync({}, 'automation: { column: A, segment: one }'),
      ['8:39: syncs.s.automation.segment: found "one"; allowed: a whole number from 1 up'],
    ],
    [
      'a name that YAML takes for a number',
      start + sync({ contacts: 'list: 2024' }),
      ['5:23: syncs.s.contacts.list: found 2024; allowed: the name or the uuid of a list (in quotes: "2024")'],
    ],
    [
      'a spreadsheet and a tab that are none',
      start + sync({ sheet: 'spreadsheet: short, tab: ""' }),
      [
        '6:27: syncs.s.sheet.spreadsheet: found "short"; allowed: the id of a spreadsheet, or its address as the browser shows it: https://docs.google.com/spreadsheets/d/...',
        '6:39: syncs.s.sheet.tab: found ""; allowed: the title of the tab, or gid:123',
      ],
    ],
    [
      'an unknown resource of a feed',
      start + feed('resource: email, columns: { ID: uuid }'),
      [
        '4:52: feeds.f.resource: found "email"; allowed: automations, lists, sender_profiles, network_messages or emails; did you mean emails?',
      ],
    ],
  ],
  connections: [
    [
      'an address of contacts without a place for the contact',
      'crm: { base_url: https://crm.example, token: t, contact_url: "https://app.example/c" }\ngoogle: { credentials_file: g.json }\n' +
        sync(),
      [
        '1:62: crm.contact_url: found "https://app.example/c"; allowed: an https address with {uuid} once behind the host, such as https://app.example.com/contacts/{uuid} (plain http only to this machine)',
      ],
    ],
    [
      'an address of contacts with two places',
      'crm: { base_url: https://crm.example, token: t, contact_url: "https://app.example/{uuid}/{uuid}" }\ngoogle: { credentials_file: g.json }\n' +
        sync(),
      [
        '1:62: crm.contact_url: found "https://app.example/{uuid}/{uuid}"; allowed: an https address with {uuid} once behind the host, such as https://app.example.com/contacts/{uuid} (plain http only to this machine)',
      ],
    ],
    [
      'an address of contacts over plain http',
      'crm: { base_url: https://crm.example, token: t, contact_url: "http://app.example/{uuid}" }\ngoogle: { credentials_file: g.json }\n' +
        sync(),
      [
        '1:62: crm.contact_url: found "http://app.example/{uuid}"; allowed: an https address with {uuid} once behind the host, such as https://app.example.com/contacts/{uuid} (plain http only to this machine)',
      ],
    ],
    [
      'an address of contacts with a uuid for a host',
      'crm: { base_url: https://crm.example, token: t, contact_url: "https://{uuid}.example/c" }\ngoogle: { credentials_file: g.json }\n' +
        sync(),
      [
        '1:62: crm.contact_url: found "https://{uuid}.example/c"; allowed: an https address with {uuid} once behind the host, such as https://app.example.com/contacts/{uuid} (plain http only to this machine)',
      ],
    ],
    [
      'an address of contacts of a script',
      'crm: { base_url: https://crm.example, token: t, contact_url: "javascript://x/%0aalert({uuid})" }\ngoogle: { credentials_file: g.json }\n' +
        sync(),
      [
        '1:62: crm.contact_url: found "javascript://x/%0aalert({uuid})"; allowed: an https address with {uuid} once behind the host, such as https://app.example.com/contacts/{uuid} (plain http only to this machine)',
      ],
    ],
    [
      'an address of contacts with a password',
      'crm: { base_url: https://crm.example, token: t, contact_url: "https://a:b@app.example/{uuid}" }\ngoogle: { credentials_file: g.json }\n' +
        sync(),
      [
        '1:62: crm.contact_url: found "...@app.example/{uuid}"; allowed: an https address with {uuid} once behind the host, such as https://app.example.com/contacts/{uuid} (plain http only to this machine)',
      ],
    ],
    [
      'plain http beyond loopback',
      'crm: { base_url: http://crm.example, token: t }\ngoogle: { credentials_file: g.json, endpoint: "http://10.0.0.1:1" }\nalerts: { webhook_url: "http://hooks.example/x" }\n' +
        sync(),
      [
        '1:18: crm.base_url: found "http://crm.example"; allowed: an https address such as https://host, without user, query or fragment (plain http only to this machine: 127.0.0.1, localhost)',
        '2:47: google.endpoint: found "http://10.0.0.1:1"; allowed: an https address such as https://host, without user, query or fragment (plain http only to this machine: 127.0.0.1, localhost)',
        '3:24: alerts.webhook_url: found a value that is not shown; allowed: an https address (plain http only to this machine)',
      ],
    ],
    [
      'an address with a password, which it does not quote',
      'crm: { base_url: "https://me:secret@crm.example", token: t }\ngoogle: { credentials_file: g.json }\n' + sync(),
      [
        '1:18: crm.base_url: found "...@crm.example"; allowed: an https address such as https://host, without user, query or fragment (plain http only to this machine: 127.0.0.1, localhost)',
      ],
    ],
    [
      'no token',
      'crm: { base_url: https://crm.example }\ngoogle: { credentials_file: g.json }\n' + sync(),
      [
        '1:1: crm: found no token; allowed: token: ${OUTREACH_TOKEN}, or token_file with the path of a file that holds it',
      ],
    ],
    [
      'a token that could not travel, which it does not quote',
      'crm: { base_url: https://crm.example, token: "a b" }\ngoogle: { credentials_file: g.json }\n' + sync(),
      ['1:46: crm.token: found a value that is not shown; allowed: the API key, one word without quotes around it'],
    ],
    [
      'a token that YAML takes for a number, which it does not quote',
      'crm: { base_url: https://crm.example, token: 12345 }\ngoogle: { credentials_file: g.json }\n' + sync(),
      ['1:46: crm.token: found a value that is not shown; allowed: the API key, one word without quotes around it'],
    ],
    [
      'a token in quotes, as docker run --env-file hands it over, which it does not quote',
      'crm: { base_url: https://crm.example, token: \'"t"\' }\ngoogle: { credentials_file: g.json }\n' + sync(),
      ['1:46: crm.token: found a value that is not shown; allowed: the API key, one word without quotes around it'],
    ],
    [
      'a token file whose token is in quotes',
      'crm: { base_url: https://crm.example, token_file: quoted.txt }\ngoogle: { credentials_file: g.json }\n' + sync(),
      [
        '1:51: crm.token_file: found the token in quoted.txt has quotes around it; leave them out, since they count as part of it; allowed: a file that holds the token and that this process may read',
      ],
    ],
    [
      'a token given twice',
      'crm: { base_url: https://crm.example, token: t, token_file: token.txt }\ngoogle: { credentials_file: g.json }\n' +
        sync(),
      ['1:49: crm.token_file: found this beside token; allowed: one of the two'],
    ],
    [
      'secret files that are not there',
      'crm: { base_url: https://crm.example, token_file: nowhere }\ngoogle: { credentials_file: g.json }\nserver: { password_file: nowhere }\n' +
        sync(),
      [
        '1:51: crm.token_file: found the token file nowhere cannot be read (ENOENT); allowed: a file that holds the token and that this process may read',
        '3:26: server.password_file: found the password file nowhere cannot be read (ENOENT); allowed: a file that holds the password and that this process may read',
      ],
    ],
    [
      'a secret file that is empty',
      'crm: { base_url: https://crm.example, token_file: empty.txt }\ngoogle: { credentials_file: g.json }\n' + sync(),
      [
        '1:51: crm.token_file: found no token: empty.txt is empty; allowed: a file that holds the token and that this process may read',
      ],
    ],
    [
      'a password that others can guess',
      `${start}server: { listen: 0.0.0.0:4000, password: a }\n${sync()}`,
      [
        '3:43: server.password: found 1 character, at an address that others can reach; allowed: 15 characters or more there, such as openssl rand -base64 18 makes',
      ],
    ],
    [
      'a password of fourteen characters',
      `${start}server: { password: fourteen-chars, listen: "[::]:4000" }\n${sync()}`,
      [
        '3:21: server.password: found 14 characters, at an address that others can reach; allowed: 15 characters or more there, such as openssl rand -base64 18 makes',
      ],
    ],
    [
      'names with ports, or addresses, for names',
      `${start}server: { hosts: [box.lan:4000, "https://box.lan", ""] }\n${sync()}`,
      [
        '3:19: server.hosts.0: found "box.lan:4000"; allowed: the name of a host without its port, such as status.example.com',
        '3:33: server.hosts.1: found "https://box.lan"; allowed: the name of a host without its port, such as status.example.com',
        '3:52: server.hosts.2: found ""; allowed: the name of a host without its port, such as status.example.com',
      ],
    ],
    [
      'users that nobody can be',
      `${start}server: { users: [{ name: ann lee, role: admin, password_hash: hunter2-hunter2 }] }\n${sync()}`,
      [
        '3:27: server.users.0.name: found "ann lee"; allowed: a name of 1 to 64 letters, digits, dots, dashes, underscores, + and @, such as ann or ann@example.com; not console',
        '3:42: server.users.0.role: found "admin"; allowed: viewer or operator',
        '3:64: server.users.0.password_hash: found a value that is not shown; allowed: a hash as leadsheet user add prints it, which begins with $scrypt$',
      ],
    ],
    [
      'two users with one name',
      `${start}server: { users: [${user('ann')}, ${user('ANN')}] }\n${sync()}`,
      ['3:163: server.users.1.name: found "ANN"; allowed: a name that no other user has'],
    ],
    [
      'an empty list of users at an address that others can reach',
      `${start}server: { listen: 0.0.0.0:4000, users: [] }\n${sync()}`,
      [
        '3:19: server.listen: found an address that others can reach, and no password; allowed: password: ${...}, password_file, users (leadsheet user add) or trusted_proxy with a header beside it, or an address of this machine such as 127.0.0.1:4000',
      ],
    ],
    [
      'a proxy at no address, with a header of another meaning',
      `${start}server: { trusted_proxy: { from: [10.0.0.0/33, proxy.lan], header: Cookie, role: viewer } }\n${sync()}`,
      [
        '3:35: server.trusted_proxy.from.0: found "10.0.0.0/33"; allowed: an address or a range, such as 127.0.0.1, ::1 or 10.0.0.0/8',
        '3:48: server.trusted_proxy.from.1: found "proxy.lan"; allowed: an address or a range, such as 127.0.0.1, ::1 or 10.0.0.0/8',
        '3:68: server.trusted_proxy.header: found "Cookie"; allowed: the name of a header such as X-Forwarded-User, that is none of authorization, cookie, x-forwarded-for and others with a meaning of their own',
      ],
    ],
    [
      'a proxy that names people who have no role',
      `${start}server: { trusted_proxy: { from: ["::1"], header: X-Forwarded-User } }\n${sync()}`,
      [
        '3:43: server.trusted_proxy.header: found a header without a role; allowed: role: viewer for everybody whom the proxy lets in, or roles with the names of people',
      ],
    ],
    [
      'a role for people whom the proxy does not name',
      `${start}server: { trusted_proxy: { from: ["::1"], role: viewer } }\n${sync()}`,
      [
        '3:43: server.trusted_proxy.role: found role without a header; allowed: header: X-Forwarded-User, or another one in which the proxy names the person',
      ],
    ],
    [
      'accounts of people whom the proxy does not name',
      `${start}server: { trusted_proxy: { from: ["::1"], accounts: { ann: [default] } } }\n${sync()}`,
      [
        '3:43: server.trusted_proxy.accounts: found accounts without a header; allowed: header: X-Forwarded-User, or another one in which the proxy names the person',
      ],
    ],
    [
      'people who see accounts that are not there, or none',
      `${start}server:\n  users:\n    - { accounts: [defaul], ${user('ann').slice(2)}\n    - { accounts: [], ${user('bob').slice(2)}\n` +
        `  trusted_proxy: { from: ["::1"], header: X-User, role: viewer, accounts: { cy: [default, acme] } }\n${sync()}`,
      [
        '5:20: server.users.0.accounts.0: found "defaul"; allowed: an account of the file: default; did you mean default?',
        '6:19: server.users.1.accounts: found an empty list; allowed: one account or more',
        '7:91: server.trusted_proxy.accounts.cy.1: found "acme"; allowed: an account of the file: default',
      ],
    ],
    [
      'a login without an end',
      `${start}server: { session_hours: 0 }\n${sync()}`,
      ['3:26: server.session_hours: found 0; allowed: a whole number from 1 to 720'],
    ],
    [
      'a server that others can reach without a password',
      `${start}server: { listen: 0.0.0.0:4000 }\n${sync()}`,
      [
        '3:19: server.listen: found an address that others can reach, and no password; allowed: password: ${...}, password_file, users (leadsheet user add) or trusted_proxy with a header beside it, or an address of this machine such as 127.0.0.1:4000',
      ],
    ],
    [
      'a secret of hooks that is short, or no word, which it does not quote',
      `${start}server: { hook_secret: "fifteen letters" }\n${sync()}`,
      [
        '3:24: server.hook_secret: found a value that is not shown; allowed: one word of 16 characters or more, such as openssl rand -hex 32 makes',
      ],
    ],
    [
      'a secret of hooks that others could guess, which it does not quote',
      `${start}server: { listen: 0.0.0.0:4000, password: fifteen-letters, hook_secret: sixteen-letters- }\n${sync()}`,
      [
        '3:73: server.hook_secret: found 16 characters, at an address that others can reach; allowed: one word of 32 characters or more there, such as openssl rand -hex 32 makes',
      ],
    ],
    [
      'a secret of hooks given twice',
      `${start}server: { hook_secret: sixteen-letters-, hook_secret_file: hook.txt }\n${sync()}`,
      ['3:42: server.hook_secret_file: found this beside hook_secret; allowed: one of the two'],
    ],
    [
      'a server that is nowhere',
      `${start}server: { listen: 4000 }\n${sync()}`,
      ['3:19: server.listen: found 4000; allowed: host:port, such as 127.0.0.1:4000 or [::1]:4000'],
    ],
    [
      'a port that is none',
      `${start}server: { listen: "localhost:70000" }\n${sync()}`,
      ['3:19: server.listen: found "localhost:70000"; allowed: host:port, such as 127.0.0.1:4000 or [::1]:4000'],
    ],
  ],
  'the columns of a sync': [
    [
      'no columns',
      start + sync({ columns: '' }),
      ['7:14: syncs.s.columns: found an empty mapping; allowed: one column at least, such as Email: email'],
    ],
    [
      'an unknown field',
      start + sync({ columns: 'First: frist_name' }),
      [
        '7:23: syncs.s.columns.First: found "frist_name"; allowed: first_name, last_name, list_uuid, name, company_name, headline, sn_id, posts ... (all 51 are in docs/configuration.md) or a mapping (key: value); did you mean first_name?',
      ],
    ],
    [
      'a field mapped twice',
      start + sync({ columns: 'Email: email, Mail: { field: email, direction: to_sheet }' }),
      [
        '7:30: syncs.s.columns.Mail: found the field email, which column "Email" has already; allowed: one column for each field',
      ],
    ],
    [
      'the profile mapped by both its names (M8)',
      start + sync({ columns: 'Profile: network_id, Handle: network' }),
      [
        '7:37: syncs.s.columns.Handle: found the field network, which column "Profile" has already; allowed: one column for each field',
      ],
    ],
    [
      'a custom field mapped twice',
      start + sync({ columns: 'A: { custom_field: x }, B: { custom_field: x }' }),
      [
        '7:40: syncs.s.columns.B: found the custom field x, which column "A" has already; allowed: one column for each field',
      ],
    ],
    [
      'a custom field of a name the service refuses',
      start + sync({ columns: 'A: { custom_field: 1st }' }),
      [
        '7:35: syncs.s.columns.A.custom_field: found "1st"; allowed: the name of a custom field: letters, digits and _, no digit first',
      ],
    ],
    [
      'headers that differ only in the blanks around them',
      start + sync({ columns: '"Email": email, "Email ": first_name' }),
      [
        '7:32: syncs.s.columns."Email ": found "Email", which is a mapped column already; allowed: a header of its own for each column',
      ],
    ],
    [
      'directions a field cannot have (M4, M8)',
      start +
        sync({
          columns:
            'Status: { field: status, direction: both }, Name: { field: name, direction: to_crm }, Domain: { field: domain, direction: to_sheet }, Seg: { custom_field: seg, direction: both }',
        }),
      [
        '7:52: syncs.s.columns.Status.direction: found both for status, which the service does not let anybody write; allowed: to_sheet',
        '7:92: syncs.s.columns.Name.direction: found to_crm for name, which the service does not let anybody write; allowed: to_sheet',
        '7:138: syncs.s.columns.Domain.direction: found to_sheet for domain, which the service does not give back; allowed: to_crm',
        '7:187: syncs.s.columns.Seg.direction: found both for the custom field seg, which the service does not give back; allowed: to_crm',
      ],
    ],
    [
      'a direction that is none',
      start + sync({ columns: 'Email: { field: email, direction: to_crn }' }),
      [
        '7:50: syncs.s.columns.Email.direction: found "to_crn"; allowed: both, to_sheet or to_crm; did you mean to_crm?',
      ],
    ],
    [
      'two fields of a column, or none',
      start + sync({ columns: 'A: { field: email, custom_field: x }, B: { direction: both }' }),
      [
        '7:16: syncs.s.columns.A: found field and custom_field; allowed: one of the two',
        '7:54: syncs.s.columns.B: found neither field nor custom_field; allowed: one of the two',
      ],
    ],
    [
      'a misspelt option of a column',
      start + sync({ columns: 'A: { fild: email }' }),
      [
        '7:21: syncs.s.columns.A.fild: found an unknown option; allowed: field, custom_field, direction, conflict or blank; did you mean field?',
      ],
    ],
    [
      'an ID column and a status column that are mapped',
      start +
        sync({
          columns: 'Contact ID: uuid, Email: email',
          sheet: 'spreadsheet: 1AbCdEfGhIj, tab: T, status_column: Email',
        }),
      [
        '6:63: syncs.s.sheet.status_column: found "Email", which is a mapped column already; allowed: a header of its own for each column',
        '7:16: syncs.s.columns."Contact ID": found "Contact ID", which is the ID column already; allowed: a header of its own for each column',
      ],
    ],
    [
      'columns of the automation that are others',
      start +
        sync(
          { sheet: 'spreadsheet: 1AbCdEfGhIj, tab: T, status_column: Sync' },
          'automation: { column: Sync, result_column: Contact ID }',
        ),
      [
        '8:27: syncs.s.automation.column: found "Sync", which is the status column already; allowed: a header of its own for each column',
        '8:48: syncs.s.automation.result_column: found "Contact ID", which is the ID column already; allowed: a header of its own for each column',
      ],
    ],
    [
      'match keys that are not mapped (I2)',
      start + sync({}, 'match: [email, network_id, name+company_name]'),
      [
        '8:20: syncs.s.match.1: found "network_id", but no column has network_id; allowed: keys whose fields are all mapped in columns',
        '8:32: syncs.s.match.2: found "name+company_name", but no column has name or company_name; allowed: keys whose fields are all mapped in columns',
      ],
    ],
    [
      'match keys that are none, or there twice',
      start + sync({}, 'match: [emial, name, email, email]'),
      [
        '8:13: syncs.s.match.0: found "emial"; allowed: network_id, email or name+company_name; did you mean email?',
        '8:20: syncs.s.match.1: found "name"; allowed: network_id, email or name+company_name; did you mean name+company_name?',
        '8:33: syncs.s.match.3: found "email"; allowed: each key once',
      ],
    ],
    [
      'a veto where no column has a header: only the header is to be corrected',
      start + sync({ columns: '"": email' }, 'match: []', 'automation: { column: A, unless: { Email: [x] } }'),
      ['7:16: syncs.s.columns."": found ""; allowed: the header of a column'],
    ],
    [
      'a veto on a column that is not mapped (E4)',
      start + sync({}, 'automation: { column: A, unless: { Emial: [x] } }'),
      [
        '8:40: syncs.s.automation.unless.Emial: found "Emial", which is no mapped column; allowed: Email; did you mean Email?',
      ],
    ],
    [
      'a filter that asks for what is not there',
      start + sync({ contacts: 'list: L, filter: { satus: ok, list_uuid: x, tags: [], created_at: { "=>": 1 } }' }),
      [
        '5:36: syncs.s.contacts.filter.satus: found an unknown option; allowed: status, tags, name, about, sn_id, posts, skills, uuid ... (all 49 are in docs/configuration.md); did you mean status?',
        '5:47: syncs.s.contacts.filter.list_uuid: found a second list; allowed: contacts.list alone names the list',
        '5:67: syncs.s.contacts.filter.tags: found an empty list, which no contact matches; allowed: one value at least',
        '5:85: syncs.s.contacts.filter.created_at."=>": found an unknown option; allowed: =, !=, <, <=, >, >= or <>; did you mean =?',
      ],
    ],
  ],
  'who writes what': [
    ['nothing to do', start, ['1:1: found no syncs, feeds or outbox; allowed: one of them at least']],
    [
      'a name that is no name for a folder',
      start + sync().replace('  s:', '  ../s:'),
      [
        '4:3: syncs."../s": found "../s"; allowed: a name fit for a folder: letters, digits, - and _, a letter or digit first, 64 at most',
      ],
    ],
    [
      'one tab written twice, by id and by address',
      start +
        sync() +
        '  z:\n    contacts: { list: M }\n    sheet: { spreadsheet: https://docs.google.com/spreadsheets/d/1AbCdEfGhIj/edit#gid=0, tab: t }\n    columns: { Email: email }\n',
      [
        '10:95: syncs.z.sheet.tab: found the tab that syncs.s writes, in the same spreadsheet; allowed: a tab of its own for each sync, feed and outbox',
      ],
    ],
    [
      'a feed that has the name and the tab of a sync',
      `${start}${sync()}feeds:\n  S: { resource: lists, spreadsheet: 1AbCdEfGhIj, tab: T, columns: { ID: uuid } }\n`,
      [
        '9:3: feeds.S: found the name of syncs.s again; allowed: a name of its own for each sync, feed and outbox, in more than upper and lower case',
        '9:56: feeds.S.tab: found the tab that syncs.s writes, in the same spreadsheet; allowed: a tab of its own for each sync, feed and outbox',
      ],
    ],
    [
      'one gid written twice',
      start +
        sync({ sheet: 'spreadsheet: 1AbCdEfGhIj, tab: gid:0' }) +
        feed('resource: lists, columns: { ID: uuid }').replace('tab: F', 'tab: gid:00'),
      [
        '9:39: feeds.f.tab: found the tab that syncs.s writes, in the same spreadsheet; allowed: a tab of its own for each sync, feed and outbox',
      ],
    ],
  ],
  outboxes: [
    [
      'a misspelt field of the payload, and one twice',
      start +
        outbox('resource: emails, columns: { To: lead_uuid, From: sender_profile_uuid, A: sujbect, B: body, C: body }'),
      [
        '4:116: outbox.o.columns.A: found "sujbect"; allowed: a field of the payload of emails: sender_profile_uuid, lead_uuid, from_name, from_email, to_name, to_email, subject, body, cc or bcc; did you mean subject?',
        '4:137: outbox.o.columns.C: found body again, which column "B" has already; allowed: each field in one column',
      ],
    ],
    [
      'no column of what the service wants',
      start + outbox('resource: network_messages, columns: { To: lead_uuid }'),
      [
        '4:70: outbox.o.columns: found no column of sender_profile_uuid; allowed: a column for it: network_messages need one',
        '4:70: outbox.o.columns: found no column of text or template_uuid; allowed: a column for it: network_messages need one',
      ],
    ],
    [
      'a column that has two purposes',
      start +
        outbox(
          'resource: network_messages, send_column: To, columns: { To: lead_uuid, From: sender_profile_uuid, T: text }',
        ),
      [
        '4:98: outbox.o.columns.To: found "To", which is the send column already; allowed: a header of its own for each column',
      ],
    ],
    [
      'a cap that is none, and another resource',
      start + outbox('resource: contacts, sends_per_hour: 0, columns: { To: lead_uuid }'),
      [
        '4:52: outbox.o.resource: found "contacts"; allowed: emails or network_messages',
        '4:78: outbox.o.sends_per_hour: found 0; allowed: a whole number from 1 up',
      ],
    ],
    [
      'a tab and a name that a sync has',
      start +
        sync() +
        outbox('resource: emails, columns: { To: lead_uuid, From: sender_profile_uuid, T: body }')
          .replace('o:', 'S:')
          .replace('tab: O', 'tab: T'),
      [
        '9:3: outbox.S: found the name of syncs.s again; allowed: a name of its own for each sync, feed and outbox, in more than upper and lower case',
        '9:39: outbox.S.tab: found the tab that syncs.s writes, in the same spreadsheet; allowed: a tab of its own for each sync, feed and outbox',
      ],
    ],
  ],
  feeds: [
    [
      'fields that the resource does not have',
      start + feed('resource: emails, columns: { ID: uuid, S: sujbect, T: subject.x }'),
      [
        '4:84: feeds.f.columns.S: found "sujbect"; allowed: a field of emails, or a path into one: subject, bcc, sent_at, uuid, type, status, cc, team_id ... (all 23 are in docs/configuration.md); did you mean subject?',
        '4:96: feeds.f.columns.T: found a path into subject, which is text and has nothing inside; allowed: subject',
      ],
    ],
    [
      'no column of uuid',
      start + feed('resource: emails, columns: { S: subject }'),
      ['4:60: feeds.f.columns: found no column of uuid; allowed: one: it tells the rows apart'],
    ],
    [
      'two columns of uuid',
      start + feed('resource: emails, columns: { A: uuid, B: uuid }'),
      ['4:60: feeds.f.columns: found 2 columns of uuid; allowed: one: it tells the rows apart'],
    ],
    [
      'a column where the status goes',
      start + feed('resource: emails, columns: { ID: uuid, Sync: subject }'),
      [
        '4:81: feeds.f.columns.Sync: found "Sync", which is the status column already; allowed: a header of its own for each column',
      ],
    ],
    [
      'one field in two columns',
      start + feed('resource: emails, columns: { ID: uuid, A: subject, B: subject }'),
      ['4:96: feeds.f.columns.B: found subject again; allowed: each field or path in one column'],
    ],
    [
      'a filter that the listing does not have',
      start +
        feed(
          'resource: emails, columns: { ID: uuid }, filter: { stauts: sent, sent_at: { ">": x }, type: { ">": x } }',
        ),
      [
        '4:93: feeds.f.filter.stauts: found a filter that the listing of emails does not have; allowed: lead_uuid, flow_uuid, mailbox_uuid, type, status, from_email, to_email, thread_uuid or sent_at; did you mean status?',
        '4:134: feeds.f.filter.type: found comparisons; allowed: one value: this field is compared for equality only',
      ],
    ],
    [
      'an order by what the listing does not sort by, and rows without end',
      start + feed('resource: network_messages, columns: { ID: uuid }, order: { field: text }, limit_rows: 9001'),
      [
        '4:109: feeds.f.order.field: found "text"; allowed: a field to sort network_messages by: uuid, sent_at, created_at or updated_at',
        '4:129: feeds.f.limit_rows: found 9001; allowed: a whole number from 1 to 9000',
      ],
    ],
    [
      'control of what cannot be controlled (E7)',
      start + feed('resource: emails, columns: { ID: uuid }, control: true'),
      ['4:92: feeds.f.control: found control of emails; allowed: false: only automations can be controlled'],
    ],
    [
      'control without a column to type into (E7)',
      start + feed('resource: automations, columns: { ID: uuid }, control: true'),
      ['4:97: feeds.f.control: found control without a column of status; allowed: a column such as Status: status'],
    ],
  ],
};

const files = { 'empty.txt': '\n', 'quoted.txt': "'t'\n", 'token.txt': 't\n', 'hook.txt': 'sixteen-letters-\n' };

describe.each(Object.entries(groups))('%s', (_group, cases) => {
  test.each(cases)('refused with its line: %s', (_what, text, lines) => {
    expect(problemsOf(text, { files })).toEqual(lines);
  });
});
