import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { effectiveConfig } from '../../src/config/effective.ts';
import { readServiceSettings } from '../../src/config/service-settings.ts';
import { defaultOf, load, problemsOf } from '../support/config.ts';
import { sync } from './files.ts';

/* `crm.headers`, and OUTREACH_HEADERS of `leadsheet api`: the further headers that may be sent. */

const value = 'team-of-seven-7261534';
const file = (headers: string) =>
  `crm: { base_url: https://crm.example, token: test-key, headers: ${headers} }\ngoogle: { credentials_file: g.json }\n${sync()}`;

test('headers are there for the code that sends them, and are never printed', () => {
  const config = load(file('{ Team-ID: "${TEAM}" }'), { env: { TEAM: value } });
  expect(defaultOf(config).crm.extraHeaders?.['Team-ID']?.reveal()).toBe(value);
  for (const shown of [
    inspect(config, { depth: 20 }),
    JSON.stringify(config),
    JSON.stringify(effectiveConfig(config)),
  ]) {
    expect(shown).not.toContain(value);
  }
  expect(effectiveConfig(config)).toMatchObject({ crm: { headers: { 'Team-ID': '[secret]' } } });
});

test('without them there are none', () => {
  expect(defaultOf(load(file('{}'))).crm).not.toHaveProperty('extraHeaders');
});

describe.each([
  'Authorization',
  'content-type',
  'HOST',
  'Content-Length',
  'transfer-encoding',
  'User-Agent',
  'a b',
  'é',
])('the header %s', (name) => {
  test('is refused by the file without its value', () => {
    const problems = problemsOf(file(`{ "${name}": ${value} }`));
    expect(problems).toEqual([expect.stringMatching(/crm\.headers.*allowed: the name of a header, such as Team-ID/)]);
    expect(problems.join()).not.toContain(value);
  });
  test('is refused by the environment', () => {
    const env = { OUTREACH_BASE_URL: 'https://crm.example', OUTREACH_TOKEN: 'test-key' };
    const given = { ...env, OUTREACH_HEADERS: JSON.stringify({ [name]: value }) };
    expect(() => readServiceSettings(given)).toThrow('OUTREACH_HEADERS must be a JSON object of headers');
  });
});

test.each([
  ['{ Team-ID: "line\\nfeed-of-seven" }', 'crm.headers.Team-ID: found a value that is not shown; allowed: one line'],
  ['{ Team-ID: " outside " }', 'crm.headers.Team-ID: found a value that is not shown; allowed: one line'],
  ['{ Team-ID: "" }', 'allowed: one line'],
  ['{ Team-ID: of-seven, team-id: eight }', 'crm.headers: found a value that is not shown; allowed: each header once'],
  ['[of-seven]', 'crm.headers: found a value that is not shown; allowed: a mapping (key: value)'],
  ['of-seven', 'crm.headers: found a value that is not shown; allowed: a mapping (key: value)'],
])('%s is refused without its value', (headers, said) => {
  const problems = problemsOf(file(headers));
  expect(problems).toEqual([expect.stringContaining(said)]);
  expect(problems.join()).not.toMatch(/of-seven|outside/);
});

test('`leadsheet api` takes them from the environment', () => {
  const env = {
    OUTREACH_BASE_URL: 'https://crm.example',
    OUTREACH_TOKEN: 'test-key',
    OUTREACH_HEADERS: '{"Team-ID":"5"}',
  };
  expect(readServiceSettings(env).extraHeaders?.['Team-ID']?.reveal()).toBe('5');
  for (const wrong of ['[]', 'Team-ID: 5', '{"Team-ID": 5}', '{"Team-ID":"a","team-id":"b"}', '{"Team-ID":"a\\nb"}']) {
    expect(() => readServiceSettings({ ...env, OUTREACH_HEADERS: wrong })).toThrow('must be a JSON object of headers');
  }
});

test.each(['htps://me:pass@crm.example', 'postgres://me:pass@db/x', 'me:pass@crm.example', 'ftp://me:p/a:pass@x'])(
  'an address with a password in it is refused without the password: %s',
  (address) => {
    expect(() => readServiceSettings({ OUTREACH_BASE_URL: address, OUTREACH_TOKEN: 'test-key' })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('pass') }) as Error,
    );
  },
);
