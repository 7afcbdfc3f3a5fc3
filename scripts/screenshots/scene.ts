// The setting of pictures that the trial has nothing for: conflicts, a held plan, messages, enrolments, and wide and hostile texts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { serve } from '../../src/standin/serve.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { createSheetsStandin } from '../../src/standin/sheets/standin.ts';
import { createChance } from './chance.ts';
import { startSettingDaemon } from './daemon.ts';
import { until } from './until.ts';
import { userEntry } from './user.ts';

const spreadsheet = 'spreadsheet-of-the-pictures-of-the-console';
const token = 'opens-nothing';
const columnCount = 40;
const names = ['Amara', 'Bruno', 'Chidi', 'Dalia', 'Emil', 'Farah', 'Goran', 'Hana', 'Ivo', 'Jana'];
const firms = ['Baltic Freight', 'Quist Bakery', 'Northwind', 'Lindqvist & Co', 'Okafor Tools'];
/** Of the stand-in: three jobs run each second. */
const perMinute = { read: 6_000, write: 6_000 };
const key = { type: 'authorized_user', client_id: 'x', client_secret: 'x', refresh_token: 'x' };

export interface Scene extends AsyncDisposable {
  readonly url: string;
  /** Of a run of the job with forty columns. */
  readonly wideRun: string;
  /** Of a run that can be taken back. */
  readonly run: string;
}

