import { expect, test } from 'vitest';
import { createTrial, writerEmail } from './support/standin.ts';

test('files are created, listed by name, copied with their metadata, and deleted', async () => {
  const { standin, clock } = createTrial();
  const token = standin.tokens.issue(writerEmail, ['https://www.googleapis.com/auth/drive']);
  const drive = async (method: string, path: string, body?: unknown) => {
    const response = await standin.fetch(`https://www.googleapis.com/drive/v3/files${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const mimeType = 'application/vnd.google-apps.spreadsheet';
  const { body: file } = await drive('POST', '', { name: "Ada's", mimeType });
  standin.person(file.id).request({
    createDeveloperMetadata: {
      developerMetadata: { metadataId: 3, metadataKey: 'k', visibility: 'DOCUMENT', location: { spreadsheet: true } },
    },
  });
  clock.now += 1000;
  const { body: copy } = await drive('POST', `/${file.id}/copy`, { name: 'Copy' });
  expect(standin.model.get(copy.id)?.content.metadataById.has(3)).toBe(true);
  const list = await drive(
    'GET',
    `?q=${encodeURIComponent(String.raw`name = 'Ada\'s' and mimeType = '${mimeType}'`)}&fields=files(id)`,
  );
  expect(list.body).toEqual({ files: [{ id: file.id }] });
  expect((await drive('GET', '?fields=files/name')).body.files.map(({ name }: { name: string }) => name)).toContain(
    'Copy',
  );
  expect((await drive('DELETE', `/${file.id}`)).status).toBe(204);
  const gone = await drive('GET', `/${file.id}`);
  expect(gone.body.error).toMatchObject({
    code: 404,
    message: `File not found: ${file.id}.`,
    errors: [{ domain: 'global', reason: 'notFound', location: 'fileId', locationType: 'parameter' }],
  });
});

test('a spreadsheet created through the Sheets API belongs to its creator', async () => {
  const { standin } = createTrial();
  const response = await standin.fetch('https://sheets.googleapis.com/v4/spreadsheets', {
    method: 'POST',
    headers: { authorization: `Bearer ${standin.tokens.issue(writerEmail)}` },
    body: JSON.stringify({
      properties: { title: 'Mine' },
      sheets: [{ properties: { title: 'A' } }, { properties: { title: 'B' } }],
    }),
  });
  const body = await response.json();
  expect(body).toMatchObject({
    properties: { title: 'Mine', locale: 'en_US' },
    sheets: [{ properties: { title: 'A', sheetId: 0 } }, { properties: { title: 'B' } }],
  });
  expect(standin.model.get((body as { spreadsheetId: string }).spreadsheetId)?.ownerEmail).toBe(writerEmail);
});

const driveScope = 'https://www.googleapis.com/auth/drive.metadata.readonly';

function watched(scopes: readonly string[] = [driveScope]) {
  const { standin, clock } = createTrial();
  const file = standin.model.create({ tabs: [{ title: 'A', values: [['a']] }], writers: [writerEmail] });
  const hidden = standin.model.create({ tabs: [{ title: 'A' }] });
  const token = standin.tokens.issue(writerEmail, scopes);
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await standin.fetch(`https://www.googleapis.com/drive/v3/${path}`, { headers });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const version = async () => Number((await get(`files/${file.id}?fields=version`)).body.version);
  const start = async () => (await get('changes/startPageToken')).body.startPageToken as string;
  const changesSince = async (pageToken: string) =>
    (await get(`changes?pageToken=${pageToken}&fields=nextPageToken,newStartPageToken,changes(fileId,removed)`)).body;
  const edit = () => standin.person(file.id).type('A!A1', 'b');
  return { standin, clock, file, hidden, get, version, start, changesSince, edit };
}

test('the version of a file and the list of changes show an edit', async () => {
  const { file, version, start, changesSince, edit } = watched();
  const token = await start();
  expect(await changesSince(token)).toEqual({ newStartPageToken: token, changes: [] });
  const before = await version();
  edit();
  edit();
  expect(await version()).toBe(before + 2);
  const { newStartPageToken, changes } = await changesSince(token);
  expect(changes).toEqual([{ fileId: file.id, removed: false }]);
  expect((await changesSince(newStartPageToken)).changes).toEqual([]);
});

test('with a lag both show it later; a deaf Drive never does; a touch moves both without an edit', async () => {
  const { standin, clock, file, version, start, changesSince, edit } = watched();
  const { drive } = standin.model;
  const [token, before] = [await start(), await version()];
  drive.lagMs = 180_000;
  edit();
  clock.now += 179_999;
  expect([await version(), (await changesSince(token)).changes.length]).toEqual([before, 0]);
  clock.now += 1;
  expect([await version(), (await changesSince(token)).changes.length]).toEqual([before + 1, 1]);
  const later = await start();
  drive.isDeaf = true;
  edit();
  clock.now += 600_000;
  expect([await version(), (await changesSince(later)).changes]).toEqual([before + 1, []]);
  drive.touch(file.id);
  expect([await version(), (await changesSince(later)).changes.length]).toEqual([before + 2, 1]);
});

test('pages of changes follow each other, and files of others are in none', async () => {
  const { standin, file, hidden, get, start } = watched();
  const token = await start();
  standin.person(file.id).type('A!A1', 'x');
  standin.person(hidden.id).type('A!A1', 'x');
  const other = standin.model.create({ writers: [writerEmail] });
  const first = (await get(`changes?pageToken=${token}&pageSize=1`)).body;
  expect(first).toMatchObject({ kind: 'drive#changeList', changes: [{ fileId: file.id, file: { id: file.id } }] });
  const second = (await get(`changes?pageToken=${first.nextPageToken}&pageSize=9`)).body;
  expect(second).toMatchObject({ newStartPageToken: await start(), changes: [{ fileId: other.id }] });
  expect(second.nextPageToken).toBeUndefined();
});

test('an expired page token is refused as Google refuses one that it does not know', async () => {
  const { standin, get, start } = watched();
  const token = await start();
  standin.model.drive.expireTokens();
  for (const each of [token, 'nonsense']) {
    expect(await get(`changes?pageToken=${each}`)).toMatchObject({
      status: 400,
      body: { error: { code: 400, message: 'Invalid Value', errors: [{ reason: 'invalid', location: 'pageToken' }] } },
    });
  }
  expect((await get(`changes?pageToken=${await start()}`)).status).toBe(200);
});

test('without a scope of Drive neither is shown', async () => {
  const { file, get } = watched(['https://www.googleapis.com/auth/spreadsheets']);
  for (const path of [`files/${file.id}?fields=version`, 'changes/startPageToken', 'changes?pageToken=1']) {
    const { status, body } = await get(path);
    expect([status, body.error.errors[0].reason, body.error.details[0].reason]).toEqual([
      403,
      'insufficientPermissions',
      'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
    ]);
  }
});

test('a running stand-in takes the settings of Drive over HTTP', async () => {
  const { standin, file, version } = watched();
  const before = await version();
  const post = async (body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await standin.fetch('http://127.0.0.1/_standin/drive', init)).json();
  };
  expect(await post({ lag_ms: 5_000, deaf: true, touch: file.id })).toEqual({ lag_ms: 5_000, deaf: true });
  expect(await version()).toBe(before + 1);
});
