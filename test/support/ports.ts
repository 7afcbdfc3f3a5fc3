// A sync between any CRM driver and any spreadsheet driver, with a person at each side. The engine knows only the ports, so
// that a result here holds for every pair of drivers.
import { outreachDescription } from '../../src/crm/outreach/description.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import type { AppWorld } from '../../src/app-world.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { CrmDescription } from '../../src/crm/port.ts';
import type { RunReport } from '../../src/engine/report.ts';
import type { SheetAddresses } from '../../src/sheets/port.ts';
import { createServiceStandin } from '../../src/standin/service/standin.ts';
import { parseCsv, toCsv } from './csv.ts';
import { portsFile, portsWorld, runProspects, temporaryFolder } from './ports-program.ts';
import { createReferenceCrm, referenceDescription } from './reference-crm.ts';
import { createReferenceSheets, referenceAddresses } from './reference-table.ts';
import { useJumpingClock } from './service.ts';

/** The fields of a person on both sides; '' is blank. */
export interface Person {
  readonly firstName: string;
  readonly company: string;
  readonly email: string;
}

/** The CRM: how the program reaches it, and a person's acts in it. */
export interface CrmSide {
  /** What the driver can do, for the configuration. */
  readonly description: CrmDescription;
  /** What the program is given of the world so that it reaches this side. */
  readonly world: Partial<AppWorld>;
  /** Options of the file under `crm`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Every contact in the list of the sync, by uuid. */
  people(): Readonly<Record<string, Person>>;
  /** Returns the uuid. */
  add(person: Person): string;
  edit(uuid: string, changed: Partial<Person>): void;
  remove(uuid: string): void;
}

/** The spreadsheet, likewise. The tab has the columns of `headers` below, and an unmapped one. */
export interface SheetSide {
  readonly world: Partial<AppWorld>;
  readonly addresses: SheetAddresses;
  readonly place: { readonly spreadsheet: string; readonly tab: string };
  /** Every person with an ID, by ID. */
  people(): Readonly<Record<string, Person>>;
  /** Header and rows as they are. */
  grid(): readonly (readonly string[])[];
  /** Adds a row without an ID below the others. */
  add(person: Person): void;
  edit(id: string, changed: Partial<Person>): void;
  remove(id: string): void;
  renameHeader(from: string, to: string): void;
}

const listName = 'Prospects';
const headers = { firstName: 'First name', company: 'Company', email: 'Email' } as const;
const notesHeader = 'Notes';

export interface PortsTrial {
  run(request?: { readonly isFull?: boolean }): Promise<RunReport>;
}

/** The program between two sides, with its state in a folder of its own. `sync`: options over the defaults. */
export async function createPortsTrial(
  crm: CrmSide,
  sheet: SheetSide,
  sync: Readonly<Record<string, unknown>> = {},
): Promise<PortsTrial> {
  const folder = temporaryFolder();
  const columns = { [headers.firstName]: 'first_name', [headers.company]: 'company_name', [headers.email]: 'email' };
  const text = portsFile(folder, {
    crm: { requests_per_minute: 6_000, ...crm.options },
    google: { credentials_file: join(folder, 'none.json') },
    sync: { sheet: sheet.place, match: ['email'], columns, ...sync },
  });
  const { description } = crm;
  const { addresses } = sheet;
  const config = loadConfig('leadsheet.yaml', {
    crm: description,
    env: {},
    readFile: () => text,
    listFiles: () => [],
    addresses,
  });
  const app = await createApp(config, portsWorld({ ...crm.world, ...sheet.world }), () => {});
  onTestFinished(() => app[Symbol.dispose]());
  return { run: ({ isFull = false } = {}) => runProspects(app, isFull) };
}

