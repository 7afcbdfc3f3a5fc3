import { expect, onTestFinished, test, vi } from 'vitest';
import { startProgram } from '../support/program.ts';
import { createSides, tab } from '../support/sides.ts';

/*
 * The built program, as in the package, runs as a daemon between both stand-ins over HTTP. The tests check only what both
 * sides hold in the end.
 */

const fieldByHeader = {
  'First name': 'first_name',
  'Last name': 'last_name',
  Company: 'company_name',
  Email: 'work_email',
  Position: 'position',
} as const;
const headers = Object.keys(fieldByHeader) as readonly (keyof typeof fieldByHeader)[];

type Cells = Readonly<Record<string, string>>;

test('L6, L8, L10, M1: 1,000 contacts and 300 rows become equal, and stay so through edits, a conflict, deletions, a restart and kills', async () => {
  const it = await createTown({ contacts: 1_000, rows: 300, known: 200 });

  // First sync. 200 rows are contacts already, one of them with another position; 100 are new.
  it.person.type('Prospects!E3', 'Head of Nothing');
  let daemon = it.start();
  await it.untilEqual({ contacts: 1_100, except: ['p1@known.test'] });
  expect(it.rowOf('p1@known.test')).toMatchObject({ Position: 'Head of Nothing' });
  expect(it.contactOf('p1@known.test')).toMatchObject({ position: 'Position 1' });

  // Typing the other side's value on either side settles the conflict.
  it.person.type('Prospects!E3', 'Position 1');
  await it.untilEqual({ contacts: 1_100 });

  // Edits on both sides, of different fields of the same contacts, during runs.
  for (let index = 10; index < 60; index += 1) {
    it.setCell(`p${index}@known.test`, 'Company', `Typed ${index}`);
    it.setField(`p${index}@known.test`, { position: `Changed ${index}` });
  }
  await it.untilEqual({ contacts: 1_100 });
  expect(it.rowOf('p59@known.test')).toMatchObject({ Company: 'Typed 59', Position: 'Changed 59' });

  // SIGTERM: calls in flight are finished. Edits meanwhile, of the same field on both sides, are not lost (L1, M1).
  expect(await daemon.end('SIGTERM')).toMatchObject({ code: 0 });
  it.setCell('p70@known.test', 'Company', 'Of the sheet');
  it.setField('p70@known.test', { company_name: 'Of the service' });
  it.setField('p71@known.test', { company_name: 'Meanwhile' });
  daemon = it.start();
  await it.untilEqual({ contacts: 1_100, except: ['p70@known.test'] });
  expect(it.rowOf('p71@known.test')).toMatchObject({ Company: 'Meanwhile' });
  expect(it.rowOf('p70@known.test')).toMatchObject({ Company: 'Of the sheet' });
  expect(it.contactOf('p70@known.test')).toMatchObject({ company_name: 'Of the service' });
  it.setField('p70@known.test', { company_name: 'Of the sheet' });

  // Deletions on both sides: of rows, then of their contacts; of contacts, then of their rows (D1, D3).
  it.deleteRow('p80@known.test');
  it.deleteRow('p81@known.test');
  it.deleteContact('p82@known.test');
  await it.untilEqual({ contacts: 1_097 });

  // kill -9 while contacts are being created, and again while rows are being appended (L8, L10).
  it.person.paste('Prospects!A1200', people(60, 'typed.test'));
  await vi.waitFor(() => expect(it.service.model.contacts.size).toBeGreaterThan(1_110), patience);
  await daemon.end('SIGKILL');
  const created = it.service.model.contacts.size;
  expect(created).toBeLessThan(1_157);
  it.addContacts(300, 'met.test');
  const writes = it.sheets.log.counters.writes;
  daemon = it.start();
  await vi.waitFor(() => expect(it.sheets.log.counters.writes).toBeGreaterThan(writes), patience);
  await daemon.end('SIGKILL');
  daemon = it.start();
  await it.untilEqual({ contacts: 1_457 });

  // At most two runs after the current one finish everything; later ones write nothing (L6, W9).
  await daemon.runs(3);
  const before = it.writes();
  await daemon.runs(3);
  expect(it.writes()).toEqual(before);
  expect(await daemon.end('SIGINT')).toMatchObject({ code: 0 });
}, 900_000);

const patience = { timeout: 200_000, interval: 20 };
/** For a comparison of all rows with all contacts, which takes some 20 ms. */
const calmly = { timeout: 200_000, interval: 500 };

