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

  it.each(acts)('G4, I5: %s: once the IDs are cleared, each row is its person again', async (_, act) => {
    const trial = await inSync();
    act(trial);
    await trial.run();
    trial.person.clear(range('F2:F20'));
    expect(await trial.run()).toMatchObject({ counts: { created: 0, updated: 0 } });
    expect(inOrder(trial.contacts().map(({ uuid, work_email }) => `${work_email} ${uuid}`))).toEqual(trial.before);
    expect(areRowsRight(trial)).toBe(true);
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