/** The real client over the stand-in of the service. */
export function createServiceSide(): CrmSide {
  useJumpingClock();
  const token = 'the-token-of-the-tests';
  const service = createServiceStandin({
    now: () => Date.now(),
    seed: 1,
    acceptedTokens: [token],
    switches: { rateLimits: [] },
  });
  const list = service.model.lists.add({ name: listName });
  const toFields = ({ firstName, company, email }: Partial<Person>) => ({
    ...(firstName !== undefined && { first_name: firstName, name: firstName }),
    ...(company !== undefined && { company_name: company }),
    ...(email !== undefined && { work_email: email }),
  });
  return {
    description: outreachDescription,
    world: { transport: (url, init) => service.fetch(new Request(url, init)) },
    options: { base_url: 'http://127.0.0.1:4010', token },
    people: () =>
      Object.fromEntries(
        [...service.model.contacts.all()].map(({ record }) => [
          record.uuid,
          {
            firstName: record.first_name ?? '',
            company: record.company_name ?? '',
            email: record.work_email ?? record.personal_email ?? '',
          },
        ]),
      ),
    add: (person) => service.model.contacts.add({ fields: { list_uuid: list.uuid, ...toFields(person) } }).record.uuid,
    edit: (uuid, changed) => void service.model.contacts.change(uuid, { fields: toFields(changed) }),
    remove: (uuid) => service.model.contacts.remove(uuid),
  };
}

/** The reference driver: contacts in memory. */
export function createReferenceCrmSide(): CrmSide {
  useJumpingClock();
  const crm = createReferenceCrm(() => Date.now());
  const list = crm.person.addList(listName);
  const toFields = ({ firstName, company, email }: Partial<Person>) => ({
    ...(firstName !== undefined && { first_name: firstName }),
    ...(company !== undefined && { company_name: company }),
    ...(email !== undefined && { email }),
  });
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    description: referenceDescription,
    world: { connectCrm: () => crm },
    options: { base_url: 'http://127.0.0.1:4010', token: 'the-token-of-the-tests' },
    people: () =>
      Object.fromEntries(
        [...crm.person.byUuid(list)].map(([uuid, { first_name: firstName, company_name: company, email }]) => [
          uuid,
          { firstName: textOf(firstName), company: textOf(company), email: textOf(email) },
        ]),
      ),
    add: (person) => crm.person.addContact(list, toFields(person)),
    edit: (uuid, changed) => crm.person.edit(uuid, toFields(changed)),
    remove: (uuid) => crm.person.delete(uuid),
  };
}

/** The reference driver on a CSV file. */
export function createFileSide(people: readonly Person[]): SheetSide {
  const spreadsheet = temporaryFolder();
  const file = join(spreadsheet, 'People.csv');
  const toCells = (person: Person, note: string) => [person.firstName, note, person.company, person.email];
  const header = [headers.firstName, notesHeader, headers.company, headers.email];
  writeFileSync(file, toCsv([header, ...people.map((person) => toCells(person, `met ${person.firstName}`))]));
  const grid = () => parseCsv(readFileSync(file, 'utf8'));
  const cellsOf = (lines: readonly (readonly string[])[], line: readonly string[]) => (name: string) =>
    line[lines[0]!.indexOf(name)] ?? '';
  const idOf = (lines: readonly (readonly string[])[], line: readonly string[]) => cellsOf(lines, line)('Contact ID');
  const lineOf = (lines: string[][], id: string) => {
    const line = lines.findIndex((each) => idOf(lines, each) === id);
    if (line === -1) throw new Error(`no row ${id}`);
    return line;
  };
  const change = (edit: (lines: string[][]) => void) => {
    const lines = grid();
    edit(lines);
    writeFileSync(file, toCsv(lines));
  };
  return {
    world: { connectSheets: () => Promise.resolve(createReferenceSheets()) },
    addresses: referenceAddresses,
    place: { spreadsheet, tab: 'People' },
    grid,
    people: () => {
      const lines = grid();
      const rows = lines.slice(1).filter((line) => idOf(lines, line) !== '');
      return Object.fromEntries(
        rows.map((line) => {
          const cell = cellsOf(lines, line);
          const { firstName, company, email } = headers;
          return [cell('Contact ID'), { firstName: cell(firstName), company: cell(company), email: cell(email) }];
        }),
      );
    },
    add: (person) => change((lines) => lines.push(toCells(person, ''))),
    edit: (id, changed) =>
      change((lines) => {
        const line = lines[lineOf(lines, id)]!;
        for (const key of ['firstName', 'company', 'email'] as const) {
          const value = changed[key];
          if (value !== undefined) line[lines[0]!.indexOf(headers[key])] = value;
        }
      }),
    remove: (id) => change((lines) => lines.splice(lineOf(lines, id), 1)),
    renameHeader: (from, to) => change((lines) => lines[0]!.splice(lines[0]!.indexOf(from), 1, to)),
  };
}
