import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { createEnvReader } from '../../../src/dot-env.ts';
import { composeText, describeKey, envText, gitignoreText, systemdUnit } from '../../../src/operator/init/files.ts';

/* The files beside the configuration. */

test.each(['plain-token_1.2', 'with space', 'a#b', '$HOME', '`id`', '"quoted"', 'back\\slash', "it's", 'a=b', '$(id)'])(
  'a value of .env is read back as it was by Node and by a shell: %s',
  (value) => {
    const folder = mkdtempSync(join(tmpdir(), 'leadsheet-env-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const text = envText('', [{ name: 'OUTREACH_TOKEN', value }]);
    expect(text).toBeDefined();
    const file = join(folder, '.env');
    writeFileSync(file, text!);
    expect(parseEnv(text!)).toEqual({ OUTREACH_TOKEN: value });
    expect(execFileSync('sh', ['-c', '. "$0"; printf %s "$OUTREACH_TOKEN"', file], { encoding: 'utf8' })).toBe(value);
    expect(createEnvReader({ OTHER: '1' }, file).read()).toEqual({ OUTREACH_TOKEN: value, OTHER: '1' });
  },
);

test('a value that readers of .env take differently is refused', () => {
  expect(envText('', [{ name: 'A', value: `'"` }])).toBeUndefined();
  expect(envText('', [{ name: 'A', value: 'a\nB=1' }])).toBeUndefined();
});

test('a variable of the environment goes before .env; without .env nothing is added', () => {
  expect(createEnvReader({ A: '1' }, '/nowhere/.env').read()).toEqual({ A: '1' });
});

test('a token that systemd or Compose took from .env at the start follows .env; another one of the environment stays', () => {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-env-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, '.env');
  writeFileSync(file, 'OUTREACH_TOKEN=refused\nHOST=of-the-file\n');
  const { read } = createEnvReader({ OUTREACH_TOKEN: 'refused', HOST: 'own', PATH: '/bin' }, file);
  expect(read()).toEqual({ OUTREACH_TOKEN: 'refused', HOST: 'own', PATH: '/bin' });
  writeFileSync(file, 'OUTREACH_TOKEN=new\nHOST=of-the-file-too\nPATH=/typed\n');
  expect(read()).toEqual({ OUTREACH_TOKEN: 'new', HOST: 'own', PATH: '/bin' });
  rmSync(file);
  expect(read()).toEqual({ OUTREACH_TOKEN: 'refused', HOST: 'own', PATH: '/bin' });
});

test('.env and .gitignore keep their lines, and a line that is there is not repeated', () => {
  expect(envText('# mine\nexport A=1\nB=2', [{ name: 'A', value: 'x' }])).toBe('# mine\nA=x\nB=2\n');
  expect(gitignoreText('/.env\nconfig/google.json\n', ['.env', 'config/google.json'])).toBeUndefined();
  expect(gitignoreText('dist', ['.env'])).toBe('dist\n/.env\n');
});

test('only the key of a service account is one', () => {
  expect(describeKey('{"type":"service_account","client_email":"a@b"}')).toEqual({ account: 'a@b' });
  for (const text of ['', '[]', 'null', '{"type":"authorized_user"}', '{"type":"service_account","client_email":5}']) {
    expect(describeKey(text)).toBeUndefined();
  }
});

test('a unit of systemd keeps per cent signs of paths', () => {
  const unit = systemdUnit({
    folder: '/srv/50%',
    config: '/srv/50%/a.yaml',
    envFile: '.env',
    account: 'ann',
    authorities: undefined,
  });
  expect(unit).toContain('WorkingDirectory=/srv/50%%\nEnvironmentFile=/srv/50%%/.env\n');
});

test.each([
  ['config/leadsheet.yaml', './config:/leadsheet/config:ro', '/leadsheet/config/leadsheet.yaml'],
  ['clients/beta/own.yaml', './clients/beta:/leadsheet/clients/beta:ro', '/leadsheet/clients/beta/own.yaml'],
  // The folder itself has secrets and the state.
  ['leadsheet.yaml', './leadsheet.yaml:/leadsheet/leadsheet.yaml:ro', '/leadsheet/leadsheet.yaml'],
  ['../own.yaml', './../own.yaml:/leadsheet/own.yaml:ro', '/leadsheet/own.yaml'],
])('every command in the container of a compose file finds %s', (config, mount, file) => {
  const text = composeText({ config, keyFile: 'google.json', envFile: '.env', authorities: undefined });
  const { leadsheet } = (parse(text) as { services: { leadsheet: object } }).services;
  expect(leadsheet).toMatchObject({
    environment: { LEADSHEET_CONFIG: file },
    volumes: expect.arrayContaining([mount]),
  });
  expect(leadsheet).not.toHaveProperty('command');
});
