// Both stand-ins with as many syncs as asked for, the configuration of the workers, and people who edit on both sides.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { serve } from '../../src/standin/serve.ts';
import { createRandom, type Random } from '../../src/standin/service/random.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { createSheetsStandin } from '../../src/standin/sheets/standin.ts';

/** One request, by the credential that it used. */
export interface Call {
  /** Empty: a command made it. */
  readonly worker: string;
  readonly account: string;
  /** Empty: it names none. */
  readonly job: string;
  readonly kind: 'calls to the service' | 'reads of Google' | 'writes to Google';
  /** It changes something. */
  readonly isWrite: boolean;
  /** Epoch milliseconds. */
  readonly time: number;
}

/** A value that people typed last and that one side does not hold. */
export interface Missing {
  readonly email: string;
  readonly typed: string | null | undefined;
  /** For the report. */
  readonly line: string;
}

export interface FleetSidesOptions {
  readonly folder: string;
  readonly stateUrl: string;
  readonly syncs: number;
  /** Each with a token, a Google account and a budget of its own. */
  readonly accounts: number;
  readonly requestsPerMinute: number;
}

const tab = 'Prospects';
const headers = ['First name', 'Company', 'Position', 'Email', 'Automation'];
const rowsEach = 4;

export async function createFleetSides({ folder, stateUrl, syncs, accounts, requestsPerMinute }: FleetSidesOptions) {
  const names = Array.from({ length: accounts }, (_, n) => (accounts === 1 ? 'default' : `account-${n + 1}`));
  const tokens = names.map((name) => `the-token-of-${name}`);
  const service = createServiceStandin({
    now: Date.now,
    seed: 1,
    acceptedTokens: tokens,
    switches: { rateLimits: [] },
    receivedMax: 1_000_000,
  });
  const random = createRandom(1);
  const sheets = createSheetsStandin({
    now: Date.now,
    random: () => random.integer(0, 2 ** 31 - 1) / 2 ** 31,
    quotas: 'none',
    access: 'open',
  });
  service.model.automations.add({ name: 'Welcome', status: 'on' });
  const people = Array.from({ length: syncs }, (_, n) => addSync(n));
  const calls: Call[] = [];
  const servers = [
    await serve(
      {
        fetch: async (request, bindings) => {
          await noteServiceCall(request);
          return service.app.fetch(request, bindings);
        },
      },
      0,
    ),
    await serve({ fetch: (request, bindings) => (noteSheetsCall(request), sheets.app.fetch(request, bindings)) }, 0),
  ] as const;
  mkdirSync(folder, { recursive: true });

  const accountOf = (n: number) => names[n % accounts]!;
  const sidesOf = (n: number) => ({
    crm: { base_url: servers[0].url, token: tokens[n]!, requests_per_minute: requestsPerMinute },
    google: {
      credentials_file: keyFile(names[n]!),
      endpoint: servers[1].url,
      reads_per_minute: requestsPerMinute,
      writes_per_minute: requestsPerMinute,
    },
  });
  const configFile = join(folder, 'leadsheet.yaml');
  writeFileSync(
    configFile,
    stringify(
      {
        state: stateUrl,
        ...(accounts === 1 ? sidesOf(0) : { accounts: Object.fromEntries(names.map((name, n) => [name, sidesOf(n)])) }),
        server: { listen: '127.0.0.1:0' },
        log: { level: 'debug' },
        syncs: Object.fromEntries(
          people.map((_, n) => [
            nameOf(n),
            {
              ...(accounts > 1 && { account: accountOf(n) }),
              schedule: '*/5 * * * * *',
              contacts: { list: nameOf(n) },
              sheet: { spreadsheet: spreadsheetOf(n), tab, status_column: 'Sync' },
              match: ['email'],
              columns: { 'First name': 'first_name', Company: 'company_name', Position: 'position', Email: 'email' },
              automation: { column: 'Automation' },
              settle_secs: 0,
            },
          ]),
        ),
      },
      { aliasDuplicateObjects: false },
    ),
  );

  async function noteServiceCall(request: Request): Promise<void> {
    const time = Date.now();
    const account = names.find((name) => request.headers.get('authorization') === `Bearer the-token-of-${name}`);
    if (account === undefined) return;
    const isWrite = request.method !== 'GET' && !/\/(lookup-one|search)$/.test(new URL(request.url).pathname);
    const job = isWrite ? jobOf(`${request.url} ${await request.clone().text()}`) : '';
    calls.push({ worker: workerOf(request), account, job, kind: 'calls to the service', isWrite, time });
  }

  /** By the e-mail address or the uuid of a contact that a write names. */
  function jobOf(text: string): string {
    const uuids = new Set(text.match(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g));
    const named = () =>
      [...service.model.contacts.all()].find(({ record }) => uuids.has(record.uuid))?.record.work_email;
    return /@(sync-\d+)\.test/.exec(text)?.[1] ?? /@(sync-\d+)\.test/.exec(named() ?? '')?.[1] ?? '';
  }

  function noteSheetsCall(request: Request): void {
    const { pathname } = new URL(request.url);
    const [, number] = /\/spreadsheet-of-fleet-(\d+)-/.exec(pathname) ?? [];
    // A request for a token costs no budget.
    if (number === undefined) return;
    const n = Number(number) - 1;
    const isRead =
      request.method === 'GET' || /:((get|batchGet)ByDataFilter|search)$/.test(decodeURIComponent(pathname));
    const kind = isRead ? 'reads of Google' : 'writes to Google';
    const about = { worker: workerOf(request), account: accountOf(n), job: nameOf(n) };
    calls.push({ ...about, kind, isWrite: !isRead, time: Date.now() });
  }

  function keyFile(account: string): string {
    const file = join(folder, `google-${account}.json`);
    const key = { type: 'authorized_user', client_id: account, client_secret: 's', refresh_token: account };
    writeFileSync(file, JSON.stringify(key));
    return file;
  }

  function addSync(n: number) {
    service.model.lists.add({ name: nameOf(n) });
    const rows = Array.from({ length: rowsEach }, (_, row) => {
      return [
        `First ${row} of ${nameOf(n)}`,
        `Company ${row} of ${nameOf(n)}`,
        `Position ${row}`,
        `p${row}@${nameOf(n)}.test`,
        row % 2 === 0 ? 'Welcome' : '',
      ];
    });
    sheets.model.create({
      id: spreadsheetOf(n),
      writers: ['anybody@example.com'],
      tabs: [{ title: tab, rowCount: 100, columnCount: 12, values: [headers, ...rows] }],
    });
    return sheets.person(spreadsheetOf(n));
  }

  const contactByEmail = () =>
    new Map([...service.model.contacts.all()].map(({ record }) => [record.work_email ?? '', record]));

  /** What a person typed last, by email and header. */
  const typed = new Map<string, Map<string, string>>();
  let acts = 0;

  /** Companies are edited in the sheet alone, positions in the service alone: neither side may lose one. */
  function act(by: Random): void {
    acts += 1;
    const n = by.integer(0, syncs - 1);
    const row = by.integer(0, rowsEach - 1);
    const email = `p${row}@${nameOf(n)}.test`;
    const contact = [...service.model.contacts.all()].find(({ record }) => record.work_email === email)?.record;
    if (!contact) return;
    const header = by.integer(0, 1) === 0 ? 'Company' : 'Position';
    const text = `${header} by act ${acts}`;
    if (header === 'Company') people[n]!.type(`${tab}!B${row + 2}`, text);
    else service.model.contacts.change(contact.uuid, { fields: { position: text } });
    typed.set(email, (typed.get(email) ?? new Map<string, string>()).set(header, text));
  }

  /** Values that people typed last and that one side does not hold. */
  function missing(): readonly Missing[] {
    const contacts = contactByEmail();
    return people.flatMap((person, n) => {
      const [, ...lines] = person.read(tab) as readonly (readonly string[])[];
      return Array.from({ length: rowsEach }, (_, row) => `p${row}@${nameOf(n)}.test`).flatMap((email) => {
        const cells = lines.find((line) => line[3] === email) ?? [];
        const contact = contacts.get(email);
        const wanted = typed.get(email) ?? new Map<string, string>();
        const held = { Company: [cells[1], contact?.company_name], Position: [cells[2], contact?.position] };
        return Object.entries(held).flatMap(([header, [cell, field]]) => {
          const want = wanted.get(header) ?? cell;
          const line = `${email} ${header}: typed ${want}, sheet ${cell}, service ${String(field)}`;
          return cell === want && field === want ? [] : [{ email, typed: want, line }];
        });
      });
    });
  }

  /** Whether each row has its contact, and both know each other. */
  function isLinked(): boolean {
    const contacts = contactByEmail();
    return people.every((person) => {
      const [, ...lines] = person.read(tab) as readonly (readonly string[])[];
      const rows = lines.filter((line) => line[3]);
      return rows.length === rowsEach && rows.every((line) => line.includes(contacts.get(line[3]!)?.uuid ?? 'none'));
    });
  }

  return {
    configFile,
    service,
    sheets,
    calls: calls as readonly Call[],
    acts: () => acts,
    act,
    isLinked,
    missing,
    /** By uuid. */
    emails: () =>
      new Map([...service.model.contacts.all()].map(({ record }) => [record.uuid, record.work_email ?? ''])),
    async close() {
      for (const server of servers) await server.close();
    },
  };
}

const workerOf = (request: Request) => request.headers.get('x-fleet-worker') ?? '';
const nameOf = (n: number) => `sync-${n + 1}`;
const spreadsheetOf = (n: number) => `spreadsheet-of-fleet-${n + 1}-in-a-box`;
