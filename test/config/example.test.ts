import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { expect, test } from 'vitest';
import { isMap, isScalar, parseDocument, visit } from 'yaml';
import { configOptions } from '../../scripts/config-reference.ts';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { keysOf, schemaAt } from '../../src/config/schema-walk.ts';
import { ConfigError } from '../../src/config/problems.ts';
import { configFile } from '../../src/config/schema/file.ts';
import { load, problemsOf } from '../support/config.ts';
import { repeats } from '../support/repeats.ts';
import { outreachDescription } from '../../src/crm/outreach/description.ts';

const example = readFileSync(new URL('../../config/example.yaml', import.meta.url), 'utf8');
const env = {
  OUTREACH_BASE_URL: 'https://crm.example',
  OUTREACH_TOKEN: 'test-key',
  GOOGLE_APPLICATION_CREDENTIALS: 'g.json',
  ALERT_WEBHOOK: 'https://hooks.example/x',
};
/** The example with the options that it only shows in comments. */
const withComments = example.replaceAll(/^( *)# (?=\w+: )/gm, '$1');

/** In flow mappings only leadsheet reads references without quotes; the example has none there. */
const data = (text: string): unknown => parseDocument(text).toJS();

function optionsIn(text: string): readonly string[] {
  const document = parseDocument(text, { uniqueKeys: false });
  const found: string[] = [];
  visit(document, {
    Pair(_key, pair, ancestors) {
      const names = [...ancestors, pair].flatMap((node) =>
        'key' in node && isScalar(node.key) ? [String(node.key.value)] : [],
      );
      found.push(names.map((name, index) => placeholders[names[index - 1] ?? ''] ?? name).join('.'));
    },
  });
  expect(isMap(document.contents)).toBe(true);
  return found;
}
const placeholders: Readonly<Record<string, string>> = {
  syncs: 'NAME',
  feeds: 'NAME',
  outbox: 'NAME',
  columns: 'HEADER',
};

test('the example loads', () => {
  const config = load(example, { env });
  expect(config.syncs.map(({ name }) => name)).toEqual(['prospects']);
  expect(config.feeds.map(({ name }) => name)).toEqual(['automations', 'emails']);
  expect(config.outboxes.map(({ name }) => name)).toEqual(['outreach']);
});

test('the example has every option, at least in a comment', () => {
  const options = configOptions().map(({ path }) => path.join('.'));
  expect(options.length).toBeGreaterThan(60);
  const shown = optionsIn(withComments);
  expect(options.filter((option) => !shown.includes(option))).toEqual([]);
});

test('the example states the defaults wherever it sets no other value', () => {
  const differs = new Set(['syncs.NAME.timezone', 'feeds.NAME.timezone', 'feeds.NAME.control', 'outbox.NAME.timezone']);
  const values = load(example, { env }).options as unknown;
  const at = (path: readonly string[]) =>
    path.reduce<unknown>((value, name) => {
      const inside = (value ?? {}) as Readonly<Record<string, unknown>>;
      return name === 'NAME' ? (inside['prospects'] ?? inside['automations'] ?? inside['outreach']) : inside[name];
    }, values);
  const leaves = configOptions().filter(({ node }) => node.default !== undefined && typeof node.default !== 'object');
  expect(leaves.length).toBeGreaterThan(25);
  const otherwise = leaves.filter(({ path, node }) => at(path) !== node.default).map(({ path }) => path.join('.'));
  expect(new Set(otherwise)).toEqual(differs);
});

test('the JSON Schema is valid, and accepts the example as an editor reads it', () => {
  const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, strictRequired: false }).compile(
    configJsonSchema(outreachDescription),
  );
  validate(data(example));
  expect(validate.errors).toBeNull();
});

const forEditors = new Ajv({ strict: false }).compile(configJsonSchema(outreachDescription));

