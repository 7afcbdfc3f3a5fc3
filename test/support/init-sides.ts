// Both stand-ins on ports of this machine, and a folder in which nothing is set up yet.
import { generateKeyPairSync } from 'node:crypto';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { onTestFinished } from 'vitest';
import { serve, type Served } from '../../src/standin/serve.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { createSheetsStandin } from '../../src/standin/sheets/standin.ts';
import { certificate, privateKey } from './certificate.ts';

export const robot = 'robot@demo.iam.gserviceaccount.com';
export const token = 'the-token-of-the-tests';
export const spreadsheetId = '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests';
export const sheetAddress = `https://docs.google.com/spreadsheets/d/${spreadsheetId}/edit?gid=7#gid=7`;

/** Made once: a key of 2048 bits takes a while. */
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });

export interface InitSidesOptions {
  readonly values?: readonly (readonly (string | number | boolean | null)[])[];
  readonly isShared?: boolean;
  /** The name of the list with contacts. */
  readonly listName?: string;
  /** Stands before the stand-in of Google, for answers that it does not give. */
  readonly google?: (request: Request) => Response | undefined;
  /** Both sides speak https, with a certificate that is not trusted as it is: `trust` has it so. */
  readonly isSecure?: boolean;
  /** Milliseconds by which the clock of Google is ahead. */
  readonly googleAheadMs?: number;
}

export async function openInitSides(options: InitSidesOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const service = createServiceStandin({
    now: () => Date.now(),
    seed: 1,
    acceptedTokens: [token],
    switches: { rateLimits: [] },
  });
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  let chance = 0.5;
  const sheets = createSheetsStandin({
    now: () => Date.now() + (options.googleAheadMs ?? 0),
    random: () => (chance = (chance * 16_807 + 0.123) % 1),
    quotas: 'none',
    credentials: { serviceAccounts: [{ email: robot, publicKey }] },
  });
  const values = options.values ?? people;
  const file = sheets.model.create({
    id: spreadsheetId,
    title: 'Outreach',
    writers: options.isShared === false ? [] : [robot],
    tabs: [
      { title: 'Leads', sheetId: 7, rowCount: 100, columnCount: 12, values },
      { title: 'Notes', sheetId: 8, rowCount: 10, columnCount: 3, values: [] },
    ],
  });
  const list = service.model.lists.add({ name: options.listName ?? 'Prospects EMEA' });
  service.model.lists.add({ name: 'Customers' });
  for (const { first_name, last_name, company_name, email, position } of contacts) {
    const fields = { list_uuid: list.uuid, name: `${first_name} ${last_name}`, work_email: email };
    service.model.contacts.add({ fields: { ...fields, first_name, last_name, company_name, position } });
  }
  const open = options.isSecure === true ? listenSecurely : listen;
  const serviceUrl = await open(service.app);
  const googleUrl = await open({
    fetch: (request, bindings) => options.google?.(request) ?? sheets.app.fetch(request, bindings),
  });
  mkdirSync(join(folder, 'config'));
  const key = {
    type: 'service_account',
    client_email: robot,
    private_key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    private_key_id: 'key',
  };
  writeFileSync(join(folder, 'config', 'google.json'), JSON.stringify(key), { mode: 0o600 });
  // Found by its content, so another JSON file beside it is no key.
  writeFileSync(join(folder, 'config', 'other.json'), JSON.stringify({ type: 'something else' }));
  const authority = join(folder, 'authority.pem');
  if (options.isSecure === true) writeFileSync(authority, certificate);
  return { folder, service, sheets, file, serviceUrl, googleUrl, trust: { NODE_EXTRA_CA_CERTS: authority } };
}

async function listen(served: Served): Promise<string> {
  const server = await serve(served, 0);
  onTestFinished(() => server.close());
  return server.url;
}

async function listenSecurely(served: Served): Promise<string> {
  const server = createAdaptorServer({
    fetch: (request) => served.fetch(request, { dropConnection: () => {} }),
    createServer: createSecureServer,
    serverOptions: { key: privateKey, cert: certificate },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

const contacts = [
  { first_name: 'Ann', last_name: 'Lee', company_name: 'Baltic', email: 'ann@baltic.test', position: 'CEO' },
  { first_name: 'Bob', last_name: 'Ray', company_name: 'Mills', email: 'bob@mills.test', position: 'CTO' },
  { first_name: 'Cleo', last_name: 'Fox', company_name: 'Mills', email: 'cleo@mills.test', position: 'CFO' },
];

export const people = [
  ['First name', 'Last name', 'Company', 'Email', 'Notes'],
  ['Ann', 'Lee', 'Baltic', 'ann@baltic.test', 'met in Riga'],
  ['Bob', 'Ray', 'Mills', 'bob@mills.test', ''],
  ['Dora', 'Kim', 'Adler', 'dora@adler.test', 'call again'],
];
