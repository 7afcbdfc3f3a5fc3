// The body of a request to Google is not copied.
import { sheets } from '@googleapis/sheets';
import { expect, test } from 'vitest';
import { uncopied } from '../../src/sheets/google/uncopied.ts';

test("Google's client reads each value of a body once, and sends the same bytes", async () => {
  const cell = (value: string, onRead: () => void) => ({
    userEnteredValue: {
      get stringValue() {
        onRead();
        return value;
      },
    },
  });
  const send = async (wrap: <Body extends object>(body: Body) => Body) => {
    let reads = 0;
    let sent: unknown;
    const requests = [{ appendCells: { rows: [{ values: [cell('Ann "A" Lee', () => (reads += 1))] }] } }];
    const api = sheets({ version: 'v4', retry: false });
    await api.spreadsheets.batchUpdate(
      { spreadsheetId: 'id', requestBody: wrap({ requests }) },
      {
        fetchImplementation: async (_url, init) => {
          sent = init?.body;
          return Response.json({ spreadsheetId: 'id' });
        },
      },
    );
    return { reads, sent };
  };
  const [copied, whole] = [await send((body) => body), await send(uncopied)];
  expect(whole.sent).toBe(copied.sent);
  expect(whole.reads).toBe(1);
});
