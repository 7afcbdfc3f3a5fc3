import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRandom } from '../../../src/standin/service/random.ts';
import { createSyncTrial } from '../../support/app.ts';
import { repeats } from '../../support/repeats.ts';
import { columnOf, noteHeader, noteOf, readRows, strangeNotes } from './rows.ts';

/* Feeds of 2,000 e-mails through the real engine, counted at both stand-ins; of 5,000 with REPEATS=all. */

const size = repeats(1_200, 5_000);

function createTrial(feed: Readonly<Record<string, unknown>> = {}) {
  const columns = { ID: 'uuid', Subject: 'subject', Status: 'status', Sent: 'sent_at' };
  const trial = createSyncTrial({ values: [[]], feeds: { inbox: { resource: 'emails', columns, ...feed } } });
  const { inbox } = trial.service.model;
  let made = 0;
  const add = (count: number) => {
    for (let index = 0; index < count; index += 1) {
      made += 1;
      const at = new Date(Date.UTC(2026, 0, 1) + made * 60_000).toISOString().replace('Z', '000Z');
      const { email } = inbox.addEmail(
        { lead_uuid: 'x', subject: `Subject ${made}`, status: 'sent', sent_at: at, created_at: at },
        { body: '' },
      );
      void email;
    }
  };
  add(size);
  const records = () => [...inbox.emails.all()];
  const files = () =>
    readdirSync(join(trial.folder, 'state', 'inbox'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('lock'))
      .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')]);
  /** One in ten goes, one in ten is changed, as many come. */
  const churn = (random: ReturnType<typeof createRandom>) => {
    const before = records();
    const gone = new Set<string>();
    while (gone.size < size / 10) gone.add(random.pick(before).uuid);
    inbox.emails.replaceAll(before.filter(({ uuid }) => !gone.has(uuid)));
    const changed = new Set<string>();
    while (changed.size < size / 10) changed.add(random.pick(records()).uuid);
    for (const uuid of changed) inbox.emails.change(uuid, { status: 'bounced' }, Date.now());
    add(size / 10);
    return { gone, changed };
  };
  return { ...trial, records, churn, files, runInbox: () => trial.runFeed('inbox') };
}

function writeNotes(trial: ReturnType<typeof createTrial>): void {
  const next = String.fromCodePoint(columnOf(trial, 'Sync').codePointAt(0)! + 1);
  const notes = readRows(trial).map(({ id }) => [noteOf(id)]);
  trial.person.paste(`'Prospects'!${next}1`, [[noteHeader], ...notes]);
}

test.each(['mark', 'delete_row'] as const)(
  'F2, F3, L9: thousands of records with notes beside them survive sorts and a fifth of them changing, with on_gone: %s',
  async (on_gone) => {
    const trial = createTrial({ on_gone });
    expect(await trial.runInbox()).toMatchObject({ status: 'succeeded', counts: { appended: size } });
    writeNotes(trial);
    const random = createRandom(7);
    const goneAtAll = new Set<string>();
    for (let round = 0; round < 2; round += 1) {
      trial.person.sort('Prospects', columnOf(trial, random.pick(['Subject', 'Sent', 'Note'])), 'DESCENDING');
      const { gone } = trial.churn(random);
      for (const uuid of gone) goneAtAll.add(uuid);
      // Somebody sorts once more, while the run is reading or writing.
      let isSorted = false;
      trial.atEachInstant((what) => {
        if (isSorted || typeof what === 'string' || !what.url.includes('batchUpdate')) return;
        isSorted = true;
        trial.person.sort('Prospects', columnOf(trial, 'Subject'));
      });
      const report = await trial.runInbox();
      expect([round, isSorted, report.status, report.counts.appended]).toEqual([round, true, 'succeeded', size / 10]);
      trial.atEachInstant(() => {});
      expect(strangeNotes(trial)).toEqual([]);
    }
    await trial.runInbox();
    const rows = readRows(trial).filter(({ id }) => id !== '');
    const cellsById = new Map(rows.map(({ id, cells }) => [id, cells]));
    expect(cellsById.size).toBe(rows.length);
    for (const { uuid, subject, status } of trial.records()) {
      expect(cellsById.get(uuid)).toMatchObject({ Subject: subject, Status: status, Sync: 'in sync' });
    }
    const stayed = rows.filter(({ id }) => goneAtAll.has(id)).map(({ cells }) => cells['Sync']);
    expect(new Set(stayed)).toEqual(new Set(on_gone === 'mark' ? ['gone: the service does not list it any more'] : []));
    // Whoever was there from the beginning still has the note that was written then.
    const notes = rows.filter(({ note }) => note !== '').length;
    const first = on_gone === 'mark' ? size : rows.filter(({ cells }) => isOfTheFirst(cells['Subject'])).length;
    expect(notes).toBe(first);
  },
);

function isOfTheFirst(subject = ''): boolean {
  return Number(subject.replace('Subject ', '')) <= size;
}

/** Of 100 records, and an empty one: the last page is full, so that its total does not tell whether records follow. */
const pages = size / 100 + 1;

test('F5, W9: thousands of records that did not change cost their pages and one read of the sheet, and write nothing anywhere', async () => {
  const trial = createTrial();
  await trial.runInbox();
  writeNotes(trial);
  await trial.runInbox();
  const before = trial.files();
  trial.service.received.clear();
  const { reads, writes } = { ...trial.sheets.log.counters };
  for (let run = 1; run <= 3; run += 1) {
    if (run === 3) await trial.start();
    const { status, cost, counts } = await trial.runInbox();
    expect({ status, ...cost, seconds: 0 }).toEqual({
      status: 'succeeded',
      crmCalls: pages,
      sheetReads: run === 3 ? freshReads : 1,
      sheetWrites: 0,
      seconds: 0,
    });
    expect(counts).toMatchObject({ linked: size, set: 0, appended: 0, removed: 0 });
  }
  expect(trial.crmCalls()).toHaveLength(3 * pages);
  expect(trial.sheets.log.counters).toMatchObject({ reads: reads + 2 + freshReads, writes });
  expect(trial.files()).toEqual(before);
});

/** Of a process that begins: where the tab is and which marks it has is read with its cells. */
const freshReads = 3;

test('F1, F2: changes cost a pinned batch a thousand rows, new rows one write a thousand and one for their marks', async () => {
  const trial = createTrial();
  await trial.runInbox();
  await trial.runInbox();
  trial.churn(createRandom(3));
  const { cost, counts } = await trial.runInbox();
  // A tenth of the rows is marked, as many changed and as many new.
  expect(counts).toMatchObject({ set: size / 10, appended: size / 10, ignored: size / 10 });
  expect({ ...cost, seconds: 0 }).toEqual({ crmCalls: pages, sheetReads: 3, sheetWrites: 5, seconds: 0 });
});
