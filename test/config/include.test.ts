// Included files: what they may hold, the place of a fault, and what holds despite faults.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfigFile, readSoundConfigFile } from '../../src/app-config.ts';
import type { Config } from '../../src/config/config.ts';
import { jobsIn } from '../../src/config/jobs.ts';
import { ConfigError } from '../../src/config/problems.ts';

const account = (token: string) =>
  `{ crm: { base_url: https://crm.example, token: ${token} }, google: { credentials_file: g.json } }`;
const job = (name: string, owner: string, more = '') =>
  `  ${name}: { account: ${owner}, contacts: { list: L }, sheet: { spreadsheet: 1AbCdEfGhIj, tab: ${name}${more} }, columns: { Email: email } }\n`;
const client = (name: string) =>
  `accounts:\n  ${name}: ${account(`test-${name}`)}\nsyncs:\n${job(`${name}-leads`, name)}`;

/** Writes files below a folder, and reads its `main.yaml`. */
function filesOf(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-include-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const world = { env: { SET: 'the-value' }, readFile: (file: string) => readFileSync(file, 'utf8') };
  const main = join(folder, 'main.yaml');
  return {
    folder,
    read: () => readConfigFile(main, world),
    readSound: () => readSoundConfigFile(main, world),
    problems: (): readonly string[] => {
      try {
        readConfigFile(main, world);
        return [];
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return error.message.replaceAll(`${folder}/`, '').split('\n');
      }
    },
  };
}

const names = (config: Config) => jobsIn(config).map(({ name }) => name);
const left = (config: Config) => config.faults.map(({ kind, name }) => `${kind} ${name.split('/').at(-1)}`);

describe('included files', () => {
  test('add accounts and jobs, by patterns relative to the file, in the order of their names', () => {
    const { read, folder } = filesOf({
      'main.yaml': `include: [clients/*.yaml, more.yaml]\nsyncs:\n${job('own', 'acme')}`,
      'clients/beta.yaml': client('beta'),
      'clients/acme.yaml': client('acme').replace('test-acme', '${SET}'),
      'more.yaml': `feeds: { mails: { account: beta, resource: emails, spreadsheet: 1AbCdEfGhIj, tab: M, columns: { ID: uuid } } }\n`,
    });
    const config = read();
    expect(names(config)).toEqual(['own', 'acme-leads', 'beta-leads', 'mails']);
    expect([...config.accounts.keys()]).toEqual(['acme', 'beta']);
    expect(config.accounts.get('acme')!.crm.token.reveal()).toBe('the-value');
    expect(config.included).toEqual(
      ['clients/acme.yaml', 'clients/beta.yaml', 'more.yaml'].map((name) => join(folder, name)),
    );
  });

  test('a pattern that also names the file itself leaves it out', () => {
    expect(names(filesOf({ 'main.yaml': `include: '*.yaml'\n`, 'a.yaml': client('acme') }).read())).toEqual([
      'acme-leads',
    ]);
  });

  test.each([
    [
      'a pattern without files',
      { 'main.yaml': `include: [clients/*.yml]\n${client('acme')}` },
      expect.stringMatching(
        /^main\.yaml:1:11: include\.0: found "clients\/\*\.yml", which names no file; allowed: a file, or a pattern such as clients/,
      ),
    ],
    [
      'an include of an include',
      { 'main.yaml': `include: a.yaml\n`, 'a.yaml': `include: b.yaml\n${client('acme')}` },
      'a.yaml:1:1: include: found an include of an include; allowed: include in the first file alone',
    ],
    [
      'an option of the first file',
      { 'main.yaml': `include: a.yaml\n`, 'a.yaml': `${client('acme')}server: { password: p }\n` },
      'a.yaml:5:1: server: found an option of the first file; allowed: only accounts, syncs, feeds and outbox in an included file',
    ],
    [
      'a list',
      { 'main.yaml': `include: a.yaml\n${client('acme')}`, 'a.yaml': '- x\n' },
      'a.yaml:1:1: found a list; allowed: a mapping with accounts, syncs, feeds and outbox in an included file',
    ],
    [
      'an empty file',
      { 'main.yaml': `include: a.yaml\n${client('acme')}`, 'a.yaml': '# none\n' },
      'a.yaml:1:1: found nothing but comments; allowed: accounts, syncs, feeds or outbox at least',
    ],
    [
      'a job that another file has',
      {
        'main.yaml': 'include: "*/*.yaml"\n',
        'a/a.yaml': client('acme'),
        'b/b.yaml': `syncs:\n${job('acme-leads', 'acme')}`,
      },
      'b/b.yaml:2:3: syncs.acme-leads: found the name of one in a/a.yaml again; allowed: a name of its own for each sync, feed and outbox, over all files',
    ],
    [
      'a wrong option of a job, with its file',
      {
        'main.yaml': `include: a.yaml\n`,
        'a.yaml': `accounts:\n  acme: ${account('test-key')}\nsyncs:\n${job('x', 'acme', ', header_row: 0')}`,
      },
      expect.stringMatching(/^a\.yaml:4:\d+: syncs\.x\.sheet\.header_row: found 0; allowed: a whole number/),
    ],
    [
      'a variable that is not set, with its file',
      { 'main.yaml': `include: a.yaml\n`, 'a.yaml': client('acme').replace('test-acme', '${UNSET}') },
      'a.yaml:2:56: accounts.acme.crm.token: found ${UNSET}, which is not set in the environment; allowed: a variable that is set',
    ],
  ])('refused with its line: %s', (_what, files, line) => {
    const found = filesOf(files).problems();
    expect(found).toEqual([line]);
  });
});

