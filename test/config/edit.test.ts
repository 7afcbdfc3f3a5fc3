import { expect, test } from 'vitest';
import { newConfigText, textWithAccount, textWithSync } from '../../src/config/edit.ts';
import { defaultOf, load } from '../support/config.ts';

/* The text of a new configuration, and of one to which a sync is added. */

const env = { TOKEN: 'test-key', KEY: 'google.json', ALERTS: 'https://alerts.example.com/x' };
const head = 'crm: { base_url: https://service.test, token: ${TOKEN} } # ours\ngoogle: { credentials_file: ${KEY} }\n';
const sync = {
  contacts: { list: 'Prospects' },
  sheet: { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdef', tab: 'Leads' },
  match: ['email'],
  columns: { Email: 'email', Status: { field: 'status', direction: 'to_sheet' } },
  conflict: 'manual',
};
const other = `contacts: { list: Others }, sheet: { spreadsheet: ${sync.sheet.spreadsheet}, tab: Others }, columns: { Email: email }`;

test.each([
  ['no syncs', ''],
  ['syncs without a value', 'syncs: # none yet\n'],
  ['syncs in braces, blank', 'syncs: {}\n'],
  ['syncs in braces, with one', `syncs: { others: { ${other} } }\n`],
  ['a sync in braces', `syncs:\n  others: { ${other} }\n`],
  ['Windows line ends', `syncs:\r\n  others: { ${other} }\r\n# end\r\n`],
  ['another indentation', `syncs:\n      others: { ${other} }\nalerts: { webhook_url: \${ALERTS} }\n`],
  ['an anchor', `syncs:\n  others: &others { ${other} }\n`],
])('a sync is added: %s', (_what, rest) => {
  const before = `${head}${rest}`;
  const text = textWithSync(before, 'leads', sync, { conflict: 'both stay' });
  const config = load(text, { env });
  const { google, crm } = defaultOf(config);
  const { syncs } = config;
  expect(syncs.map(({ name }) => name)).toEqual(before.includes('others:') ? ['others', 'leads'] : ['leads']);
  expect([google.credentialsFile, crm.token.reveal()]).toEqual(['google.json', 'test-key']);
  expect(text).toContain('# ours\n');
  expect(text).toContain('conflict: manual # both stay\n');
  expect(text).toContain('Status: { field: status, direction: to_sheet }\n');
});

test.each([
  ['under a section without a value', 'syncs: # none yet\n  # others:\n  #   contacts: { list: Others }\n# the end\n'],
  ['under a section in braces', 'syncs: {} # none yet\n  # others:\n  #   contacts: { list: Others }\n# the end\n'],
])('the comments of the file stay where a sync or an account is added: %s', (_what, rest) => {
  const comments = ['# ours', '# none yet', '# others:', '#   contacts: { list: Others }', '# the end'];
  const account = { crm: { base_url: 'https://service.test', token: '${TOKEN}' }, google: { credentials_file: 'key' } };
  for (const text of [
    textWithSync(`${head}${rest}`, 'leads', sync),
    textWithAccount(`${head}${rest.replace('syncs', 'accounts')}`, 'acme', account),
  ]) {
    expect(comments.filter((comment) => !text.includes(comment))).toEqual([]);
  }
});

test.each([
  ['whose syncs stand elsewhere', `alerts: &all { others: { ${other} } }\nsyncs: *all\n`],
  ['that has the sync by now', `syncs: { leads: { ${other} } }\n`],
])('a file %s is not changed', (_what, rest) => {
  expect(() => textWithSync(`${head}${rest}`, 'leads', sync)).toThrow(
    'the file cannot be changed without changing more than syncs.leads: edit it by hand',
  );
});

test('what people wrote is never a reference, an alias or another type', () => {
  const texts = [
    '${TOKEN}',
    '$${TOKEN}',
    '*alias',
    '2024',
    'yes',
    '# none',
    'a: b',
    ' x',
    '"',
    "'",
    '\u0007',
    '- a',
    '~',
  ];
  for (const list of texts) {
    const text = newConfigText({
      name: 'leads',
      sync: { ...sync, contacts: { list }, columns: { Email: 'email', [`${list} column`]: 'position' } },
      crm: { base_url: 'https://service.test', token: '${TOKEN}' },
      google: { credentials_file: '${KEY}' },
      hasSchema: true,
    });
    expect(text.startsWith('# yaml-language-server: $schema=./leadsheet.schema.json\n')).toBe(true);
    const [loaded] = load(text, { env }).syncs;
    expect(loaded!.contacts.list.trim()).toBe(list.trim());
    expect(loaded!.columns.map(({ header }) => header)).toEqual(['Email', `${list} column`.trim()]);
  }
});
