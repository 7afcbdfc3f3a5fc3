import { describe, expect, test } from 'vitest';
import { inOrder, tabTitle } from '../../support/app.ts';
import { createLinkedTrial, header } from '../support.ts';
import { copy, explained, fieldOf, recordOf } from './support.ts';

/* The names under which a record is found. */

describe('a contact is found', () => {
  test('by uuid, e-mail address, name, row and cell, in any case', async () => {
    const trial = await createLinkedTrial(['Ann', 'Bob']);
    const id = trial.uuidOf('Bob');
    const row = trial.rowNumberOf('bob@firm.io');
    const names = [id, id.toUpperCase(), 'bob@firm.io', 'BOB@firm.io ', 'bob  b', `row:${row}`, `D${row}`, `$D$${row}`];
    for (const name of [...names, `Prospects!D${row}`, `prospects!d${row}`, `'Prospects'!D${row}`, `F${row}`]) {
      expect([name, await recordOf(trial, name)]).toMatchObject([name, { job: 'prospects', kind: 'sync', id, row }]);
    }
  });

  test('by what pages and commands show of it: a name with its address, and the number of its row', async () => {
    const trial = await createLinkedTrial(['Ann', 'Bob']);
    const [id, row] = [trial.uuidOf('Bob'), trial.rowNumberOf('bob@firm.io')];
    const { name } = await recordOf(trial, id);
    expect(name).toBe('Bob B <bob@firm.io>');
    for (const shown of [name, `row ${row}`, `Row ${row}`, '<BOB@firm.io>']) {
      expect([shown, await recordOf(trial, shown)]).toMatchObject([shown, { job: 'prospects', id, row }]);
    }
    trial.type('bob@firm.io', 'Company', 'Other');
    await trial.run();
    const { stdout } = await trial.cli('log', '--contact', name, '--json');
    expect(stdout).toContain(id);
    expect(await trial.cli('explain', 'Bob B <bobby@firm.io>')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has this e-mail address'),
    });
    expect(await trial.cli('explain', 'row 99')).toMatchObject({ stderr: expect.stringContaining('in row 99') });
  });

  test('by a cell, which names the field; a column of our own names the whole record', async () => {
    const trial = await createLinkedTrial(['Ann']);
    expect((await recordOf(trial, 'Prospects!C2')).fields).toMatchObject([{ field: 'company_name', cell: 'C2' }]);
    const letters = ['A', 'B', 'C', 'D', 'E', 'F'];
    const idColumn = letters[trial.columnIndexOf('Contact ID')] ?? 'F';
    expect((await recordOf(trial, `Prospects!${idColumn}2`)).fields).toHaveLength(header.length);
    expect(await trial.cli('explain', 'Prospects!Q2')).toMatchObject({
      code: 1,
      stderr:
        'leadsheet: column Q of Prospects is not synced by prospects: synced are A First name, B Last name, C Company, D Email, E Status\n',
    });
    expect(await trial.cli('explain', 'Others!C2')).toMatchObject({
      code: 64,
      stderr: 'leadsheet: there is no tab Others here; there are Prospects\n',
    });
  });

  test('by the row that a run gave it, at once, and by the row that is left after deletions', async () => {
    const trial = await createLinkedTrial(['Ann', 'Bob', 'Cy', 'Dee', 'Eve', 'Fay'], {
      sync: { on_contact_deleted: 'delete_row' },
    });
    for (const name of ['Gil', 'Hal']) trial.addContact({ first_name: name, email: `${name.toLowerCase()}@firm.io` });
    await trial.run();
    trial.service.model.contacts.remove(trial.uuidOf('Bob'));
    await trial.run({ isFull: true });
    trial.addContact({ first_name: 'Ida', email: 'ida@firm.io' });
    await trial.run({ isFull: true });
    for (const { Email: email, 'Contact ID': id } of trial.grid()) {
      const row = trial.rowNumberOf(String(email));
      expect([email, await recordOf(trial, `row:${row}`)]).toMatchObject([email, { id, row }]);
    }
  });

  test('by its row although rows were sorted since, once a run has read the tab', async () => {
    const trial = await createLinkedTrial(['Ann', 'Bob']);
    const [first, second] = trial.person.read(`'${tabTitle}'!A2:Z3`);
    trial.person.paste(`'${tabTitle}'!A2`, [
      second!.map((cell) => cell ?? ''),
      first!.map((cell) => cell ?? ''),
    ] as string[][]);
    await trial.run();
    expect(await recordOf(trial, 'row:2')).toMatchObject({ id: trial.uuidOf('Bob'), row: 2 });
    expect(await recordOf(trial, 'row:3')).toMatchObject({ id: trial.uuidOf('Ann'), row: 3 });
  });

  test('by a field of any name that people know it by', async () => {
    const trial = await createLinkedTrial(['Ann']);
    for (const name of ['company_name', 'Company', 'company', ' COMPANY ']) {
      expect(await fieldOf(trial, 'ann@firm.io', name)).toMatchObject({ field: 'company_name' });
    }
    expect(await trial.cli('explain', 'ann@firm.io', 'Compny')).toMatchObject({
      code: 64,
      stderr: 'leadsheet: prospects has no field Compny, did you mean Company?\n',
    });
  });

  test('among several of one name, by the commands that are listed', async () => {
    const trial = await createLinkedTrial(['Ann', 'Bob']);
    trial.type('bob@firm.io', 'First name', 'Ann');
    trial.type('bob@firm.io', 'Last name', 'A');
    await trial.run();
    const { hits, records } = await explained(trial, 'Ann A', 'Email');
    expect(records).toEqual([]);
    expect(inOrder(hits.map(({ id }) => id))).toEqual(inOrder([trial.uuidOf('Ann'), trial.uuidOf('Bob')]));
    for (const { command, id } of hits) {
      const { code, stdout } = await copy(trial, command);
      expect(code).toBe(0);
      expect(stdout).toContain(id);
      expect(stdout).toContain('Email (D');
    }
    const { stdout } = await trial.cli('explain', 'Ann A');
    expect(stdout).toContain('Ann A is 2 records; say which:\n');
  });

  test('although it was deleted, by its uuid, as long as the history has it', async () => {
    const trial = await createLinkedTrial(['Ann', 'Bob', 'Cy', 'Dee', 'Eve', 'Fay'], {
      sync: { on_contact_deleted: 'delete_row' },
    });
    const id = trial.uuidOf('Ann');
    trial.service.model.contacts.remove(id);
    await trial.run({ isFull: true });
    await trial.run({ isFull: true });
    expect(trial.grid()).toHaveLength(5);
    const record = await recordOf(trial, id);
    expect(record).toMatchObject({
      id,
      row: null,
      fields: [],
      next: null,
      standing: expect.stringMatching(/history knows it/),
    });
    expect((await copy(trial, record.log!)).stdout).toContain(id);
    expect(await trial.cli('explain', '00000000-0000-4000-8000-000000000000')).toMatchObject({
      code: 1,
      stderr: 'leadsheet: no linked contact has this uuid, nor does the history\n',
    });
  });

  test('not if nobody has the name, and the message says what helps', async () => {
    const trial = await createLinkedTrial(['Ann']);
    for (const [name, message] of [
      [
        'nobody@firm.io',
        /no linked contact has this e-mail address; a contact that was deleted is known by its uuid alone/,
      ],
      [
        'Ann',
        /no linked contact has the name Ann; .*\. A name counts as a whole: write first and last name, or the e-mail address, or row:17/,
      ],
      ['row:99', /no run has seen a contact in row 99: .*leadsheet sync/],
    ] as const) {
      const { code, stderr } = await trial.cli('explain', name);
      expect(code).toBe(1);
      expect(stderr).toMatch(message);
    }
  });

  test('a row that has no contact yet says what it waits for', async () => {
    const trial = await createLinkedTrial(['Ann']);
    trial.person.paste(`'${tabTitle}'!A9`, [['Dee']]);
    await trial.run();
    expect(await recordOf(trial, 'row:9')).toMatchObject({
      id: null,
      row: 9,
      name: 'row 9, which has no contact yet',
      problems: [{ kind: 'waiting', row: 9 }],
    });
  });
});