test.each([
  ['a misspelt option', 'requests_per_minute', 'requests_per_minut'],
  ['a choice that is none', 'format: json', 'format: jason'],
  ['a text for a number', 'concurrency: 2', 'concurrency: two'],
  ['an unknown field', 'First name: first_name', 'First name: frist_name'],
])('the JSON Schema refuses %s', (_what, right, wrong) => {
  expect(forEditors(data(example.replace(right, wrong)))).toBe(false);
});

test('the JSON Schema accepts a reference in place of a choice of words', () => {
  expect(forEditors(data(example.replace('format: json', 'format: ${LOG_FORMAT}')))).toBe(true);
});

/** The data with another value at a place; NAME and HEADER mean the first one. */
function replaced(value: unknown, [name, ...rest]: readonly string[], put: unknown): unknown {
  if (name === undefined) return put;
  const inside = (value ?? {}) as Readonly<Record<string, unknown>>;
  const key = name === 'NAME' || name === 'HEADER' ? (Object.keys(inside)[0] ?? 'x') : name;
  return { ...inside, [key]: replaced(inside[key], rest, put) };
}

/** Values of the right type are tried first: each try reads the whole file. */
function isOfType(value: unknown, node: object): boolean {
  const type = 'type' in node ? node.type : undefined;
  if (type === 'integer' || type === 'number') return typeof value === 'number';
  return type === (Array.isArray(value) ? 'array' : typeof value);
}

/** A bound for hanging: each reads the whole file thousands of times. */
const longMs = 180_000;

test('every option has an effect', { timeout: longMs }, () => {
  const changes: readonly (readonly [readonly string[], unknown])[] = [
    [['feeds', 'NAME', 'columns'], { ID: 'uuid', S: 'status' }],
    [['feeds', 'NAME', 'control'], false],
    // Its own options have no effect on a state in files.
    [['state'], 'postgres://me@db.example/x'],
    [['syncs', 'NAME', 'columns', 'HEADER'], { field: 'first_name' }],
    [
      ['accounts'],
      {
        second: {
          crm: { base_url: 'https://second.example', token: 'test-key' },
          google: { credentials_file: 'second.json' },
        },
      },
    ],
    [
      ['server', 'trusted_proxy'],
      { from: ['::1'], header: 'X-User', role: 'viewer', roles: { ann: 'viewer' }, accounts: { ann: ['default'] } },
    ],
  ];
  const whole = changes.reduce((value, [path, put]) => replaced(value, path, put), data(example));
  // The pattern finds it in the folder of the tests, and this is its content.
  const files = { 'package.json': 'syncs: {}\n' };
  const outcome = (value: unknown) => {
    const text = JSON.stringify(value);
    try {
      const { options: _options, written: _written, accounts, ...config } = load(text, { env, files });
      return JSON.stringify({ accounts: [...accounts.values()], ...config });
    } catch (error) {
      if (error instanceof ConfigError) return undefined;
      throw error;
    }
  };
  const before = outcome(whole);
  const values = [
    true,
    false,
    3,
    null,
    'https://other.example',
    'https://other.example/{uuid}',
    'file:./other',
    '127.0.0.1:5000',
    '0 4 * * *',
    'Europe/Paris',
    '1ZzZzZzZzZzZz',
    '33%',
    '90s',
    'Other',
    'other',
    'second',
    'package.json',
    ['email', 'network_id'],
    {},
    { status: 'other' },
    ['10.0.0.0/8'],
    { ann: 'operator' },
    [{ name: 'ann', role: 'viewer', password_hash: `$scrypt$ln=15,r=8,p=3$${'A'.repeat(22)}$${'B'.repeat(43)}` }],
    { Email: 'x' },
    { ID: 'uuid' },
    { A: 'lead_uuid', B: 'sender_profile_uuid', C: 'text' },
    { Mail: 'email', Status: 'status', Company: 'company_name', Profile: 'network_id', Name: 'name' },
  ];
  const leaves = configOptions().filter(
    ({ path, node }) =>
      node.properties === undefined &&
      node.writeOnly !== true &&
      !/^(HEADER|field|custom_field|.+_file)$/.test(path.at(-1)!),
  );
  expect(leaves.length).toBeGreaterThan(50);
  const idle: string[] = [];
  for (const { path, node } of leaves) {
    const words = node.anyOf?.flatMap((branch) => branch.enum ?? []) ?? [];
    // The sent field and the name of its text column change together.
    const mail = { A: 'lead_uuid', B: 'sender_profile_uuid', C: 'body' };
    const isSent = path.join('.') === 'outbox.NAME.resource';
    const around = isSent ? replaced(whole, ['outbox', 'NAME', 'columns'], mail) : whole;
    const tried = [...words, ...values.toSorted((a, b) => Number(isOfType(b, node)) - Number(isOfType(a, node)))];
    const hasConsequence = tried.some((value) => {
      const after = outcome(replaced(around, path, value));
      return after !== undefined && after !== before;
    });
    if (!hasConsequence) idle.push(path.join('.'));
  }
  expect(idle).toEqual([]);
});

