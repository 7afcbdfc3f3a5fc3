import { SignJWT, exportSPKI, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { type SheetsStandin } from '../../../src/standin/sheets/standin.ts';
import { createTrial, problem, writerEmail } from './support/standin.ts';

const { privateKey, publicKey } = await generateKeyPair('RS256');
const spreadsheets = 'https://www.googleapis.com/auth/spreadsheets';
const trialWithAccount = async () =>
  createTrial(
    {},
    {
      credentials: {
        serviceAccounts: [{ email: writerEmail, publicKey: await exportSPKI(publicKey) }],
        authorizedUsers: [
          { email: 'ada@example.com', clientId: 'client', clientSecret: 'secret', refreshToken: 'refresh' },
        ],
        externalAccounts: [{ email: writerEmail, audience: '//iam/pool', subjectToken: 'outside' }],
      },
    },
  );

async function assertion(nowMs: number, claims: object = {}, key = privateKey): Promise<string> {
  const iat = Math.floor(nowMs / 1000);
  return new SignJWT({
    iss: writerEmail,
    scope: spreadsheets,
    aud: 'https://oauth2.googleapis.com/token',
    iat,
    exp: iat + 3600,
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256' })
    .sign(key);
}

async function requestToken(standin: SheetsStandin, form: Record<string, string>) {
  const response = await standin.fetch('https://oauth2.googleapis.com/token', {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const jwt = (text: string) => ({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: text });

describe('the token endpoint', () => {
  test('gives a service account a token that is valid for an hour', async () => {
    const { standin, clock, call } = await trialWithAccount();
    const { body } = await requestToken(standin, jwt(await assertion(clock.now)));
    expect(body).toMatchObject({ expires_in: 3600, token_type: 'Bearer' });
    const token = String(body['access_token']);
    expect((await call('GET', '/values/A1', undefined, token)).status).toBe(200);
    clock.now += 3600 * 1000;
    expect(problem(await call('GET', '/values/A1', undefined, token))).toMatch(/^401 UNAUTHENTICATED: /);
  });

  test.each([
    [
      'another key',
      async (now: number) => assertion(now, {}, (await generateKeyPair('RS256')).privateKey),
      'Invalid JWT Signature.',
    ],
    ['another account', (now: number) => assertion(now, { iss: 'x@example.com' }), 'Invalid grant: account not found'],
    [
      'another audience',
      (now: number) => assertion(now, { aud: 'https://example.com' }),
      'Invalid JWT: unexpected "aud" claim value',
    ],
    ['old times', (now: number) => assertion(now - 7_200_000), 'Invalid JWT: Token must be a short-lived token'],
    [
      'a long life',
      (now: number) => assertion(now, { exp: now / 1000 + 86_400 }),
      'Invalid JWT: Token must be a short-lived token',
    ],
    ['no JWT', () => Promise.resolve('nonsense'), 'Invalid JWT: Failed to parse.'],
  ])('refuses %s', async (_name, sign, description) => {
    const { standin, clock } = await trialWithAccount();
    const { status, body } = await requestToken(standin, jwt(await sign(clock.now)));
    expect([status, body['error']]).toEqual([400, 'invalid_grant']);
    expect(body['error_description']).toContain(description);
  });

  test('accepts refresh tokens and external tokens, and no others', async () => {
    const { standin } = await trialWithAccount();
    const refresh = {
      grant_type: 'refresh_token',
      client_id: 'client',
      client_secret: 'secret',
      refresh_token: 'refresh',
    };
    expect((await requestToken(standin, refresh)).status).toBe(200);
    expect((await requestToken(standin, { ...refresh, refresh_token: 'x' })).body['error']).toBe('invalid_grant');
    expect((await requestToken(standin, { ...refresh, client_secret: 'x' })).body['error']).toBe('invalid_client');
    const exchange = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience: '//iam/pool',
      subject_token: 'outside',
      scope: spreadsheets,
    };
    expect((await requestToken(standin, exchange)).body['issued_token_type']).toBe(
      'urn:ietf:params:oauth:token-type:access_token',
    );
    expect((await requestToken(standin, { ...exchange, subject_token: 'x' })).status).toBe(400);
    expect((await requestToken(standin, { grant_type: 'password' })).body['error']).toBe('unsupported_grant_type');
  });

  test('in open access every caller gets a token, and needs none', async () => {
    const trial = createTrial({}, { access: 'open' });
    expect((await requestToken(trial.standin, jwt(await assertion(0)))).status).toBe(200);
    expect((await trial.call('PUT', '/values/A1?valueInputOption=RAW', { values: [['x']] }, 'anything')).status).toBe(
      200,
    );
  });
});

describe('sharing', () => {
  test('a reader reads, an account without access is refused, and a revoked token is unknown', async () => {
    const trial = createTrial({ readers: ['reader@example.com'] });
    const reader = trial.standin.tokens.issue('reader@example.com');
    const stranger = trial.standin.tokens.issue('stranger@example.com');
    const refusal = '403 PERMISSION_DENIED: The caller does not have permission';
    expect((await trial.call('GET', '/values/A1', undefined, reader)).status).toBe(200);
    expect(problem(await trial.call('POST', '/values/A1:clear', undefined, reader))).toBe(refusal);
    expect(problem(await trial.call('GET', '', undefined, stranger))).toBe(refusal);
    trial.standin.tokens.revoke('reader@example.com');
    expect((await trial.call('GET', '/values/A1', undefined, reader)).status).toBe(401);
  });

  test('an unknown spreadsheet is not found', async () => {
    const trial = createTrial();
    trial.standin.model.delete(trial.file.id);
    expect(problem(await trial.get(''))).toBe('404 NOT_FOUND: Requested entity was not found.');
  });
});

describe('protected ranges', () => {
  const range = { startRowIndex: 1, endRowIndex: 3, startColumnIndex: 0, endColumnIndex: 2 };
  const protectedTrial = (settings: object = {}, behaviour = {}) => {
    const trial = createTrial({ tabs: [{ title: 'T', values: [['a'], ['b'], ['c']] }] }, { behaviour });
    trial.standin.person(trial.file.id).request({ addProtectedRange: { protectedRange: { range, ...settings } } });
    return trial;
  };
  const text =
    'You are trying to edit a protected cell or object. Please contact the spreadsheet owner to remove protection if you need to edit.';
  const rows = (startIndex: number) => ({ sheetId: 0, dimension: 'ROWS', startIndex, endIndex: startIndex + 1 });

  test.each([
    { updateCells: { start: { rowIndex: 1 }, rows: [{ values: [{ note: 'x' }] }], fields: 'note' } },
    { repeatCell: { range, cell: {}, fields: 'userEnteredValue' } },
    { sortRange: { range: {}, sortSpecs: [{ dimensionIndex: 0, sortOrder: 'ASCENDING' }] } },
    { deleteDimension: { range: rows(2) } },
    { insertDimension: { range: rows(2) } },
    { moveDimension: { source: rows(1), destinationIndex: 5 } },
    { cutPaste: { source: range, destination: { rowIndex: 8 } } },
    {
      copyPaste: {
        source: { startRowIndex: 0, endRowIndex: 1, startColumnIndex: 0, endColumnIndex: 1 },
        destination: range,
      },
    },
    { mergeCells: { range } },
    { deleteSheet: { sheetId: 0 } },
    { updateProtectedRange: { protectedRange: { protectedRangeId: 1, warningOnly: true }, fields: 'warningOnly' } },
  ])('refuse %j to an account that is no editor', async (request) => {
    const trial = protectedTrial({ protectedRangeId: 1 });
    trial.standin.person(trial.file.id).request({ addSheet: { properties: { title: 'U' } } });
    const before = trial.file.content;
    expect(problem(await trial.batch(request))).toBe(
      `400 INVALID_ARGUMENT: Invalid requests[0].${Object.keys(request)[0]}: ${text}`,
    );
    expect(trial.file.content).toBe(before);
  });

  test('refuse values, in the language of the account', async () => {
    const german = 'Sie versuchen, eine geschützte Zelle zu bearbeiten.';
    const trial = protectedTrial({}, { protectedMessage: german });
    const data = [{ range: 'T!B3', values: [['x']] }];
    expect(problem(await trial.post('/values:batchUpdate', { valueInputOption: 'RAW', data }))).toBe(
      `400 INVALID_ARGUMENT: Invalid data[0]: ${german}`,
    );
    expect((await trial.post('/values/T!A1:A2:clear')).status).toBe(400);
  });

  test.each([
    [true, 400],
    [false, 200],
  ])('with skippedCellsAreProtected %s, values that leave a protected cell alone get %i', async (skipped, status) => {
    const write = async (values: readonly (string | null)[]) =>
      (
        await protectedTrial({}, { skippedCellsAreProtected: skipped }).call(
          'PUT',
          '/values/T!A2?valueInputOption=RAW',
          { values: [values] },
        )
      ).status;
    expect(await write([null, null, 'x'])).toBe(status);
    expect(await write([null, 'x', 'x'])).toBe(400);
    expect(await write([null, null, null])).toBe(200);
  });

  test('let editors and the owner write, and only warn if set to', async () => {
    const write = (trial: ReturnType<typeof createTrial>) =>
      trial.call('PUT', '/values/T!A2?valueInputOption=RAW', { values: [['x']] });
    expect((await write(protectedTrial({ editors: { users: [writerEmail] } }))).status).toBe(200);
    expect((await write(protectedTrial({ warningOnly: true }))).status).toBe(200);
    expect((await write(protectedTrial({ unprotectedRanges: [range] }))).status).toBe(200);
    expect((await write(protectedTrial())).status).toBe(400);
    expect((await protectedTrial().call('PUT', '/values/T!A1?valueInputOption=RAW', { values: [['x']] })).status).toBe(
      200,
    );
  });
});
