import { expect, test } from 'vitest';
import { createTrial, writerEmail } from './support/standin.ts';

/* Requests of other clients than leadsheet: answered like Google, or refused in words that differ from Google's. */

test('the name of a range may follow the title of its tab', async () => {
  const trial = createTrial();
  const [{ title, id }] = trial.file.content.sheets as unknown as [{ title: string; id: number }];
  const range = { sheetId: id, startRowIndex: 0, endRowIndex: 2, startColumnIndex: 0, endColumnIndex: 2 };
  await trial.batch(
    { addNamedRange: { namedRange: { name: 'Corner', range } } },
    { addSheet: { properties: { title: 'Other' } } },
  );
  const write = await trial.call('PUT', `/values/${encodeURIComponent(`'${title}'!Corner`)}?valueInputOption=RAW`, {
    values: [['a', 'b']],
  });
  expect(write.status).toBe(200);
  expect(await trial.values(`'${title}'!corner`)).toEqual(await trial.values('Corner'));
  expect((await trial.get('/values/Other!Corner')).status).toBe(400);
  expect((await trial.get(`/values/${encodeURIComponent(`'${title}'!Nothing`)}`)).status).toBe(400);
});

test('a protected range without editors is answered with empty ones, also one that only warns', async () => {
  const trial = createTrial();
  for (const warningOnly of [true, false]) {
    const { body } = await trial.batch({
      addProtectedRange: {
        protectedRange: { range: { sheetId: trial.file.content.sheets[0]!.id }, warningOnly, editors: null },
      },
    });
    expect(body.replies[0].addProtectedRange.protectedRange.editors).toEqual({});
  }
});

test.each(['findReplace', 'trimWhitespace', 'deleteDuplicates', 'addConditionalFormatRule', 'pasteData'])(
  'a batch with %s, which the stand-in lacks, is 501 in words, and nothing of it is applied',
  async (name) => {
    const trial = createTrial();
    const before = trial.file.content.sheets.length;
    const answer = await trial.batch({ addSheet: { properties: { title: 'Other' } } }, { [name]: {} });
    expect(answer).toMatchObject({ status: 501, body: { error: { status: 'UNIMPLEMENTED' } } });
    expect(answer.body.error.message).toContain(`does not play the request ${name}`);
    expect(trial.file.content.sheets).toHaveLength(before);
  },
);

test('a request that Google does not know either is refused like Google', async () => {
  const { status, body } = await createTrial().batch({ findAndReplace: {} });
  expect([status, body.error.message]).toEqual([400, expect.stringContaining('Unknown name "findAndReplace"')]);
});

test('a tab is not copied to another spreadsheet, and the answer names the stand-in as the reason', async () => {
  const trial = createTrial();
  const { status, body } = await trial.post(`/sheets/${trial.file.content.sheets[0]!.id}:copyTo`, {
    destinationSpreadsheetId: trial.file.id,
  });
  expect([status, body.error.message]).toEqual([501, expect.stringContaining('sheets.copyTo')]);
});

test('Drive: a file is shared, has no comments, and missing features are named', async () => {
  const trial = createTrial();
  const drive = async (email: string, method: string, path: string, body?: unknown) => {
    const response = await trial.standin.fetch(`https://www.googleapis.com/drive/v3/files/${trial.file.id}${path}`, {
      method,
      headers: { authorization: `Bearer ${trial.standin.tokens.issue(email)}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const guest = 'guest@example.com';
  expect((await drive(guest, 'GET', '/comments')).status).toBe(404);
  const permission = { type: 'user', role: 'reader', emailAddress: guest };
  const { status, body } = await drive(writerEmail, 'POST', '/permissions', permission);
  expect([status, body]).toMatchObject([200, { kind: 'drive#permission', type: 'user', role: 'reader' }]);
  expect(body['id']).toMatch(/^\d{20}$/);
  expect(await drive(guest, 'GET', '/comments?fields=comments(id)')).toEqual({ status: 200, body: { comments: [] } });
  expect((await drive(guest, 'POST', '/permissions', permission)).status).toBe(403);
  for (const [method, path] of [
    ['GET', '/export?mimeType=text/csv'],
    ['GET', '/permissions'],
    ['POST', '/comments'],
    ['PATCH', ''],
  ] as const) {
    const answer = await drive(writerEmail, method, path, method === 'GET' ? undefined : {});
    expect(answer.status).toBe(501);
    expect(JSON.stringify(answer.body)).toContain('The stand-in does not play');
  }
});
