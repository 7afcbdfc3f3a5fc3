// A whole sync on the reference CRM and a table: the real configuration, engine and state on real files. Only this file
// chooses the drivers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../src/app.ts';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { RunReport } from '../../src/engine/report.ts';
import { googleAddresses } from '../../src/sheets/google/address.ts';
import { createSheetsStandin } from '../../src/standin/sheets/standin.ts';
import { portsFile, portsWorld, runProspects, temporaryFolder } from './ports-program.ts';
import { createReferenceCrm, referenceDescription } from './reference-crm.ts';
import { useJumpingClock } from './service.ts';

const spreadsheetId = '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests';
const sheetsUrl = 'http://127.0.0.1:4020';
const account = { email: 'robot@demo.iam.gserviceaccount.com', clientId: 'c', clientSecret: 's', refreshToken: 'r' };
const columns = { Email: 'email', 'First name': 'first_name', Company: 'company_name' };

/** `sync`: options over the defaults, in the words of the file. */
export function createPortsTrial(sync: Readonly<Record<string, unknown>> = {}) {
  useJumpingClock();
  const folder = temporaryFolder();
  const crm = createReferenceCrm(() => Date.now());
  const list = crm.person.addList('Prospects');
  const world = portsWorld({
    transport: (url, init) => table.answer(new Request(url, init)),
    connectCrm: () => crm,
  });
  const table = createTable(folder, world.now, world.random);

  return { crm, list, table, load, run };

  function load(): Config {
    const text = portsFile(folder, {
      crm: { base_url: 'http://127.0.0.1:4010', token: 'the-token-of-the-tests' },
      google: { credentials_file: table.keyFile, endpoint: sheetsUrl },
      sync: { sheet: { spreadsheet: spreadsheetId, tab: 'Prospects' }, columns, ...sync },
    });
    return loadConfig('leadsheet.yaml', {
      crm: referenceDescription,
      env: {},
      readFile: () => text,
      listFiles: () => [],
      addresses: googleAddresses,
    });
  }

  /** A run in a process of its own, which remembers only what is on disk. */
  async function run(isFull = false): Promise<RunReport> {
    using app = await createApp(load(), world, () => {});
    return await runProspects(app, isFull);
  }
}

/** Google Sheets over its stand-in, and the acts of a person in it. */
function createTable(folder: string, now: () => number, random: () => number) {
  const sheets = createSheetsStandin({
    now,
    random,
    quotas: 'none',
    credentials: { authorizedUsers: [account] },
  });
  sheets.model.create({
    id: spreadsheetId,
    writers: [account.email],
    tabs: [{ title: 'Prospects', sheetId: 7, rowCount: 100, columnCount: 10, values: [Object.keys(columns)] }],
  });
  const keyFile = join(folder, 'key.json');
  const { clientId: client_id, clientSecret: client_secret, refreshToken: refresh_token } = account;
  writeFileSync(keyFile, JSON.stringify({ type: 'authorized_user', client_id, client_secret, refresh_token }), {
    mode: 0o600,
  });
  const person = sheets.person(spreadsheetId);
  return {
    keyFile,
    answer: (request: Request) => sheets.fetch(request),
    /** The mapped cells of each row, in the order of the mapping. */
    rows: () =>
      person
        .read(`'Prospects'!A2:C`)
        .filter((row) => row.some((cell) => cell != null && cell !== ''))
        .map((row) => Object.keys(columns).map((_, index) => row[index] ?? '')),
    append(values: readonly string[]) {
      const count = person.read(`'Prospects'!A:C`).length;
      person.paste(`'Prospects'!A${count + 1}`, [[...values]]);
    },
    /** Sets a cell by the e-mail address of its row. */
    set(email: string, header: keyof typeof columns, value: string) {
      const index = person.read(`'Prospects'!A:A`).findIndex(([cell]) => cell === email);
      const letter = String.fromCodePoint(65 + Object.keys(columns).indexOf(header));
      person.paste(`'Prospects'!${letter}${index + 1}`, [[value]]);
    },
  };
}