test('any value at any place gives a configuration or lines about it', { timeout: longMs }, () => {
  const whole = data(example);
  const places = fc.constantFrom(...configOptions().map(({ path }) => path));
  fc.assert(
    fc.property(places, fc.jsonValue({ maxDepth: 2 }), (path, put) => {
      const lines = problemsOf(JSON.stringify(replaced(whole, path, put)), { env });
      for (const line of lines) expect(line).toMatch(/^1:\d+: (\S.*)?found .+; allowed: .+$/);
    }),
    { numRuns: repeats(30, 300) },
  );
});

/** Every key of the example that leadsheet names, with its place. */
function knownKeys() {
  const document = parseDocument(withComments, { uniqueKeys: false });
  const keys: { name: string; offset: number; siblings: readonly string[]; option: string }[] = [];
  visit(document, {
    Pair(_key, pair, ancestors) {
      const path = ancestors.flatMap((node) => ('key' in node && isScalar(node.key) ? [String(node.key.value)] : []));
      const siblings = keysOf(schemaAt(configFile(outreachDescription), path));
      if (siblings === undefined || !isScalar(pair.key) || !pair.key.range) return;
      const name = String(pair.key.value);
      keys.push({ name, offset: pair.key.range[0], siblings, option: [...path, name].join('.') });
    },
  });
  return keys;
}

/** A letter left out, doubled, exchanged with the next, or another one. */
function misspellings(word: string): readonly string[] {
  return Array.from(word).flatMap((letter, index) => [
    word.slice(0, index) + word.slice(index + 1),
    word.slice(0, index) + letter + word.slice(index),
    word.slice(0, index) + (word[index + 1] ?? '') + letter + word.slice(index + 2),
    `${word.slice(0, index)}x${word.slice(index + 1)}`,
  ]);
}

test('any misspelt key of the example is named with its line and the intended key', { timeout: longMs }, () => {
  const keys = knownKeys();
  expect(keys.length).toBeGreaterThan(70);
  const slip = fc
    .constantFrom(...keys)
    .chain((key) => fc.record({ key: fc.constant(key), wrong: fc.constantFrom(...misspellings(key.name)) }))
    // If another option is as near, the intended one is unknown.
    .filter(({ key, wrong }) =>
      key.siblings.every((name) => name === key.name || distance(name, wrong) > distance(key.name, wrong)),
    )
    .filter(({ key, wrong }) => wrong !== key.name && /^\w{2,}$/.test(wrong));
  fc.assert(
    fc.property(slip, ({ key, wrong }) => {
      const text = withComments.slice(0, key.offset) + wrong + withComments.slice(key.offset + key.name.length);
      const before = text.slice(0, key.offset).split('\n');
      const place = `${before.length}:${before.at(-1)!.length + 1}: `;
      const line = problemsOf(text, { env: { ...env, LEADSHEET_PASSWORD: 'p' } }).find((problem) =>
        problem.startsWith(place),
      );
      expect(line).toContain(`.${wrong}: found an unknown option`.slice(key.option.includes('.') ? 0 : 1));
      expect(line).toMatch(new RegExp(`; did you mean ${key.name}\\?$`));
    }),
    { numRuns: repeats(30, 300) },
  );
});
