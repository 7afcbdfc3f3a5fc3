// Answers of Drive that are no answers: what each means for the next question, and what `check` tells of it (W14).
import { describe, expect, test } from 'vitest';
import { createDriveClient } from '../../src/sheets/google/drive-client.ts';
import type { Fetch } from '../../src/sheets/google/endpoint.ts';
import { anyCredentials, createTrial, spreadsheetId } from '../support/sheets.ts';

const driveScope = 'https://www.googleapis.com/auth/drive.metadata.readonly';
/** The consent of `anyCredentials`, with both scopes. */
const user = {
  email: anyCredentials.account,
  clientId: 'client',
  clientSecret: 'secret',
  refreshToken: 'refresh',
  scopes: ['https://www.googleapis.com/auth/spreadsheets', driveScope],
};
const standin = { credentials: { authorizedUsers: [user] } };

/** Hints over Drive answering as `answer` says; `calls` counts the questions to Drive. */
function open(answer: (url: URL) => Response | Promise<Response> | undefined, mode: 'version' | 'changes' = 'version') {
  let calls = 0;
  const trial = createTrial({
    standin,
    wrapFetch: (fetch) => async (url, init) => {
      if (url.hostname === 'www.googleapis.com') calls += 1;
      return (await answer(url)) ?? fetch(url, init);
    },
    client: { hints: mode },
  });
  return { trial, hints: trial.sheets.hints!, calls: () => calls };
}

const isDrive = ({ hostname }: URL) => hostname === 'www.googleapis.com';
const refusing = (status: number, error: object) => (url: URL) =>
  isDrive(url) ? Response.json({ error }, { status }) : undefined;
const isToken = ({ hostname }: URL) => hostname === 'oauth2.googleapis.com';

describe('W14: a refusal stays until a person changes something, and is named', () => {
  const off = 'the Google Drive API is switched off in the Cloud project: enable it there';
  const noScope = `the credentials lack the scope ${driveScope}: authorise again with it`;
  test.each<[string, object, string]>([
    ['the API, by its older reason', { errors: [{ reason: 'accessNotConfigured' }] }, off],
    ['the API, by its newer reason', { details: [{ reason: 'SERVICE_DISABLED' }] }, off],
    ['the scope, by its older reason', { errors: [{ reason: 'insufficientPermissions' }] }, noScope],
    [
      'the scope, by the second of its reasons',
      { errors: [{ reason: 'forbidden' }], details: [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }] },
      noScope,
    ],
    [
      'something else, in the words of Google',
      { message: 'Solo lectura', errors: [{ reason: 'domainPolicy' }] },
      'Solo lectura',
    ],
  ])('%s', async (_, error, why) => {
    const { hints, calls } = open(refusing(403, error));
    expect(await hints.ask(spreadsheetId, undefined)).toEqual({ kind: 'unknown' });
    expect(await hints.ask(spreadsheetId, undefined)).toEqual({ kind: 'unknown' });
    expect(calls()).toBe(1);
    expect(await hints.whyNot(spreadsheetId)).toBe(why);
  });

  test('a token that is refused', async () => {
    let tokens = 0;
    const { hints, calls } = open((url) => {
      if (!isToken(url)) return undefined;
      tokens += 1;
      return Response.json({ error: 'invalid_grant' }, { status: 400 });
    });
    expect(await hints.whyNot(spreadsheetId)).toBe('no token: status 400');
    expect(await hints.ask(spreadsheetId, undefined)).toEqual({ kind: 'unknown' });
    const asked = tokens;
    expect(await hints.ask(spreadsheetId, undefined)).toEqual({ kind: 'unknown' });
    expect([calls(), tokens]).toEqual([0, asked]);
  });

  test.each([
    ['version', undefined, ['files']],
    ['changes', off, ['files', 'changes']],
  ] as const)('the list of changes alone: told by hints by %s as %j', async (mode, why, asked) => {
    const paths: string[] = [];
    const { hints } = open((url) => {
      if (!isDrive(url)) return undefined;
      const [, , , what = ''] = url.pathname.split('/');
      paths.push(what);
      return what === 'changes' ? refusing(403, { details: [{ reason: 'SERVICE_DISABLED' }] })(url) : undefined;
    }, mode);
    expect(await hints.whyNot(spreadsheetId)).toBe(why);
    expect(paths).toEqual(asked);
  });
});

