import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSyncTrial, inOrder, tabTitle } from '../../support/app.ts';
import { createLinkedTrial, header } from '../support.ts';
import { copy, fieldOf, recordOf } from './support.ts';

/* The origin of a value, what it replaced, and what the next run does with it. */

const ann = 'ann@firm.io';

/** A contact that was in both sides before the first run, and equal in both but for its last name. */
async function createAdopted() {
  const trial = createSyncTrial({ values: [header, ['Ann', '', 'Firm', ann]], sync: { conflict: 'manual' } });
  trial.addContact({ first_name: 'Ann', last_name: 'Lee', company_name: 'Firm', email: ann });
  await trial.run();
  return trial;
}

describe('a value', () => {
  test('that was equal at first sight was adopted, on the day of the link', async () => {
    const trial = await createAdopted();
    const { origin, lost } = await fieldOf(trial, ann, 'Company');
    expect(origin).toMatchObject({
      kind: 'adopted',
      from: null,
      time: expect.stringMatching(/^2026-11-21T/),
      text: 'adopted on 2026-11-21: both sides held it when they were linked',
    });
    expect(lost).toEqual([]);
  });

  test('that one side lacked came from the other, with run and rule', async () => {
    const trial = await createAdopted();
    const line = (await trial.history()).find(({ field }) => field === 'last_name');
    expect((await fieldOf(trial, ann, 'last_name')).origin).toMatchObject({
      kind: 'written',
      from: 'crm',
      run: line!.run,
      time: line!.time,
      rule: 'merge',
      reason: 'one side was blank',
    });
  });

  test('that was edited came from that side, and what it replaced is in the line that is named', async () => {
    const trial = await createAdopted();
    trial.type(ann, 'Company', 'Baltic Freight');
    await trial.run();
    const sheet = await fieldOf(trial, ann, 'Company');
    expect(sheet).toMatchObject({
      is_open: false,
      origin: { kind: 'written', from: 'sheet', reason: 'changed in the sheet' },
    });
    expect(sheet.lost).toMatchObject([{ side: 'crm', value: 'Firm' }]);
    expect((await copy(trial, sheet.lost[0]!.command)).stdout).toContain('"Firm" -> "Baltic Freight"');
    trial.change(ann, { company_name: 'North Freight' });
    await trial.run();
    expect(await fieldOf(trial, ann, 'Company')).toMatchObject({
      origin: { from: 'crm', reason: 'changed in the CRM' },
      lost: [{ side: 'sheet', value: 'Baltic Freight' }],
    });
  });

  test('that an undo put back names the undo, on both sides, and the undo of that undo', async () => {
    const trial = await createAdopted();
    trial.type(ann, 'Company', 'Baltic Freight');
    const { run } = await trial.run();
    const undo = async (undone: string) => {
      const { stdout } = await trial.cli('undo', undone, '--yes', '--json');
      return (JSON.parse(stdout) as { run: { run: string } }).run.run;
    };
    const first = await undo(run);
    const back = await fieldOf(trial, ann, 'Company');
    expect(back).toMatchObject({
      agreed: { value: 'Firm' },
      crm: { value: 'Firm' },
      sheet: { value: 'Firm' },
      origin: { kind: 'undone', run: first, rule: 'S4', reason: `undo of ${run}`, by: 'ann' },
    });
    const who = 'ann had a run taken back on 2026-11-21';
    expect(back.origin.text).toMatch(new RegExp(`^${who} .*; 2026-11-21 .*, run ${first}$`));
    expect(back.lost.map(({ value }) => value)).toContain('Baltic Freight');
    const second = await undo(first);
    expect(await fieldOf(trial, ann, 'Company')).toMatchObject({
      agreed: { value: 'Baltic Freight' },
      origin: { kind: 'undone', run: second, reason: `undo of ${first}` },
    });
    trial.change(ann, { company_name: 'Third' });
    await trial.run();
    expect((await fieldOf(trial, ann, 'Company')).origin).toMatchObject({ kind: 'written', from: 'crm' });
  });

  test('that a person decided on names who and when, and both values that lost', async () => {
    const trial = await createAdopted();
    trial.type(ann, 'Company', 'By hand');
    trial.change(ann, { company_name: 'By the CRM' });
    await trial.run();
    const open = await fieldOf(trial, ann, 'Company');
    expect(open).toMatchObject({
      is_open: true,
      agreed: { value: 'Firm' },
      crm: { value: 'By the CRM' },
      sheet: { value: 'By hand' },
      origin: { kind: 'adopted' },
      notes: expect.arrayContaining([expect.stringMatching(/^in conflict since 2026-11-21/)]),
    });
    await trial.cli('resolve', `${(await recordOf(trial, ann)).id}/company_name`, '--value', 'Neither');
    await trial.cli('sync');
    const { origin, lost } = await fieldOf(trial, ann, 'Company');
    expect(origin).toMatchObject({
      kind: 'decided',
      by: 'ann',
      rule: 'M1',
      text: expect.stringMatching(/^ann decided the conflict on 2026-11-21/),
    });
    expect(inOrder(lost.map(({ side, value }) => `${side}: ${value}`))).toEqual(['crm: By the CRM', 'sheet: By hand']);
  });

  test('that both sides were given by hand was written by no run', async () => {
    const trial = await createAdopted();
    trial.type(ann, 'Company', 'First');
    await trial.run();
    trial.type(ann, 'Company', 'Alike');
    trial.change(ann, { company_name: 'Alike' });
    await trial.run();
    expect(await fieldOf(trial, ann, 'Company')).toMatchObject({
      agreed: { value: 'Alike' },
      origin: { kind: 'met', text: 'both sides came to hold it after 2026-11-21; nothing was written' },
      lost: [],
    });
  });

  test('that both sides never agreed on says so', async () => {
    const trial = createSyncTrial({ values: [header, ['Ann', '', 'Sheet Co', ann]], sync: { conflict: 'manual' } });
    trial.addContact({ first_name: 'Ann', company_name: 'Crm Co', email: ann });
    await trial.run();
    expect(await fieldOf(trial, ann, 'Company')).toMatchObject({
      agreed: { value: null, is_known: false },
      origin: { kind: 'never' },
      is_open: true,
    });
  });

  test('whose line was deleted by age is older than the history', async () => {
    const trial = await createLinkedTrial(['Ann']);
    const folder = join(trial.folder, 'state', 'prospects', 'history');
    const [today = ''] = readdirSync(folder);
    const first = readFileSync(join(folder, today), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    rmSync(join(folder, today));
    const old = first.slice(0, 1).map((line) => {
      const { checksum: _ofTheLine, ...written } = JSON.parse(line) as Record<string, unknown>;
      return JSON.stringify({
        ...written,
        time: '2026-08-23T09:00:00.000Z',
        contact: 'somebody-else',
      });
    });
    writeFileSync(join(folder, '2026-08-23.ndjson'), `${old.join('\n')}\n`);
    expect((await fieldOf(trial, ann, 'Company')).origin).toMatchObject({
      kind: 'older',
      text: 'older than the history, which begins 2026-08-23',
    });
  });

  test('whose last write failed tells it', async () => {
    const trial = await createAdopted();
    trial.type(ann, 'Company', 'Other');
    trial.service.faults.inject({ kind: 'status', status: 422, operation: 'contacts.update' });
    await trial.run();
    const { notes } = await fieldOf(trial, ann, 'Company');
    expect(notes.join('\n')).toMatch(/the write to the service was refused: /);
  });
});

describe('the next run', () => {
  test('does what the algorithm plans with the readings that are stored', async () => {
    const trial = await createLinkedTrial(['Ann'], { sync: { settle_secs: 0 } });
    expect((await recordOf(trial, ann)).next).toEqual({ changes: [], asks: [], waits: [] });
    trial.type(ann, 'Company', 'Other');
    trial.service.faults.inject({ kind: 'status', status: 503, operation: 'contacts.update', times: 99 });
    await trial.run();
    trial.service.faults.clear();
    const { changes } = (await recordOf(trial, ann)).next!;
    expect(changes).toMatchObject([
      { side: 'crm', op: 'update', field: 'company_name', before: 'Firm', after: 'Other' },
    ]);
    const { changes: planned } = await trial.plan();
    expect(planned).toMatchObject([{ side: 'crm', op: 'update', fields: [{ field: 'company_name', after: 'Other' }] }]);
  });

  const lefts = {
    'V5: whose cell holds a formula'({ person, rowNumberOf }) {
      person.type(`'${tabTitle}'!C${rowNumberOf(ann)}`, '="Fi"&"rm"');
    },
    'I4: whose row cannot be told from a copy'({ person, rowNumberOf }) {
      const row = rowNumberOf(ann);
      person.copyPaste(`'${tabTitle}'!A${row}:F${row}`, `'${tabTitle}'!A${row + 5}:F${row + 5}`);
      person.type(`'${tabTitle}'!A${row}`, 'Anna');
      person.type(`'${tabTitle}'!A${row + 5}`, 'Anne');
    },
    'W11: whose column is lost'({ person }) {
      person.deleteColumns(tabTitle, 'C');
    },
  } satisfies Record<string, (trial: Awaited<ReturnType<typeof createLinkedTrial>>) => void>;

  test.each(Object.entries(lefts))('leaves alone a contact, %s, and explain says why', async (rule, happens) => {
    const trial = await createLinkedTrial(['Ann']);
    const id = trial.uuidOf('Ann');
    happens(trial);
    trial.change(ann, { company_name: 'Acme' });
    expect(await trial.run()).toMatchObject({ status: 'partial' });
    expect(await trial.plan()).toMatchObject({ changes: [] });
    expect(await recordOf(trial, id)).toMatchObject({
      standing: 'linked; something is open',
      next: { changes: [] },
      problems: [{ rule: rule.slice(0, rule.indexOf(':')) }],
    });
  });

  test('gives a contact whose row was deleted a row again, once that is asked for', async () => {
    const trial = await createLinkedTrial(['Ann', 'Bob']);
    trial.person.deleteRows('Prospects', trial.rowNumberOf(ann));
    await trial.run();
    const record = await recordOf(trial, trial.uuidOf('Ann'));
    expect(record).toMatchObject({ row: null, standing: 'its row was deleted; the contact is left alone' });
    await trial.cli('retry', trial.uuidOf('Ann'));
    expect((await recordOf(trial, trial.uuidOf('Ann'))).next!.changes).toMatchObject([
      { op: 'append' },
      { op: 'append' },
      { op: 'append' },
      { op: 'append' },
      { op: 'append' },
    ]);
  });
});

test('--live asks both sides and shows what they hold beside what was last seen', async () => {
  const trial = await createLinkedTrial(['Ann']);
  const calls = trial.crmCalls().length;
  await recordOf(trial, ann);
  expect(trial.crmCalls()).toHaveLength(calls);
  trial.change(ann, { company_name: 'By the CRM' });
  trial.type(ann, 'First name', 'Anna');
  const before = JSON.stringify([trial.grid(), trial.contacts(), trial.stateFiles()]);
  const record = await recordOf(trial, ann, '--live');
  const company = record.fields.find(({ field }) => field === 'company_name')!;
  expect(company).toMatchObject({
    crm: { value: 'Firm' },
    live: { crm: { value: 'By the CRM' }, sheet: { value: 'Firm' } },
  });
  expect(record.next!.changes).toMatchObject([
    { side: 'sheet', op: 'set', field: 'company_name', before: 'Firm', after: 'By the CRM' },
  ]);
  // The edit of the cell has not settled.
  expect(record.next!.waits.join()).toContain('waits to settle');
  expect(JSON.stringify([trial.grid(), trial.contacts(), trial.stateFiles()])).toBe(before);
  trial.person.deleteRows('Prospects', 2);
  expect(await recordOf(trial, ann, '--live')).toMatchObject({ row: null });
});
