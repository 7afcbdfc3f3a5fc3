// What people do to a range that leaves out the hidden ID column: they sort it, by a filter too, and delete or insert cells in it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSyncTrial, inOrder, tabTitle } from '../support/app.ts';

const header = ['First name', 'Last name', 'Company', 'Email', 'Status'];
const count = 12;
const rows = Array.from({ length: count }, (_, index) => [
  `P${index}`,
  `L${(index * 7) % count}`,
  'Firm',
  `p${index}@firm.io`,
  '',
]);

/** Whether each row has the ID of the contact that holds its address and first name. */
function areRowsRight({ contacts, grid }: ReturnType<typeof createSyncTrial>): boolean {
  const byId = new Map(contacts().map((contact) => [contact.uuid, contact]));
  return grid().every((row) => {
    const contact = byId.get(String(row['Contact ID']));
    return (
      Object.keys(row).length === 0 ||
      (contact?.work_email === row['Email'] && contact?.first_name === row['First name'])
    );
  });
}

async function inSync() {
  const trial = createSyncTrial({ values: [header, ...rows] });
  expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: count } });
  return { ...trial, before: inOrder(trial.contacts().map(({ uuid, work_email }) => `${work_email} ${uuid}`)) };
}

type Trial = Awaited<ReturnType<typeof inSync>>;

const namesOf = ({ contacts }: Pick<Trial, 'contacts'>) =>
  inOrder(contacts().map(({ uuid, first_name }) => `${uuid} ${first_name}`));

const range = (cells: string): string => `'${tabTitle}'!${cells}`;
const acts: readonly (readonly [string, (trial: Trial) => void])[] = [
  // Half of the rows or less, so that no limit of G2 is passed.
  ['sort a range of six rows', ({ person }) => person.sortRange(range('A2:E7'), 'B')],
  ['sort the ID column alone', ({ person }) => person.sortRange(range('F8:F13'), 'F')],
  [
    'delete the cells of a person, and those below move up',
    ({ person }) => {
      person.paste(range('A10'), person.read(range('A11:E13')));
      person.clear(range('A13:E13'));
    },
  ],
  [
    'insert cells in front of a person',
    ({ person }) => {
      person.paste(range('A11'), person.read(range('A10:E13')));
      person.clear(range('A10:E10'));
    },
  ],
];

