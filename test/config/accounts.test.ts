// Accounts of a configuration: both forms, and the refusals around them.
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { configDigest } from '../../src/config/digest.ts';
import { effectiveConfig } from '../../src/config/effective.ts';
import { jobsIn } from '../../src/config/jobs.ts';
import { load, problemsOf } from '../support/config.ts';
import { start } from './files.ts';

const top = start;
const accountText = (token = 'test-acme', more = '') =>
  `{ crm: { base_url: https://acme.example, token: ${token} }, google: { credentials_file: acme.json }${more} }`;
const syncText = (account?: string, tab = 'T') =>
  `{ ${account === undefined ? '' : `account: ${account}, `}contacts: { list: L }, ` +
  `sheet: { spreadsheet: 1AbCdEfGhIj, tab: ${tab} }, columns: { Email: email } }`;

describe('accounts', () => {
  test('the old form is the account default', () => {
    const config = load(`${top}syncs: { s: ${syncText()} }\n`);
    expect([...config.accounts.keys()]).toEqual(['default']);
    expect(config.syncs[0]).toMatchObject({ account: 'default' });
    expect(Object.keys(effectiveConfig(config))).not.toContain('accounts');
  });

  test('both forms hold together, and each job has its own', () => {
    const config = load(
      `${top}alerts: { webhook_url: https://all.example/x }\n` +
        `accounts: { acme: ${accountText('test-acme', ', alerts: { webhook_url: https://acme.example/x }')}, beta: ${accountText('test-beta')} }\n` +
        `syncs: { s: ${syncText()}, a: ${syncText('acme', 'A')}, d: ${syncText('default', 'D')} }\n` +
        'feeds: { f: { account: beta, resource: emails, spreadsheet: 1AbCdEfGhIj, tab: F, columns: { ID: uuid } } }\n',
    );
    expect([...config.accounts.keys()]).toEqual(['default', 'acme', 'beta']);
    expect(jobsIn(config).map(({ name, config: { account } }) => [name, account])).toEqual([
      ['s', 'default'],
      ['a', 'acme'],
      ['d', 'default'],
      ['f', 'beta'],
    ]);
    const acme = config.accounts.get('acme')!;
    expect(acme.crm.token.reveal()).toBe('test-acme');
    expect(acme.google.credentialsFile).toBe('acme.json');
    expect(acme.alertWebhookUrl?.reveal()).toBe('https://acme.example/x');
    expect(config.accounts.get('beta')!.alertWebhookUrl?.reveal()).toBe('https://all.example/x');
    expect(config.accounts.get('default')!.crm.baseUrl).toBe('https://crm.example');
  });

  test('a file may have further accounts alone', () => {
    const config = load(`accounts: { acme: ${accountText()} }\nsyncs: { a: ${syncText('acme')} }\n`);
    expect([...config.accounts.keys()]).toEqual(['acme']);
  });

  test('a token may be in a file of its own', () => {
    const text =
      'accounts: { acme: { crm: { base_url: https://acme.example, token_file: acme.txt }, google: { credentials_file: a.json } } }\n' +
      `syncs: { a: ${syncText('acme')} }\n`;
    expect(
      load(text, { files: { 'acme.txt': 'from-the-file\n' } })
        .accounts.get('acme')!
        .crm.token.reveal(),
    ).toBe('from-the-file');
    expect(problemsOf(text)).toEqual([
      '1:72: accounts.acme.crm.token_file: found the token file acme.txt cannot be read (ENOENT); allowed: a file that holds the token and that this process may read',
    ]);
  });

  test('tokens of accounts are never printed, and another token is another configuration', () => {
    const of = (token: string) =>
      load(`accounts: { acme: ${accountText(token)} }\nsyncs: { a: ${syncText('acme')} }\n`);
    const config = of('the-secret-of-acme');
    expect(inspect(config, { depth: 20, showHidden: true })).not.toContain('the-secret');
    expect(JSON.stringify(config)).not.toContain('the-secret');
    expect(JSON.stringify(effectiveConfig(config))).not.toContain('the-secret');
    expect(configDigest(config, 'salt')).toBe(configDigest(of('the-secret-of-acme'), 'salt'));
    expect(configDigest(config, 'salt')).not.toBe(configDigest(of('another-secret'), 'salt'));
  });
});

describe('refused with its line', () => {
  test.each([
    [
      'no account at all',
      `accounts: {}\nsyncs: { a: ${syncText('acme')} }\n`,
      [
        '1:11: accounts: found an empty mapping; allowed: one account at least, such as acme with crm and google, or crm and google at the top',
      ],
    ],
    [
      'crm at the top without google',
      `crm: { base_url: https://crm.example, token: test-key }\naccounts: { acme: ${accountText()} }\nsyncs: { a: ${syncText('acme')} }\n`,
      [
        '1:1: google: found nothing; allowed: a mapping with credentials_file, endpoint, reads_per_minute, writes_per_minute, hints',
      ],
    ],
    [
      'an account without a token',
      `accounts: { acme: { crm: { base_url: https://acme.example }, google: { credentials_file: a.json } } }\nsyncs: { a: ${syncText('acme')} }\n`,
      [
        '1:21: accounts.acme.crm: found no token; allowed: token: ${OUTREACH_TOKEN}, or token_file with the path of a file that holds it',
      ],
    ],
    [
      'default in both forms',
      `${top}accounts: { Default: ${accountText()} }\nsyncs: { a: ${syncText()} }\n`,
      [
        '3:13: accounts.Default: found the name of crm and google at the top again; allowed: a name of its own for each account, in more than upper and lower case',
      ],
    ],
    [
      'a name that is none',
      `accounts: { "a/b": ${accountText()} }\nsyncs: { a: ${syncText('a/b')} }\n`,
      [
        '1:13: accounts."a/b": found "a/b"; allowed: a name of letters, digits, - and _, a letter or digit first, 64 at most',
      ],
    ],
    [
      'a job of an account that is missing, with the nearest name',
      `accounts: { acme: ${accountText()} }\nsyncs: { a: ${syncText('amce')} }\n`,
      ['2:24: syncs.a.account: found "amce"; allowed: an account of the file: acme; did you mean acme?'],
    ],
    [
      'a job without an account where none is the default',
      `accounts: { acme: ${accountText()}, beta: ${accountText('test-key-b')} }\nsyncs: { a: ${syncText()} }\n`,
      ['2:10: syncs.a: found no account; allowed: account, which is one of the file: acme or beta'],
    ],
    [
      'one tab for jobs of two accounts',
      `accounts: { acme: ${accountText()}, beta: ${accountText('test-key-b')} }\nsyncs: { a: ${syncText('acme')}, b: ${syncText('beta')} }\n`,
      [
        '2:210: syncs.b.sheet.tab: found the tab that syncs.a writes, in the same spreadsheet; allowed: a tab of its own for each sync, feed and outbox',
      ],
    ],
  ])('%s', (_what, text, lines) => {
    expect(problemsOf(text)).toEqual(lines);
  });
});
