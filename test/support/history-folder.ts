// A configuration with a long history, for commands that only read the state.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** One sync `people` with so many lines of one run of today, a row each. */
export function historyFolder(lines: number): { readonly folder: string; readonly config: string } {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-output-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const history = join(folder, 'state', 'people', 'history');
  mkdirSync(history, { recursive: true });
  const day = new Date().toISOString().slice(0, 10);
  const line = (row: number) => ({
    time: `${day}T00:00:00.000Z`,
    sync: 'people',
    run: '20260101-000000-test',
    side: 'sheet',
    op: 'append',
    contact: '00000000-0000-4000-8000-000000000001',
    row,
    field: null,
    before: null,
    after: null,
    rule: 'I2',
    reason: 'new in the service',
    outcome: 'done',
  });
  const text = Array.from({ length: lines }, (_, index) => `${JSON.stringify(line(index + 2))}\n`).join('');
  writeFileSync(join(history, `${day}.ndjson`), text);
  writeFileSync(join(folder, 'key.json'), '{}', { mode: 0o600 });
  const config = join(folder, 'leadsheet.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      crm: { base_url: 'http://127.0.0.1:4010', token: 'the-token-of-the-tests' },
      google: { credentials_file: join(folder, 'key.json') },
      state: `file:${join(folder, 'state')}`,
      syncs: {
        people: {
          contacts: { list: 'People' },
          sheet: { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests', tab: 'People' },
          columns: { Email: 'email' },
        },
      },
    }),
  );
  return { folder, config };
}