describe('G1, L9: cells that moved to other rows without their IDs', () => {
  it.each(acts)('G1: %s: nothing is written, and the run names the rows', async (_, act) => {
    const trial = await inSync();
    act(trial);
    const writes = trial.writes();
    const { status, holds } = await trial.run();
    expect({ status, rule: holds[0]?.rule, reason: holds[0]?.reason }).toMatchObject({
      status: 'failed',
      rule: 'G1',
      reason: expect.stringContaining('the IDs did not move along'),
    });
    expect(trial.writes()).toEqual(writes);
  });

  it('G1: a range that is sorted after its rows were edited, before any run', async () => {
    const trial = await inSync();
    for (let row = 2; row <= 7; row += 1) trial.person.paste(range(`C${row}`), [[`Firm ${row}`]]);
    trial.person.sortRange(range('A2:E7'), 'B');
    const writes = trial.writes();
    expect(await trial.run()).toMatchObject({ status: 'failed', holds: [{ rule: 'G1' }] });
    expect(trial.writes()).toEqual(writes);
  });

  it('G1: three rows that move up, of one of which all but the address was edited before', async () => {
    const trial = await inSync();
    trial.person.paste(range('A12:C12'), [['Other', 'Name', 'Elsewhere']]);
    trial.person.paste(range('A10'), trial.person.read(range('A11:E13')));
    trial.person.clear(range('A13:E13'));
    const writes = trial.writes();
    expect(await trial.run()).toMatchObject({ status: 'failed', holds: [{ rule: 'G1' }] });
    expect(trial.writes()).toEqual(writes);
  });

  it.each(acts)('G4, I5: %s: once the IDs are cleared, each row is its person again', async (_, act) => {
    const trial = await inSync();
    act(trial);
    await trial.run();
    trial.person.clear(range('F2:F20'));
    expect(await trial.run()).toMatchObject({ counts: { created: 0, updated: 0 } });
    expect(inOrder(trial.contacts().map(({ uuid, work_email }) => `${work_email} ${uuid}`))).toEqual(trial.before);
    expect(areRowsRight(trial)).toBe(true);
  });

  it('G4: while people put one row after the other back, nothing is written for the others', async () => {
    const trial = await inSync();
    const cells = trial.person.read(range('A2:E7'));
    const before = namesOf(trial);
    trial.person.sortRange(range('A2:E7'), 'B');
    const moved = trial.person.read(range('A2:E7')).flatMap((row, at) => (row[3] === cells[at]![3] ? [] : [at]));
    await trial.run();
    for (const [nth, at] of moved.entries()) {
      const left = moved.length - nth;
      const { status, holds } = await trial.run({ isFull: nth % 2 === 0 });
      expect({ left, status, rule: holds[0]?.rule }).toEqual({ left, status: 'failed', rule: 'G1' });
      expect(await trial.cli('status')).toMatchObject({ stdout: expect.stringContaining(holds[0]!.reason) });
      trial.person.paste(range(`A${2 + at}`), [cells[at]!]);
    }
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0 }, problems: [] });
    expect(namesOf(trial)).toEqual(before);
  });

  it('G4: nor while they clear one ID after the other, also over a restart', async () => {
    const trial = await inSync();
    const before = namesOf(trial);
    trial.person.sortRange(range('A2:E7'), 'B');
    await trial.run();
    const ids = [2, 3, 4, 5, 6, 7];
    for (const [nth, row] of ids.entries()) {
      expect(namesOf(trial)).toEqual(before);
      trial.person.clear(range(`F${row}`));
      if (nth === 2) {
        trial.kill();
        await trial.start();
      }
      await trial.run();
    }
    await trial.run();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', problems: [] });
    expect(namesOf(trial)).toEqual(before);
    expect(areRowsRight(trial)).toBe(true);
  });

  it('G4: also if all headers, or all rows, are gone for a while', async () => {
    const trial = await inSync();
    const cells = trial.person.read(range('A2:E7'));
    const before = namesOf(trial);
    trial.person.sortRange(range('A2:E7'), 'B');
    await trial.run();
    const all = trial.person.read(range('A1:Z20'));
    for (const gone of ['1:1', '2:20']) {
      trial.person.clear(range(gone));
      expect(await trial.run({ isFull: true })).toMatchObject({ holds: [{ rule: 'G1' }] });
      trial.person.paste(range('A1'), all);
      // Of six rows two are left, which no guard would hold by themselves.
      const moved = trial.person.read(range('A2:E7')).flatMap((row, at) => (row[3] === cells[at]![3] ? [] : [at]));
      for (const at of moved.slice(0, -2)) trial.person.paste(range(`A${2 + at}`), [cells[at]!]);
      expect(await trial.run()).toMatchObject({ status: 'failed', holds: [{ rule: 'G1' }] });
      expect(namesOf(trial)).toEqual(before);
      trial.person.paste(range('A1'), all);
      await trial.run();
    }
  });

  it('G4: an undo in the spreadsheet ends it', async () => {
    const trial = await inSync();
    const seen = trial.person.read(range('A2:E7'));
    trial.person.sortRange(range('A2:E7'), 'B');
    await trial.run();
    trial.person.paste(range('A2'), seen);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, set: 0 } });
  });

  it.each(acts)('G1, I9: %s, and the state is lost before a run: nothing is written either', async (_, act) => {
    const trial = await inSync();
    act(trial);
    trial.kill();
    rmSync(join(trial.folder, 'state'), { recursive: true });
    await trial.start();
    const writes = trial.writes();
    expect(await trial.run()).toMatchObject({ status: 'failed', holds: [{ rule: 'G1' }] });
    expect(trial.writes()).toEqual(writes);
    trial.person.clear(range('F2:F20'));
    expect(await trial.run()).toMatchObject({ counts: { created: 0, updated: 0, conflicts: 0 } });
    expect(areRowsRight(trial)).toBe(true);
  });

  it('G1, L9: a sort of people who differ in their address alone', async () => {
    const columns = { Company: 'company_name', Email: 'email' };
    const values = [Object.keys(columns), ...rows.map(([, , company, email]) => [company!, email!])];
    const trial = createSyncTrial({ values, columns });
    await trial.run();
    const before = trial.contacts();
    trial.person.sortRange(range('A2:B6'), 'B', 'DESCENDING');
    expect(await trial.run()).toMatchObject({ status: 'failed', holds: [{ rule: 'G1' }] });
    expect(trial.contacts()).toEqual(before);
  });

  it('I7: two people who swap their rows, and three who pass on an address, are edits as before', async () => {
    const trial = await inSync();
    const [first, second] = trial.person.read(range('A2:D3'));
    trial.person.paste(range('A2'), [second!, first!]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
    trial.person.paste(range('D5'), [['p4@firm.io'], ['p5@firm.io'], ['p3@firm.io']]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded' });
  });

  it('L10: what a killed run wrote because people changed places in the service is not taken for that', async () => {
    const trial = await inSync();
    const three = ['p0', 'p1', 'p2'].map((name) => trial.contactOf(`${name}@firm.io`));
    for (const [index, { uuid }] of three.entries()) {
      const { first_name, work_email } = three[(index + 1) % 3]!;
      trial.service.model.contacts.change(uuid, { fields: { first_name, work_email } });
    }
    let hasWritten = false;
    trial.atEachInstant((what) => {
      if (what === 'saving' && hasWritten) trial.kill();
      if (what instanceof Request && what.url.includes('values:batchUpdateByDataFilter')) hasWritten = true;
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    await trial.start();
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'succeeded', counts: { updated: 0 } });
    expect(areRowsRight(trial)).toBe(true);
  });
});

