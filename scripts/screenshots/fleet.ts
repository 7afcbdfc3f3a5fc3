// The setting of pictures of an agency: three clients with a service and jobs each, on PostgreSQL, run by three workers.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { endSharedDatabases } from '../../src/postgres/pool.ts';
import { serve } from '../../src/standin/serve.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { createSheetsStandin } from '../../src/standin/sheets/standin.ts';
import { userEntry } from './user.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { createChance } from './chance.ts';
import { type SettingDaemon, startSettingDaemon } from './daemon.ts';
import { until } from './until.ts';

const clients = ['baltic-freight', 'northwind', 'quist-bakery'];
const lists = ['Leads', 'Customers'];
const people = ['Amara', 'Bruno', 'Chidi', 'Dalia', 'Emil', 'Farah', 'Goran'];
const token = 'opens-nothing';
const key = { type: 'authorized_user', client_id: 'x', client_secret: 'x', refresh_token: 'x' };
const quotas = { read: 6_000, write: 6_000 };
/** Process ids of the workers, as pictures show them. */
const pids = [411, 412, 413];

export interface FleetScene extends AsyncDisposable {
  readonly url: string;
}

export async function openFleet(): Promise<FleetScene> {
  const random = createChance();
  await using resources = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-fleet-'));
  resources.defer(() => rmSync(folder, { recursive: true }));
  const server = resources.use(await startPostgres());
  const state = await server.createDatabase();
  resources.defer(() => endSharedDatabases());
  const sheets = createSheetsStandin({
    now: Date.now,
    random,
    access: 'open',
    quotas: { perUser: quotas, perProject: quotas },
  });
  const sheetsServer = resources.use(await serve(sheets.app, 0));
  writeFileSync(join(folder, 'google.json'), JSON.stringify(key));
  const accounts: Record<string, unknown> = {};
  const syncs: Record<string, unknown> = {};
  for (const [index, client] of clients.entries()) {
    const service = createServiceStandin({
      now: Date.now,
      seed: index + 1,
      acceptedTokens: [token],
      switches: { rateLimits: [] },
    });
    const { url } = resources.use(await serve(service.app, 0));
    accounts[client] = {
      crm: { base_url: url, token, requests_per_minute: 600 },
      google: {
        credentials_file: join(folder, 'google.json'),
        endpoint: sheetsServer.url,
        reads_per_minute: 600,
        writes_per_minute: 600,
      },
    };
    const spreadsheet = `spreadsheet-of-the-client-${client}`;
    const values = [['First name', 'Email']];
    sheets.model.create({
      id: spreadsheet,
      title: client,
      tabs: lists.map((title, sheetId) => ({ title, sheetId, rowCount: 100, columnCount: 8, values })),
    });
    for (const [place, name] of lists.entries()) {
      const { uuid } = service.model.lists.add({ name });
      for (const person of people.slice(0, people.length - index - place)) {
        const email = `${person.toLowerCase()}@${client}.test`;
        service.model.contacts.add({
          fields: { list_uuid: uuid, first_name: person, name: person, work_email: email },
        });
      }
      syncs[`${client}-${name.toLowerCase()}`] = {
        account: client,
        schedule: '*/2 * * * * *',
        settle_secs: 0,
        contacts: { list: name },
        sheet: { spreadsheet, tab: name },
        match: ['email'],
        columns: { 'First name': 'first_name', Email: 'email' },
      };
    }
  }
  const path = join(folder, 'leadsheet.yaml');
  writeFileSync(
    path,
    stringify({
      accounts,
      state,
      server: { listen: '127.0.0.1:0', console: 'write', users: [await userEntry()] },
      syncs,
    }),
  );
  const workers: SettingDaemon[] = [];
  for (const pid of pids) workers.push(await startSettingDaemon(path, pid, random));
  resources.defer(async () => {
    for (const { end } of workers) await end();
  });
  const ended = () => workers.flatMap(({ lines }) => lines).filter(({ msg }) => msg === 'run ended');
  await until(() => new Set(ended().map(({ sync }) => sync)).size === Object.keys(syncs).length);
  // The last one stops, as for an update.
  await workers.at(-1)!.end();
  const kept = resources.move();
  return { url: workers[0]!.url, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
