import { expect, test } from 'vitest';
import { createTrial, writerEmail } from './support/standin.ts';

test('files are created, listed by name, copied with their metadata, and deleted', async () => {
  const { standin, clock } = createTrial();
  const token = standin.tokens.issue(writerEmail);
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
