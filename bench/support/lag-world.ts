// The built daemon with default settings between both stand-ins over HTTP, with one or many syncs of a list and a tab each.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import delay from 'delay';
import { stringify } from 'yaml';
import { serve } from '../../src/standin/serve.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { createSheetsStandin } from '../../src/standin/sheets/standin.ts';
import { runCounts } from './jobs-daemon.ts';

const tab = 'Prospects';
const headers = ['Contact ID', 'First name', 'Company', 'Position', 'Email'];
const columns = { 'First name': 'first_name', Company: 'company_name', Position: 'position', Email: 'email' };
const letters = { company: 'C', position: 'D' } as const;
const stored = { company: 'company_name', position: 'position' } as const;
const secret = 'the-secret-of-the-hooks-of-this-bench';
const account = { email: 'robot@demo.iam.gserviceaccount.com', clientId: 'c', clientSecret: 's', refreshToken: 'r' };
const scopes = [
  'https://www.googleapis.com/auth/spreadsheets',
  'https://www.googleapis.com/auth/drive.metadata.readonly',
];
/** Google shows changes of spreadsheets in Drive about every three minutes (docs/spreadsheet.md). */
const driveLagMs = 180_000;
const startMsMax = 240_000;

export type Side = 'service' | 'sheet';
export type Field = keyof typeof letters;

export interface LagWorld extends AsyncDisposable {
  /** A person or the service changes one field of a contact, of its row or of itself. */
  edit(side: Side, sync: number, contact: number, field: Field, value: string): void;
  read(side: Side, sync: number, contact: number, field: Field): unknown;
  /** Tells the daemon at once, as a webhook or a script of the sheet does. */
  hook(sync: number): void;
}

export interface LagOptions {
  readonly main: string;
  readonly syncs: number;
  readonly contacts: number;
  readonly hints: 'off' | 'changes';
}

/** Resolves when both sides are equal, and each sync has found nothing to do. */
export async function startLagWorld({ main, syncs, contacts, hints }: LagOptions): Promise<LagWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-lag-'));
  const switches = { rateLimits: [] };
  const service = createServiceStandin({
    now: Date.now,
    seed: 1,
    acceptedTokens: ['the-key-of-the-bench'],
    switches,
    receivedMax: 1_000,
  });
  const sheets = createSheetsStandin({
    now: Date.now,
    random: () => 0.5,
    quotas: 'none',
    credentials: { authorizedUsers: [{ ...account, scopes }] },
  });
  const spreadsheetOf = (sync: number) => `spreadsheet-of-the-lag-bench-number-${String(sync).padStart(3, '0')}`;
  const uuids = Array.from({ length: syncs }, (_, sync) => {
    const list = service.model.lists.add({ name: `List ${sync}` });
    const records = Array.from({ length: contacts }, (__, index) => {
      const names = {
        first_name: `First ${index}`,
        name: `First ${index}`,
        company_name: 'Company',
        position: 'Position',
      };
      const fields = { ...names, work_email: `p${index}@lag.test`, list_uuid: list.uuid };
      return service.model.contacts.add({ fields }, Date.now() - 3_600_000).record;
    });
    const rows = records.map(({ uuid, work_email: email }, index) => {
      return [uuid, `First ${index}`, 'Company', 'Position', String(email)];
    });
    const tabs = [{ title: tab, rowCount: contacts + 100, columnCount: 8, values: [headers, ...rows] }];
    sheets.model.create({ id: spreadsheetOf(sync), writers: [account.email], tabs });
    return records.map(({ uuid }) => uuid);
  });
  sheets.model.drive.lagMs = driveLagMs;
  const servers = [await serve(service.app, 0), await serve(sheets.app, 0)] as const;
  const [configFile, keyFile] = [join(folder, 'leadsheet.yaml'), join(folder, 'key.json')];
  const key = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' };
  writeFileSync(keyFile, JSON.stringify(key));
  const file = {
    crm: { base_url: servers[0].url, token: 'the-key-of-the-bench' },
    google: { credentials_file: keyFile, endpoint: servers[1].url, hints },
    state: `file:${join(folder, 'state')}`,
    server: { listen: '127.0.0.1:0', hook_secret: secret },
    syncs: Object.fromEntries(
      uuids.map((_, sync) => {
        const sheet = { spreadsheet: spreadsheetOf(sync), tab };
        return [`sync-${sync}`, { contacts: { list: `List ${sync}` }, sheet, match: ['email'], columns }];
      }),
    ),
  };
  writeFileSync(configFile, stringify(file, { aliasDuplicateObjects: false }));
  const child = spawn(process.execPath, [main, 'run', '--config', configFile], { cwd: folder });
  const ended = once(child, 'close');
  let url: string | undefined;
  child.stdout.on('data', (data: Buffer) => (url ??= /"url":"([^"]+)"/.exec(data.toString())?.[1]));
  child.stderr.on('data', (data: Buffer) => process.stderr.write(data));

  const world: LagWorld = {
    edit(side, sync, contact, field, value) {
      if (side === 'service')
        service.model.contacts.change(uuids[sync]![contact]!, { fields: { [stored[field]]: value } });
      else sheets.person(spreadsheetOf(sync)).type(`${tab}!${letters[field]}${contact + 2}`, value);
    },
    read(side, sync, contact, field) {
      if (side === 'service') return service.model.contacts.get(uuids[sync]![contact]!)?.record[stored[field]];
      return sheets.person(spreadsheetOf(sync)).read(`${tab}!${letters[field]}${contact + 2}`)[0]?.[0];
    },
    hook: (sync) =>
      void fetch(`${url}/hooks/sync-${sync}`, { method: 'POST', headers: { authorization: `Bearer ${secret}` } }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      for (const server of servers) await server.close();
      rmSync(folder, { recursive: true });
    },
  };
  const begun = performance.now();
  const isQuiet = async () => {
    if (url === undefined) return false;
    const text = await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text();
    return runCounts(text).filter((count) => count >= 3).length >= syncs;
  };
  while (!(await isQuiet())) {
    if (child.exitCode !== null || performance.now() - begun > startMsMax) {
      await world[Symbol.asyncDispose]();
      throw new Error('the daemon has not run each sync three times');
    }
    await delay(500);
  }
  return world;
}