export async function openScene(): Promise<Scene> {
  const random = createChance();
  await using resources = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'leadsheet-scene-'));
  resources.defer(() => rmSync(folder, { recursive: true }));
  const service = createServiceStandin({
    now: Date.now,
    seed: 7,
    acceptedTokens: [token],
    switches: { rateLimits: [] },
  });
  const sheets = createSheetsStandin({
    now: Date.now,
    random,
    access: 'open',
    quotas: { perUser: perMinute, perProject: perMinute },
  });
  const { model } = service;
  const lists = ['Prospects', 'Everything'].map((name) => model.lists.add({ name }));
  const addContact = (list: number, fields: Readonly<Record<string, string>>) =>
    model.contacts.add({ fields: { list_uuid: lists[list]!.uuid, ...fields } }).record;
  const people = names.map((name, index) =>
    addContact(0, {
      first_name: name,
      name,
      work_email: `${name.toLowerCase()}@firm.test`,
      company_name: firms[index % firms.length]!,
    }),
  );
  const wide = ['A very long first name '.repeat(12).trim(), 'שלום עולם', 'x'.repeat(300)].map((name, index) =>
    addContact(1, { first_name: name, name, work_email: `wide-${index}@firm.test`, company_name: 'Firm' }),
  );
  model.senderProfiles.add({ first_name: 'Mara', last_name: 'Lindqvist', label: 'Mara' });
  const welcome = model.automations.add({ name: 'Welcome sequence', status: 'on' });
  for (const name of ['Spring campaign', 'Fair in Tallinn']) model.automations.add({ name, status: 'off' });
  const fields = Array.from({ length: columnCount - 3 }, (_, index) => `field_${index + 1}`);
  sheets.model.create({
    id: spreadsheet,
    title: 'Pictures',
    tabs: [
      {
        title: 'Prospects',
        rowCount: 100,
        columnCount: 12,
        values: [['First name', 'Company', 'Email', 'Automation']],
      },
      { title: 'Everything', sheetId: 1, rowCount: 100, columnCount: 60, values: [['First name', 'Company', 'Email']] },
      { title: 'Automations', sheetId: 3, rowCount: 100, columnCount: 12, values: [] },
      { title: 'Notes', sheetId: 2, rowCount: 100, columnCount: 12, values: [['To', 'From', 'Text', 'Send']] },
    ],
  });
  const serviceServer = resources.use(await serve(service.app, 0));
  const sheetsServer = resources.use(await serve(sheets.app, 0));
  const configFile = join(folder, 'leadsheet.yaml');
  writeFileSync(join(folder, 'google.json'), JSON.stringify(key));
  const often = { schedule: '* * * * * *', settle_secs: 0 };
  writeFileSync(
    configFile,
    stringify({
      crm: {
        base_url: serviceServer.url,
        token,
        requests_per_minute: 6_000,
        contact_url: `${serviceServer.url}/contacts/{uuid}`,
      },
      google: {
        credentials_file: join(folder, 'google.json'),
        endpoint: sheetsServer.url,
        reads_per_minute: 6_000,
        writes_per_minute: 6_000,
      },
      // Runs without a change are told, too.
      log: { level: 'debug' },
      state: `file:${join(folder, 'state')}`,
      server: {
        listen: '127.0.0.1:0',
        console: 'write',
        users: [await userEntry()],
      },
      syncs: {
        prospects: {
          ...often,
          contacts: { list: 'Prospects' },
          sheet: { spreadsheet, tab: 'Prospects', status_column: 'Sync' },
          match: ['email'],
          columns: { 'First name': 'first_name', Company: 'company_name', Email: 'email' },
          conflict: 'manual',
          on_row_deleted: 'delete_contact',
          limits: { deletes: '10%', enrolments_per_hour: 2 },
          automation: { column: 'Automation', unless: { Company: ['Northwind'] } },
        },
        'everything-there-is-with-a-very-long-name-of-a-job': {
          ...often,
          contacts: { list: 'Everything' },
          sheet: { spreadsheet, tab: 'Everything', status_column: 'Sync' },
          match: ['email'],
          columns: {
            'First name': 'first_name',
            Company: 'company_name',
            Email: 'email',
            ...Object.fromEntries(fields.map((name) => [`A header of some length, ${name}`, { custom_field: name }])),
          },
          conflict: 'manual',
        },
      },
      feeds: {
        automations: {
          schedule: often.schedule,
          resource: 'automations',
          spreadsheet,
          tab: 'Automations',
          columns: { ID: 'uuid', Name: 'name' },
        },
      },
      outbox: {
        notes: {
          ...often,
          resource: 'network_messages',
          spreadsheet,
          tab: 'Notes',
          columns: { To: 'lead_uuid', From: 'sender_profile_uuid', Text: 'text' },
          sends_per_hour: 4,
        },
      },
    }),
  );
  const { url, lines, end } = await startSettingDaemon(configFile, process.pid, random);
  resources.defer(end);

  const person = sheets.person(spreadsheet);
  const read = (tab: string) => person.read(`'${tab}'`);
  const rowOf = (tab: string, text: string) => read(tab).findIndex((row) => row.includes(text)) + 1;
  const ended = (job: string) =>
    lines.filter(({ msg, sync }) => msg === 'run ended' && sync === job) as { run: string; status: string }[];
  /** A run that began after now has ended. */
  const settle = async (job: string) => {
    const before = ended(job).length;
    await until(() => ended(job).length > before + 1);
  };
  const everything = 'everything-there-is-with-a-very-long-name-of-a-job';
  await until(() => read('Prospects').length > names.length && read('Everything').length > wide.length);
  await settle('prospects');
  await settle(everything);

  // Long and foreign texts in forty columns.
  const [header = []] = read('Everything');
  const texts = ['x '.repeat(5_000), 'טקסט מימין לשמאל, (123) abc', '<b>markup</b> & "quotes"', 'A plain value'];
  const cells = header.map((name, index) =>
    typeof name === 'string' && name.startsWith('A header') ? texts[index % texts.length]! : undefined,
  );
  for (const [index, cell] of cells.entries()) {
    if (cell !== undefined) person.paste(`'Everything'!${letters(index)}2`, [[cell]]);
  }
  const changes = () => lines.filter(({ msg, sync }) => msg === 'change done' && sync === everything);
  await settle(everything);
  const wideRun = String(changes().at(-1)!['run']);

  // Enrolments: the cap lets two through, one is vetoed.
  for (const name of ['Amara', 'Bruno', 'Chidi', 'Dalia']) {
    person.paste(`'Prospects'!D${rowOf('Prospects', name)}`, [[welcome.name]]);
  }
  await settle('prospects');
  await settle('prospects');

  // Messages: one is sent, one has an unknown outcome, one is refused.
  person.paste("'Notes'!A2", [[`${names[0]!.toLowerCase()}@firm.test`, 'Mara', 'A short note', 'yes']]);
  await settle('notes');
  await settle('notes');
  service.faults.inject({ kind: 'lost', operation: 'network-messages.send', when: 'before' });
  person.paste("'Notes'!A3", [[`${names[1]!.toLowerCase()}@firm.test`, 'Mara', 'Another note', 'yes']]);
  await settle('notes');
  person.paste("'Notes'!A4", [['nobody@firm.test', 'Mara', 'A note to nobody', 'yes']]);
  await settle('notes');

  // Conflicts: both sides change while no run comes between.
  const conflict = (
    tab: string,
    contact: { readonly uuid: string },
    name: string,
    sides: readonly [string, string],
  ) => {
    const row = rowOf(tab, name);
    model.contacts.change(contact.uuid, { fields: { company_name: sides[0] } });
    person.paste(`'${tab}'!B${row}`, [[sides[1]]]);
  };
  conflict('Prospects', people[4]!, 'Emil', ['Baltic Freight Oy', 'Baltic Freight Ltd']);
  conflict('Prospects', people[5]!, 'Farah', ['Quist Bakery and Sons', 'Quist Bakeries']);
  conflict('Everything', wide[1]!, 'wide-1@firm.test', ['שלום', 'y '.repeat(5_000)]);
  await settle('prospects');
  await settle(everything);
  const run = ended('prospects').find(({ status }) => status !== 'held')!.run;

  // The service lists no automation any more, so that the feed is held.
  await until(() => read('Automations').length > 3);
  model.automations.table.replaceAll([]);
  await until(() => ended('automations').some(({ status }) => status === 'held'));

  // Four of ten rows are deleted: more than the limit.
  person.deleteRows('Prospects', rowOf('Prospects', 'Goran'), 4);
  await until(() => ended('prospects').some(({ status }) => status === 'held'));
  const kept = resources.move();
  return { url, wideRun, run, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function letters(index: number): string {
  return index < 26 ? String.fromCharCode(65 + index) : `${letters(Math.floor(index / 26) - 1)}${letters(index % 26)}`;
}