test('I9: without any state it says that nothing is known, and makes no state', async () => {
  const trial = await createLinkedTrial(['Ann']);
  const { rmSync, existsSync } = await import('node:fs');
  rmSync(`${trial.folder}/state`, { recursive: true });
  for (const name of ['ann@firm.io', 'row:2', trial.uuidOf('Ann')]) {
    expect(await trial.cli('explain', name)).toMatchObject({ code: 1, stdout: '' });
  }
  expect(existsSync(`${trial.folder}/state`)).toBe(false);
});

describe('a row whose ID cell does not name its contact', () => {
  test('I4: a copied row is explained by what its status cell says, and the contact by its own row', async () => {
    const trial = await createLinkedTrial(['Ann', 'Bob']);
    const [row] = trial.person.read(`'${tabTitle}'!A2:Z2`);
    trial.person.paste(`'${tabTitle}'!A4`, [row!.map((cell) => cell ?? '')] as string[][]);
    await trial.run();
    expect(await recordOf(trial, 'row:4')).toMatchObject({
      id: null,
      row: 4,
      name: 'row 4, which is set aside',
      standing: 'copy of row 2: clear its ID to make it a new contact',
      problems: [{ kind: 'quarantined', rule: 'I4', row: 4 }],
    });
    for (const name of ['row:2', 'ann@firm.io', 'Ann A', trial.uuidOf('Ann')]) {
      expect([name, await recordOf(trial, name)]).toMatchObject([name, { id: trial.uuidOf('Ann'), row: 2 }]);
    }
  });

  test('I5: a row with another ID is not told as a contact that was deleted, and its contact not as agreed', async () => {
    const trial = await createLinkedTrial(['Ann', 'Bob']);
    for (const id of ['abc', '0c0ffee0-0000-4000-8000-000000000000']) {
      trial.type('ann@firm.io', 'Contact ID', id);
      await trial.run();
      const ofRow = await recordOf(trial, 'row:2');
      expect(ofRow).toMatchObject({
        id: null,
        row: 2,
        name: 'row 2, which is set aside',
        standing: expect.stringContaining('put the right one back'),
        problems: [{ kind: 'quarantined', rule: 'I5', row: 2 }],
      });
      expect(ofRow.problems[0]!.remedies).not.toEqual([]);
      expect(await recordOf(trial, 'ann@firm.io')).toMatchObject({
        standing: 'linked; something is open',
        problems: [{ kind: 'held', rule: 'I5' }],
      });
    }
  });

  test('I2: a row of which nothing is left but its ID is not told as one without a contact', async () => {
    const trial = await createLinkedTrial(['Ann', 'Bob']);
    for (const name of header) if (name !== 'Contact ID') trial.type('ann@firm.io', name, '');
    await trial.run();
    expect(await recordOf(trial, 'row:2')).toMatchObject({
      id: null,
      row: 2,
      name: 'row 2, which is set aside',
      problems: [{ kind: 'quarantined', rule: 'I2', row: 2 }],
    });
  });
});
