import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseCredentials, readCredentials } from '../../src/sheets/google/credentials.ts';
import { serving } from '../support/http-server.ts';
import { externalAccount } from '../support/sheets.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const ecPem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

const serviceAccount = {
  type: 'service_account',
  client_email: 'robot@demo.iam.gserviceaccount.com',
  private_key: pem,
};

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'leadsheet-credentials-'))));
afterAll(() => rm(folder, { recursive: true }));

describe('the account to share with', () => {
  test.each([
    ['a service account: its e-mail', serviceAccount, 'robot@demo.iam.gserviceaccount.com'],
    [
      'an authorized user: whoever gave consent',
      { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' },
      'the Google account that gave its consent for key.json',
    ],
    [
      'a workload identity that acts as a service account: its e-mail',
      {
        ...externalAccount,
        service_account_impersonation_url:
          'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/ci@demo.iam.gserviceaccount.com:generateAccessToken',
      },
      'ci@demo.iam.gserviceaccount.com',
    ],
    ['a workload identity by itself: its audience', externalAccount, externalAccount.audience],
  ])('%s', (_, json, account) => {
    const credentials = parseCredentials(JSON.stringify(json), 'key.json');
    expect(credentials.account).toBe(account);
    expect(() => credentials.createAuthClient({})).not.toThrow();
  });
});

test.each([
  ['by itself', undefined, ['/sts'], 'federated'],
  [
    'as a service account',
    'v1/projects/-/serviceAccounts/ci@demo.iam.gserviceaccount.com:generateAccessToken',
    ['/sts', '/v1/projects/-/serviceAccounts/ci@demo.iam.gserviceaccount.com:generateAccessToken'],
    'impersonated',
  ],
])('a workload identity that acts %s has the token of that account', async (_, impersonation, asked, token) => {
  const file = join(folder, 'workload-token');
  await writeFile(file, 'token of the workload');
  const paths: unknown[] = [];
  const url = await serving(({ url: path }, response) => {
    paths.push(path);
    const answer =
      path === '/sts'
        ? { access_token: 'federated', expires_in: 3_600, token_type: 'Bearer' }
        : { accessToken: 'impersonated', expireTime: '2099-01-01T00:00:00Z' };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  const json = {
    ...externalAccount,
    token_url: `${url}sts`,
    credential_source: { file },
    ...(impersonation !== undefined && { service_account_impersonation_url: `${url}${impersonation}` }),
  };
  const client = parseCredentials(JSON.stringify(json), 'key.json').createAuthClient({});
  expect((await client.getAccessToken()).token).toBe(token);
  expect(paths).toEqual(asked);
});

test('a file with a byte order mark from an editor is read too', () => {
  expect(parseCredentials(`\uFEFF${JSON.stringify(serviceAccount)}`, 'key.json').account).toBe(
    serviceAccount.client_email,
  );
});

describe('a bad credentials file gives one line: the file and the remedy', () => {
  test.each([
    ['not JSON', `{"private_key": "${pem.slice(0, 60)}`, 'is not JSON; download a new JSON key'],
    [
      'no type',
      '{}',
      'has no "type"; it must be the JSON file of a service_account, authorized_user, external_account',
    ],
    ['an unknown type', '{"type":"gdch_service_account"}', 'has the unknown type "gdch_service_account"; it must be'],
    [
      'a missing field',
      '{"type":"authorized_user","client_id":"c"}',
      'lacks a usable client_secret, refresh_token; make the file anew',
    ],
    [
      'a workload identity with an unknown source',
      JSON.stringify({ ...externalAccount, credential_source: { executable: { command: 'x' } } }),
      'its credential_source names no file, url, certificate or environment_id; make the file anew',
    ],
    [
      'a broken key',
      JSON.stringify({ ...serviceAccount, private_key: pem.slice(0, 400) }),
      'its private_key is broken; download a new JSON key',
    ],
    [
      'a key of another kind',
      JSON.stringify({ ...serviceAccount, private_key: ecPem }),
      'its private_key is not an RSA key; download a new JSON key',
    ],
    [
      'an OAuth client',
      '{"installed":{"client_id":"c","client_secret":"s"}}',
      'is an OAuth client, which opens nothing by itself; use a service account',
    ],
    ['empty', '', 'is not JSON; download a new JSON key'],
  ])('%s', async (name, text, message) => {
    const file = join(folder, `${name}.json`);
    await writeFile(file, text);
    const error = await readCredentials(file).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'credentials-unreadable', retryable: false });
    const line = String(error);
    expect(line).toContain(`${file}: `);
    expect(line).toContain(message);
    expect(line).not.toContain('\n');
    expect(line).not.toContain(pem.slice(40, 60));
  });

  test('missing', async () => {
    await expect(readCredentials(join(folder, 'none.json'))).rejects.toThrow(
      /none\.json: there is no such file; correct google\.credentials_file$/,
    );
  });

  test('a folder', async () => {
    await expect(readCredentials(folder)).rejects.toThrow(
      'cannot be read (EISDIR); give this process the right to read it',
    );
  });
});