/** Both stand-ins on free ports, with people at both sides. `known` rows are contacts too. */
async function createTown(size: { readonly contacts: number; readonly rows: number; readonly known: number }) {
  const known = people(size.known, 'known.test');
  const sides = await createSides({
    values: [headers, ...known, ...people(size.rows - size.known, 'new.test')],
    rowCount: 3_000,
    more: { server: { listen: '127.0.0.1:0' } },
    sync: {
      schedule: '* * * * * *',
      full_scan: '*/5 * * * * *',
      match: ['email'],
      columns: {
        'First name': 'first_name',
        'Last name': 'last_name',
        Company: 'company_name',
        Email: 'email',
        Position: 'position',
      },
      settle_secs: 1,
      on_row_deleted: 'delete_contact',
      on_contact_deleted: 'delete_row',
    },
  });
  onTestFinished(sides.close);
  const { service, sheets, person, folder, configFile } = sides;
  addContacts(size.known, 'known.test');
  addContacts(size.contacts - size.known, 'far.test');

  return {
    service,
    sheets,
    person,
    addContacts,
    rowOf,
    contactOf,
    writes: sides.writes,

    start() {
      const { child, ended, printed } = startProgram(['run', '--config', configFile, '--log-level', 'debug'], {
        cwd: folder,
      });
      let isExpected = false;
      const tellOfEnd = async () => {
        const { code, stdout, stderr } = await ended;
        if (!isExpected) process.stderr.write(`not ended by the test (${code})\n${stdout.slice(-8_000)}\n${stderr}\n`);
      };
      void tellOfEnd();
      return {
        /** Waits for so many more runs. Idle runs are logged at this level. */
        runs: async (count: number) => {
          const ends = () => printed.stdout.split('"msg":"run ended"').length;
          const before = ends();
          await vi.waitFor(() => expect(ends()).toBeGreaterThanOrEqual(before + count), patience);
        },
        end: async (signal: NodeJS.Signals) => {
          isExpected = true;
          child.kill(signal);
          return ended;
        },
      };
    },

    setCell(email: string, header: keyof typeof fieldByHeader, text: string) {
      const column = String.fromCodePoint('A'.codePointAt(0)! + headers.indexOf(header));
      person.type(`Prospects!${column}${rowNumber(email)}`, text);
    },
    deleteRow: (email: string) => person.deleteRows('Prospects', rowNumber(email)),
    setField: (email: string, fields: Record<string, string>) =>
      void service.model.contacts.change(contactOf(email).uuid, { fields }),
    deleteContact: (email: string) => service.model.contacts.remove(contactOf(email).uuid),

    /** Waits until both sides have the same people, each once, with the same values, except those named. */
    async untilEqual({ contacts, except = [] }: { readonly contacts: number; readonly except?: readonly string[] }) {
      const others = (cells: readonly Cells[]) => cells.filter(({ Email }) => !except.includes(Email ?? ''));
      await vi.waitFor(() => {
        const [inSheet, inService] = [rows(), contactsAsRows()];
        expect([inSheet.length, inService.length]).toEqual([contacts, contacts]);
        expect(others(inSheet)).toEqual(others(inService));
      }, calmly);
    },
  };

  function addContacts(count: number, domain: string): void {
    for (const cells of people(count, domain)) {
      const fields = Object.fromEntries(headers.map((header, index) => [fieldByHeader[header], cells[index] ?? '']));
      sides.addContact({ ...fields, name: `${fields['first_name']} ${fields['last_name']}` });
    }
  }

  function rowNumber(email: string): number {
    const column = headers.indexOf('Email');
    return person.read(tab).findIndex((cells) => cells[column] === email) + 1;
  }

  /** In the order of their ids, without columns that only the sheet has. */
  function rows(): readonly Cells[] {
    return sides
      .rows()
      .map((cells) => Object.fromEntries(Object.entries(cells).filter(([name]) => name !== 'Sync')))
      .toSorted(byId);
  }

  function contactsAsRows(): readonly Cells[] {
    return sides
      .contacts()
      .map((record) => ({
        ...Object.fromEntries(headers.map((header) => [header, record[fieldByHeader[header]] ?? ''])),
        'Contact ID': record.uuid,
      }))
      .toSorted(byId);
  }

  function byId(a: Cells, b: Cells): number {
    return (a['Contact ID'] ?? '') < (b['Contact ID'] ?? '') ? -1 : 1;
  }

  function rowOf(email: string): Cells | undefined {
    return rows().find(({ Email }) => Email === email);
  }

  function contactOf(email: string) {
    return sides.contacts().find(({ work_email }) => work_email === email)!;
  }
}

/** Rows of a sheet. */
function people(count: number, domain: string): string[][] {
  return Array.from({ length: count }, (_, index) => [
    `First ${index}`,
    `Last ${domain}`,
    `Company ${index % 40}`,
    `p${index}@${domain}`,
    `Position ${index}`,
  ]);
}