describe('G1: other people that were pasted over rows', () => {
  const others = (many: number) =>
    Array.from({ length: many }, (_, n) => [`New${n}`, `One${n}`, 'Other firm', `new${n}@other.io`]);

  it.each([
    { it: '', list: others(3) },
    { it: ' (without addresses)', list: others(3).map(([first, last, company]) => [first!, last!, company!, 'n/a']) },
  ])('nothing is written until the cells are back$it', async ({ list }) => {
    const trial = await inSync();
    const before = trial.person.read(range('A2:D4'));
    const [contacts, writes] = [trial.contacts(), trial.writes()];
    trial.person.paste(range('A2'), list);
    for (const isFull of [false, true, false]) {
      const { status, holds, counts } = await trial.run({ isFull });
      expect({ status, holds, counts }).toMatchObject({
        status: 'held',
        holds: [{ rule: 'G1', fails: false, reason: expect.stringContaining('rows 2, 3, 4 show other people') }],
        counts: { updated: 0, created: 0 },
      });
    }
    expect([trial.contacts(), trial.writes()]).toEqual([contacts, writes]);
    trial.person.paste(range('A2'), before);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, created: 0 } });
  });

  it.each([
    { it: 'a list over three rows', over: 3, rows: 3 },
    { it: 'the last person, and two new ones below', over: 1, rows: 3 },
  ])(
    'G4: while people put one row after the other back, nothing is written for the others ($it)',
    async ({ over, rows: many }) => {
      const trial = await inSync();
      const top = over === 3 ? 2 : count + 1;
      const before = trial.person.read(range(`A${top}:D${top + over - 1}`));
      const contacts = trial.contacts();
      trial.person.paste(range(`A${top}`), others(many));
      await trial.run();
      // From the last one on: without new rows below, or two others beside it, a person who is typed over another one is an edit.
      if (over === 1) trial.person.deleteRows(tabTitle, top + 1, top + 2);
      for (let left = over; left > 0; left -= 1) {
        const { status, holds } = await trial.run({ isFull: left % 2 === 0 });
        expect({ left, status, rule: holds[0]?.rule }).toEqual({ left, status: 'held', rule: 'G1' });
        trial.person.paste(range(`A${top + left - 1}`), [before[left - 1]!]);
      }
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0, created: 0 } });
      expect(trial.contacts()).toEqual(contacts);
    },
  );

  it('G4: nor for those of whom one name is left that was filled down over many', async () => {
    const trial = await inSync();
    const before = trial.person.read(range('A2:B7'));
    const contacts = trial.contacts();
    for (let row = 3; row <= 7; row += 1) trial.person.paste(range(`A${row}`), [before[0]!]);
    await trial.run();
    for (let row = 7; row >= 3; row -= 1) {
      const { status, holds } = await trial.run();
      expect({ row, status, rule: holds[0]?.rule }).toEqual({ row, status: 'held', rule: 'G1' });
      trial.person.paste(range(`A${row}`), [before[row - 2]!]);
    }
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0 } });
    expect(trial.contacts()).toEqual(contacts);
  });

  it('I2, D1: or their IDs are cleared: they are new contacts, and those of before are as they were', async () => {
    const trial = await inSync();
    const contacts = trial.contacts();
    trial.person.paste(range('A2'), others(3));
    await trial.run();
    const column = String.fromCodePoint(65 + trial.columnIndexOf('Contact ID'));
    trial.person.clear(range(`${column}2:${column}4`));
    expect(await trial.run()).toMatchObject({ counts: { created: 3, updated: 0, deleted: 0 } });
    expect(trial.contacts().filter(({ uuid }) => contacts.some((each) => each.uuid === uuid))).toEqual(contacts);
    expect(trial.contactOf('new0@other.io')).toMatchObject({ first_name: 'New0' });
  });

  it('or a person approves it: the contacts become these people', async () => {
    const trial = await inSync();
    const { uuid } = trial.contactOf('p0@firm.io');
    trial.person.paste(range('A2'), others(3));
    await trial.run();
    expect(await trial.cli('approve', 'prospects', '--yes')).toMatchObject({ code: 0 });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 3 } });
    expect(trial.contactOf('new0@other.io')).toMatchObject({ uuid, first_name: 'New0' });
  });

  it.each([1, 2])('nor if it was pasted over the last %i people alone, and goes on below them', async (over) => {
    const trial = await inSync();
    const first = count + 2 - over;
    const contacts = trial.contacts();
    trial.person.paste(range(`A${first}`), others(over + 2));
    for (const isFull of [false, true]) {
      const { status, holds, counts } = await trial.run({ isFull });
      expect({ status, holds, counts }).toMatchObject({
        status: 'held',
        holds: [{ rule: 'G1', fails: false, reason: expect.stringContaining(`stand in row ${first}`) }],
        counts: { updated: 0, created: 0 },
      });
    }
    expect(trial.contacts()).toEqual(contacts);
    const column = String.fromCodePoint(65 + trial.columnIndexOf('Contact ID'));
    trial.person.clear(range(`${column}${first}:${column}${count + 1}`));
    expect(await trial.run()).toMatchObject({ counts: { created: over + 2, updated: 0 } });
    expect(trial.contacts().filter(({ uuid }) => contacts.some((each) => each.uuid === uuid))).toEqual(contacts);
  });

  it('nor if the last person, over whom it was pasted, had no address', async () => {
    const trial = await inSync();
    trial.addContact({ first_name: 'Zoe', last_name: 'Last' });
    await trial.run();
    const { uuid } = trial.contacts().find(({ first_name }) => first_name === 'Zoe')!;
    trial.person.paste(range(`A${count + 2}`), others(3));
    expect(await trial.run()).toMatchObject({ status: 'held', holds: [{ rule: 'G1' }], counts: { updated: 0 } });
    expect(trial.contacts().find((each) => each.uuid === uuid)).toMatchObject({ first_name: 'Zoe' });
  });

  it.each([
    { it: 'over three people', at: 4, list: others(3) },
    { it: 'from the last one on', at: count + 1, list: others(3) },
    { it: 'one name over five people', at: 4, list: Array.from({ length: 5 }, () => ['P7', 'L1']) },
  ])('W10: $it, also where the cells have to stand still first, as in the daemon', async ({ at, list }) => {
    const trial = createSyncTrial({ values: [header, ...rows], sync: { settle_secs: 10 } });
    await trial.run();
    trial.person.paste(range(`A${at}`), list);
    for (let runs = 0; runs < 3; runs += 1) {
      const { counts, holds } = await trial.run({ isAsked: false });
      expect([counts.updated, counts.created, runs < 2 || holds[0]?.rule]).toEqual([0, 0, runs < 2 || 'G1']);
      await pass(6_000);
    }
  });

  it('L1: where only a first name is mapped, one that has two words is filled down as any other', async () => {
    const columns = { 'First name': 'first_name', Email: 'email' };
    const values = [Object.keys(columns), ...rows.map(([first, , , email]) => [first!, email!])];
    const trial = createSyncTrial({ values, columns });
    await trial.run();
    trial.person.paste(
      range('A2'),
      Array.from({ length: 5 }, () => ['Mary Ann']),
    );
    expect(await trial.run()).toMatchObject({ holds: [], counts: { updated: 5 } });
  });

  it('L1: who replaces the last person and adds one more, or names rows that have waited below, has edited', async () => {
    const trial = await inSync();
    trial.person.paste(range(`A${count + 1}`), others(2));
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 1, created: 1 } });
    // A name with no key is no person yet.
    trial.person.paste(range(`A${count + 3}`), [
      ['Some', 'Name'],
      ['Some', 'Other'],
    ]);
    trial.person.paste(range(`A${count + 2}`), [['Third', 'One', 'Firm', 'third@other.io']]);
    expect(await trial.run()).toMatchObject({ holds: [], counts: { updated: 1 } });
  });

  it('nor are names that are filled down, with a company or not, beside addresses that stay', async () => {
    const trial = await inSync();
    const before = trial.person.read(range('A2:C6'));
    const contacts = trial.contacts();
    trial.person.paste(
      range('A2'),
      Array.from({ length: 5 }, () => ['P7', 'L1']),
    );
    const { status, holds } = await trial.run();
    expect({ status, holds }).toMatchObject({
      status: 'held',
      holds: [
        {
          rule: 'G1',
          fails: false,
          reason: expect.stringContaining('rows 2, 3, 4 and 2 more show one and the same name'),
        },
      ],
    });
    trial.person.paste(
      range('A2'),
      Array.from({ length: 5 }, () => ['P7', 'L1', 'Other firm']),
    );
    expect(await trial.run()).toMatchObject({ status: 'held', holds: [{ rule: 'G1' }] });
    expect(trial.contacts()).toEqual(contacts);
    trial.person.paste(range('A2'), before);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [], counts: { updated: 0 } });
  });

  it.each([
    { it: 'two people who follow others', paste: others(2) },
    { it: 'four namesakes', paste: Array.from({ length: 4 }, () => ['P7', 'L1']) },
    { it: 'first names that are filled down', paste: Array.from({ length: 5 }, () => ['There']) },
    { it: 'addresses of a new domain', paste: [3, 4, 5].map((n) => [`P${n}`, `L${n}`, 'Firm', `p${n}@new.io`]), at: 5 },
    {
      it: 'addresses and family names',
      paste: [3, 4, 5].map((n) => [`P${n}`, `Other${n}`, 'Firm', `o${n}@firm.io`]),
      at: 5,
    },
    {
      it: 'names in capitals beside new addresses',
      paste: [3, 4, 5].map((n) => [`P${n}`, `L${n}`, 'Firm', `p${n}@new.io`].map((text) => text.toUpperCase())),
      at: 5,
    },
    { it: 'names alone', paste: others(5).map(([first, last]) => [first!, last!]) },
  ])('L1, I7: $it are edits', async ({ paste, at = 2 }) => {
    const trial = await inSync();
    trial.person.paste(range(`A${at}`), paste);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: paste.length } });
  });

  it('L10, G2: what an approval let through is not held once more by the run after one that was killed', async () => {
    const trial = await inSync();
    trial.person.paste(range('A2'), others(6));
    await trial.run();
    await trial.cli('approve', 'prospects', '--yes');
    let updates = 0;
    trial.atEachInstant((what) => {
      if (what instanceof Request && what.url.includes('/leads/') && what.method === 'PUT') updates += 1;
      if (updates === 2) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    await trial.start();
    trial.type('p9@firm.io', 'Company', 'Another firm');
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [] });
    expect(trial.contactOf('new5@other.io')).toMatchObject({ first_name: 'New5' });
    expect(trial.contactOf('p9@firm.io')).toMatchObject({ company_name: 'Another firm' });
  });
});