describe('what holds despite faults', () => {
  test('a broken file leaves out its own jobs alone', () => {
    const { readSound, problems } = filesOf({
      'main.yaml': 'include: clients/*\n',
      'clients/acme.yaml': client('acme'),
      'clients/beta.yaml': 'accounts: [\n',
      'clients/gamma.yaml': client('gamma'),
    });
    const config = readSound();
    expect(names(config)).toEqual(['acme-leads', 'gamma-leads']);
    expect(left(config)).toEqual(['file beta.yaml']);
    expect(problems()[0]).toMatch(/^clients\/beta\.yaml:\d+:\d+: found text that is no YAML/);
  });

  test('a job with a wrong option is left out, and an account with one takes its jobs along', () => {
    const { readSound } = filesOf({
      'main.yaml':
        `accounts:\n  acme: ${account('test-key')}\n  beta: ${account('"two words"')}\n` +
        `syncs:\n${job('a', 'acme')}${job('b', 'beta')}${job('c', 'acme', ', header_row: x')}`,
    });
    const config = readSound();
    expect(names(config)).toEqual(['a']);
    expect([...config.accounts.keys()]).toEqual(['acme']);
    expect(left(config)).toEqual(['account beta', 'job c', 'job b']);
  });

  test('crm at the top is an account like others', () => {
    const { readSound } = filesOf({
      'main.yaml': `crm: { base_url: https://crm.example, token: \${UNSET} }\ngoogle: { credentials_file: g.json }\naccounts:\n  acme: ${account('test-key')}\nsyncs:\n${job('a', 'acme')}${job('b', 'default')}`,
    });
    expect(names(readSound())).toEqual(['a']);
    expect(left(readSound())).toEqual(['account default', 'job b']);
  });

  test('of two jobs over one tab neither holds, and of three none', () => {
    const { readSound } = filesOf({
      'main.yaml': `accounts:\n  acme: ${account('test-key')}\n  beta: ${account('test-key-2')}\nsyncs:\n${job('a', 'acme')}${job('b', 'beta').replace('tab: b', 'tab: a')}${job('c', 'acme')}`,
    });
    expect(names(readSound())).toEqual(['c']);
    expect(left(readSound())).toEqual(['job b', 'job a']);
  });

  test('one name in two files: neither of the two jobs holds', () => {
    const { readSound } = filesOf({
      'main.yaml': 'include: "*/*.yaml"\n',
      'a/a.yaml': `${client('acme')}${job('other', 'acme')}`,
      'b/b.yaml': `syncs:\n${job('acme-leads', 'acme')}`,
    });
    expect(names(readSound())).toEqual(['other']);
  });

  test.each([
    ['the server', `server: { listen: nowhere }\n`],
    ['the state', `state: postgres://\n`],
    ['an unknown option', `colour: red\n`],
  ])('a fault of %s is a fault of the whole', (_what, text) => {
    const { readSound } = filesOf({ 'main.yaml': `${text}${client('acme')}` });
    expect(readSound).toThrow(ConfigError);
  });

  test('without one sound job the whole is refused', () => {
    const { readSound } = filesOf({ 'main.yaml': client('acme').replace('test-acme', '"two words"') });
    expect(readSound).toThrow(ConfigError);
  });
});