describe('W14: what passes is asked again at the next look', () => {
  const lost = () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
  };
  test.each<[string, (url: URL) => Response | undefined, RegExp]>([
    ['a user limit', refusing(403, { errors: [{ reason: 'userRateLimitExceeded' }] }), /^Google asks to wait$/],
    [
      'a limit, by its newer reason',
      refusing(403, { details: [{ reason: 'RATE_LIMIT_EXCEEDED' }] }),
      /^Google asks to wait$/,
    ],
    [
      'a page with status 403',
      (url) => (isDrive(url) ? new Response('<html>', { status: 403 }) : undefined),
      /^status 403$/,
    ],
    ['too many requests', refusing(429, { message: 'slow down' }), /^status 429$/],
    ['a fault of Drive', refusing(500, { message: 'oops' }), /^status 500$/],
    [
      'a fault of the token endpoint',
      (url) => (isToken(url) ? new Response('', { status: 500 }) : undefined),
      /^no token: status 500$/,
    ],
    [
      'a token endpoint that asks to wait',
      (url) => (isToken(url) ? new Response('', { status: 429 }) : undefined),
      /^no token: status 429$/,
    ],
    ['a lost connection', (url) => (isDrive(url) ? lost() : undefined), /./],
    [
      'a version that is a number',
      (url) => (isDrive(url) ? Response.json({ version: 7 }) : undefined),
      /^an answer of another form$/,
    ],
  ])('%s', async (_, answer, why) => {
    let isOver = false;
    const { hints } = open((url) => (isOver ? undefined : answer(url)));
    expect(await hints.ask(spreadsheetId, undefined)).toEqual({ kind: 'unknown' });
    expect(await hints.whyNot(spreadsheetId)).toMatch(why);
    isOver = true;
    const { mark } = await hints.ask(spreadsheetId, undefined);
    expect((await hints.ask(spreadsheetId, mark)).kind).toBe('unmoved');
  });

  test('W16: 401: the next question asks for a token anew', async () => {
    let refusals = 1;
    const { hints, trial } = open((url) =>
      isDrive(url) && (refusals -= 1) >= 0 ? Response.json({ error: {} }, { status: 401 }) : undefined,
    );
    expect(await hints.ask(spreadsheetId, undefined)).toEqual({ kind: 'unknown' });
    const before = trial.standin.log.counters.tokens;
    expect((await hints.ask(spreadsheetId, undefined)).mark).toBeDefined();
    expect(trial.standin.log.counters.tokens).toBe(before + 1);
    await hints.ask(spreadsheetId, undefined);
    expect(trial.standin.log.counters.tokens).toBe(before + 1);
  });
});

test.each([400, 404, 410])(
  'a spreadsheet of which Drive answers %i is named as one that it does not show',
  async (status) => {
    const { hints } = open(refusing(status, { message: 'File not found' }));
    expect(await hints.whyNot(spreadsheetId)).toBe(
      `Drive does not show this spreadsheet to the account (${status} File not found)`,
    );
  },
);

test('jobs that ask about one spreadsheet at once share the call, and the next look makes its own', async () => {
  const { hints, calls } = open(() => undefined);
  const answers = await Promise.all([1, 2, 3].map(() => hints.ask(spreadsheetId, undefined)));
  expect(new Set(answers.map(({ mark }) => mark)).size).toBe(1);
  expect(calls()).toBe(1);
  await hints.ask(spreadsheetId, undefined);
  expect(calls()).toBe(2);
  expect(hints.usage()).toEqual({ calls: 2, lastMinute: 2, perMinute: 3_000 });
});

test.each([
  ['version', 'changes 1'],
  ['changes', 'version 1'],
] as const)('a mark of the other setting of google.hints means nothing to hints by %s', async (mode, mark) => {
  const hints = createTrial({ standin, client: { hints: mode } }).sheets.hints!;
  const answer = await hints.ask(spreadsheetId, mark);
  expect(answer).toEqual({ kind: 'unknown', mark: expect.stringMatching(new RegExp(`^${mode} `)) });
});

test('a question whose signal is aborted makes no call', async () => {
  const { hints, calls } = open(() => undefined);
  expect(await hints.ask(spreadsheetId, undefined, { signal: AbortSignal.abort() })).toEqual({ kind: 'unknown' });
  expect(calls()).toBe(0);
});

test('beyond 3,000 calls in a minute none is made, and a minute later they go on', async () => {
  let elapsedMs = 0;
  let calls = 0;
  const answer: Fetch = async ({ hostname }) => {
    if (hostname !== 'www.googleapis.com') return Response.json({ access_token: 'x', expires_in: 3_600 });
    calls += 1;
    return Response.json({ version: '1' });
  };
  const drive = createDriveClient({ credentials: anyCredentials, fetch: answer, elapsed: () => elapsedMs });
  for (let call = 1; call <= 3_000; call += 1) await drive.version('file');
  await expect(drive.version('file')).rejects.toMatchObject({ kind: 'passing' });
  expect([calls, drive.usage()]).toEqual([3_000, { calls: 3_000, lastMinute: 3_000, perMinute: 3_000 }]);
  elapsedMs += 60_000;
  expect(await drive.version('file')).toBe('1');
  expect(drive.usage()).toMatchObject({ calls: 3_001, lastMinute: 1 });
});