describe('G1, L2: cells of one column alone that moved to other rows', () => {
  const columns = {
    'First name': 'first_name',
    'Last name': 'last_name',
    Company: 'company_name',
    Email: 'email',
    Segment: { custom_field: 'segment' },
  };

  /** Twenty people, each with values of their own but for the company, which two have. */
  async function twenty(sync: Readonly<Record<string, unknown>> = {}) {
    const values = [
      Object.keys(columns),
      ...Array.from({ length: 20 }, (_, n) => [`P${n}`, `L${n}`, `Firm ${n >> 1}`, `p${n}@firm.io`, `S${n}`]),
    ];
    const trial = createSyncTrial({ values, columns, sync });
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { created: 20 } });
    return { ...trial, turn };

    /** The cells of so many rows of a column are those of the rows below, and the first one comes last. */
    function turn(column: string, rowCount: number): void {
      const [first, ...others] = trial.person.read(range(`${column}2:${column}${rowCount + 1}`));
      trial.person.paste(range(`${column}2`), [...others, first!]);
    }
  }

  it.each([
    ['First name', 'A'],
    ['Company', 'C'],
    ['Email', 'D'],
    ['Segment', 'E'],
  ])('%s: nothing is written until the cells are back', async (name, column) => {
    const trial = await twenty();
    const before = trial.person.read(range(`${column}2:${column}21`));
    const contacts = trial.contacts();
    // Less than half of the records, so that no limit of G2 is passed.
    trial.turn(column, 9);
    const { status, holds } = await trial.run();
    expect({ status, holds }).toMatchObject({ status: 'held', holds: [{ rule: 'G1', fails: false }] });
    expect(holds[0]!.reason).toContain(`in "${name}", rows `);
    expect(await trial.run({ isFull: true })).toMatchObject({ status: 'held' });
    expect(trial.contacts()).toEqual(contacts);
    trial.person.paste(range(`${column}2`), before);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [], counts: { updated: 0 } });
  });

  it('G4: whatever else of it is edited meanwhile, and while people put one cell after the other back', async () => {
    const trial = await twenty();
    const before = trial.person.read(range('A2:A21'));
    const names = () => inOrder(trial.contacts().map(({ work_email, first_name }) => `${work_email} ${first_name}`));
    const known = names();
    trial.turn('A', 6);
    expect(await trial.run()).toMatchObject({ status: 'held', holds: [{ rule: 'G1' }] });
    // More than a fifth of the edits of the column, so that it would not count as moved any more.
    for (const row of [12, 13, 14]) trial.person.paste(range(`A${row}`), [[`Typed${row}`]]);
    for (let row = 2; row <= 7; row += 1) {
      const { status, holds } = await trial.run({ isFull: row % 2 === 0 });
      expect({ row, status, rule: holds[0]?.rule }).toEqual({ row, status: 'held', rule: 'G1' });
      expect(names()).toEqual(known);
      trial.person.paste(range(`A${row}`), [before[row - 2]!]);
    }
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [], counts: { updated: 3 } });
    expect(trial.contactOf('p1@firm.io')).toMatchObject({ first_name: 'P1' });
    expect(trial.contactOf('p10@firm.io')).toMatchObject({ first_name: 'Typed12' });
  });

  it('G4, L11: a plan says what the run would hold; what is put right, and moves again, is judged anew', async () => {
    const trial = await twenty();
    const before = trial.person.read(range('A2:A21'));
    trial.turn('A', 8);
    await trial.run();
    // Three are left, which nobody would take for a column that was moved.
    trial.person.paste(range('A2'), before.slice(0, 5));
    expect(await trial.cli('plan', 'prospects')).toMatchObject({
      stdout: expect.stringContaining('rows 7, 8, 9 hold'),
    });
    trial.person.paste(range('A7'), before.slice(5, 8));
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 0 } });
    trial.person.paste(range('A7'), [before[6]!, before[5]!]);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 2 } });
  });

  it('a column that is sorted alone and has blank cells, which come last', async () => {
    const trial = await twenty({ limits: { changes: '100%', blanks: '100%' } });
    for (const number of [3, 5, 8, 9, 12, 13, 17, 20]) trial.person.clear(range(`B${number}`));
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 8 } });
    trial.person.sortRange(range('B2:B21'), 'B', 'DESCENDING');
    expect(await trial.run()).toMatchObject({ status: 'held', holds: [{ rule: 'G1' }] });
  });

  it('a cell that is deleted so that those below move up, beside an edit of somebody else', async () => {
    const trial = await twenty();
    trial.person.paste(range('C14'), trial.person.read(range('C15:C21')));
    trial.person.paste(range('C21'), [['']]);
    trial.person.paste(range('C2'), [['Another firm']]);
    trial.person.paste(range('A14'), trial.person.read(range('A15:A21')));
    expect(await trial.run()).toMatchObject({ status: 'held', holds: [{ rule: 'G1' }] });
  });

  it('six cells that are sorted alone, of which one is in conflict with the service', async () => {
    const trial = await inSync();
    const names = trial.person.read(range('A2:A7'));
    trial.person.paste(range('A2:A7'), names.toReversed());
    trial.change('p5@firm.io', { first_name: 'Other' });
    const writes = trial.writes();
    expect(await trial.run()).toMatchObject({ status: 'held', holds: [{ rule: 'G1' }], counts: { updated: 0 } });
    expect(trial.writes()).toEqual(writes);
  });

  it('an approval lets it through, once, also what a run that is killed leaves of it', async () => {
    const trial = await twenty();
    trial.turn('A', 8);
    await trial.run();
    expect(await trial.cli('approve', 'prospects', '--yes')).toMatchObject({ code: 0 });
    let updates = 0;
    trial.atEachInstant((what) => {
      if (what instanceof Request && what.url.includes('/leads/') && what.method !== 'GET') updates += 1;
      if (updates === 4) trial.kill();
    });
    expect(await trial.attempt()).toBe('killed');
    trial.atEachInstant(() => {});
    await trial.start();
    expect(await trial.run()).toMatchObject({ status: 'succeeded', holds: [] });
    expect(trial.contactOf('p0@firm.io').first_name).toBe('P1');
    expect(trial.contactOf('p7@firm.io').first_name).toBe('P0');
    trial.turn('A', 8);
    expect(await trial.run()).toMatchObject({ status: 'held' });
  });

  it('G6: it is approved as a whole, and explain says that the run was held', async () => {
    const trial = await twenty();
    trial.turn('A', 8);
    await trial.run();
    expect((await trial.cli('approve', 'prospects', '--only', 'p0@firm.io')).code).not.toBe(0);
    expect((await trial.cli('explain', 'p0@firm.io')).stdout).toContain(
      'linked; the last run was held before it wrote',
    );
    expect((await trial.cli('plan')).stdout).toContain('"P0" -> "P1"');
  });

  it('four people who pass a value on, and nine who get new ones, are edits', async () => {
    const trial = await twenty();
    trial.turn('A', 4);
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 4 } });
    trial.person.paste(
      range('B2'),
      Array.from({ length: 9 }, (_, n) => [`New ${n}`]),
    );
    expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 9 } });
  });

  it('contacts that are handed round among few people are edits', async () => {
    const trial = await twenty({ limits: { changes: '100%' } });
    for (const shift of [0, 1]) {
      const owners = Array.from({ length: 18 }, (_, n) => [`Owner ${(n + shift) % 6}`]);
      trial.person.paste(range('C2'), owners);
      expect(await trial.run()).toMatchObject({ status: 'succeeded', counts: { updated: 18 } });
    }
  });

  it('W10: also where the cells have to stand still first, as in the daemon', async () => {
    const trial = await twenty({ settle_secs: 10 });
    trial.turn('A', 8);
    for (let runs = 0; runs < 3; runs += 1) {
      const { counts, holds } = await trial.run({ isAsked: false });
      expect([counts.updated, runs < 2 || holds[0]?.rule]).toEqual([0, runs < 2 || 'G1']);
      await pass(6_000);
    }
  });

  it('G2: what an approval let through, and the service refused, is sent by the next run without another one', async () => {
    const trial = await twenty();
    trial.turn('A', 8);
    await trial.run();
    await trial.cli('approve', 'prospects', '--yes');
    trial.service.faults.inject({ kind: 'status', status: 503, operation: 'contacts.update', times: 99 });
    expect(await trial.run()).toMatchObject({ status: 'partial', counts: { updated: 0 } });
    trial.service.faults.clear();
    trial.person.paste(range('C20'), [['Another firm']]);
    expect(await trial.run()).toMatchObject({ holds: [], counts: { updated: 9 } });
  });
});

function pass(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
