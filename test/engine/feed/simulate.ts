// One trial of a feed: people sort, edit, write notes, insert, move, copy and delete rows and clear IDs, records come, change and go, calls fail,
// and the process is killed at any request and at any write of its state. Then everything is quiet.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../../../src/standin/service/random.ts';
import { createSyncTrial } from '../../support/app.ts';
import { columnOf, lostNote, noteHeader, noteOf, readRows, strangeNotes } from './rows.ts';

const notOurs = 'ignored: the service does not list it, and the feed did not write it';
const headers = ['Subject', 'Status', 'Sent', noteHeader];

/** What was broken, and the story. */
export async function simulateFeed(
  seed: number,
): Promise<{ readonly broken: readonly string[]; readonly story: readonly string[] }> {
  const random = createRandom(seed);
  const onGone = random.pick(['mark', 'delete_row'] as const);
  const columns = { ID: 'uuid', Subject: 'subject', Status: 'status', Sent: 'sent_at' };
  // Somebody laid the tab out already, with a column of their own; or leadsheet makes all of it.
  const isLaidOut = random.integer(0, 1) === 0;
  const trial = createSyncTrial({
    values: [isLaidOut ? ['ID', noteHeader, 'Subject'] : []],
    feeds: { inbox: { resource: 'emails', columns, on_gone: onGone } },
    switches: { pageRowsMax: random.pick([100, 3]) },
  });
  const { emails } = trial.service.model.inbox;
  const story: string[] = [JSON.stringify({ seed, onGone, isLaidOut })];
  const broken: string[] = [];
  /** By uuid: notes that nobody but a person may make vanish. */
  const kept = new Set<string>();
  /** By uuid: records of which a row was copied, or lost its ID. Which of the rows counts is told in them (I4). */
  const mixedUp = new Set<string>();
  /** What rows without an ID hold: no cell of them is ever written (F2). */
  const nobodys = new Map<string, string>();
  let made = 0;
  let wasKilled = false;
  const records = () => [...emails.all()];
  const people: readonly (() => string)[] = [
    sort,
    sort,
    writeNote,
    writeNote,
    overtype,
    insertRows,
    moveRows,
    deleteRow,
    copyRow,
    clearId,
  ];

  enter(random.integer(2, 12));
  let killAt = Infinity;
  let instants = 0;
  let editsLeft = 0;
  trial.atEachInstant((what) => {
    instants += 1;
    if (instants === killAt) {
      story.push(`killed at ${typeof what === 'string' ? what : `${what.method} ${new URL(what.url).pathname}`}`);
      return trial.kill();
    }
    if (typeof what === 'string' || editsLeft === 0 || random.integer(0, 2) > 0) return;
    editsLeft -= 1;
    // Between a look and the write that follows it, only what moves rows is harmless for cells of the feed's own.
    story.push(`  meanwhile ${random.pick([sort, moveRows, insertRows, writeNote])()}`);
  });

  await run();
  if (!isLaidOut) {
    const next = String.fromCodePoint(columnOf(trial, 'Sync').codePointAt(0)! + 1);
    trial.person.type(`'Prospects'!${next}1`, noteHeader);
  }
  for (let step = random.integer(2, 5); step > 0; step -= 1) {
    for (let count = random.integer(0, 4); count > 0; count -= 1) story.push(random.pick(people)());
    churn();
    if (random.integer(0, 2) === 0) injectFault();
    editsLeft = random.integer(0, 2);
    killAt = random.integer(0, 2) === 0 ? instants + random.integer(1, 30) : Infinity;
    const report = await run();
    if (report === 'killed' || random.integer(0, 4) === 0) await trial.start();
    killAt = Infinity;
    for (const strange of strangeNotes(trial)) broken.push(`L9: ${strange}`);
  }
  killAt = Infinity;
  editsLeft = 0;
  trial.service.faults.clear();
  trial.sheets.faults.clear();
  for (let quiet = 0; quiet < 3; quiet += 1) {
    await new Promise((resolve) => setTimeout(resolve, 120_000));
    await run();
  }
  await checkQuiet();
  return { broken, story };

  async function run() {
    const report = await trial.attemptFeed('inbox');
    if (report === 'killed') {
      wasKilled = true;
      return report;
    }
    const told = Object.entries(report.counts).filter(([, count]) => count > 0);
    story.push(`run: ${report.status} ${report.error ?? ''} ${told.map((each) => each.join(' ')).join(', ')}`);
    return report;
  }

  async function checkQuiet(): Promise<void> {
    const rows = readRows(trial).filter(({ id }) => id !== '');
    const listed = new Map(records().map((record) => [record.uuid, record]));
    for (const strange of strangeNotes(trial)) broken.push(`L9: ${strange}`);
    for (const uuid of listed.keys()) {
      const count = rows.filter(({ id }) => id === uuid).length;
      if (mixedUp.has(uuid) ? count === 0 : count !== 1) broken.push(`F1: ${count} rows of ${uuid}`);
    }
    for (const [note, content] of nobodys) {
      const found = readRows(trial).find((row) => row.id === '' && row.note === note);
      if (JSON.stringify(found?.cells) !== content)
        broken.push(`F2: a row without an ID was ${content}, and is ${JSON.stringify(found?.cells)}`);
    }
    for (const { id, cells, number } of rows) {
      const record = listed.get(id);
      const wanted = record
        ? [record.subject ?? '', record.status ?? '', 'in sync']
        : ['gone: the service does not list it any more'];
      const found = record ? [cells['Subject'], cells['Status'], cells['Sync']] : [cells['Sync']];
      // A kill between the row and the state that knows of it, and the record gone before the next run: told, and never deleted.
      const isForgotten = record === undefined && wasKilled && cells['Sync'] === notOurs;
      const isKept = record !== undefined || onGone === 'mark';
      const isTold = mixedUp.has(id) && /^quarantined: |copied here/.test(cells['Sync'] ?? '');
      const isRight = isForgotten || isTold || (isKept && found.join('|') === wanted.join('|'));
      if (!isRight) broken.push(`F1, F3: row ${number} of ${id} says ${found.join(' | ')}, not ${wanted.join(' | ')}`);
    }
    const notes = new Set(rows.flatMap(({ id, note }) => (note === noteOf(id) ? [id] : [])));
    for (const id of kept) if (!notes.has(id)) broken.push(`F2: the note of ${id} is lost`);
    const before = [trial.sheets.log.counters.writes, files()];
    const report = await run();
    const ids = rows.map(({ id }) => id);
    const isTold = new Set(ids).size < ids.length || [...mixedUp].some((id) => !listed.has(id));
    const endings = isTold ? ['succeeded', 'partial'] : ['succeeded'];
    if (report === 'killed' || !endings.includes(report.status)) broken.push(`L6: the quiet run did not succeed`);
    if (JSON.stringify([trial.sheets.log.counters.writes, files()]) !== JSON.stringify(before)) {
      broken.push('W9: a run with nothing to do wrote something');
    }
  }

  function files() {
    return readdirSync(join(trial.folder, 'state', 'inbox'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('lock'))
      .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')]);
  }

  function enter(count: number): void {
    for (let index = 0; index < count; index += 1) {
      made += 1;
      const at = new Date(Date.UTC(2026, 0, 1) + made * 60_000).toISOString().replace('Z', '000Z');
      trial.service.model.inbox.addEmail(
        { lead_uuid: 'x', subject: `S${random.integer(1, 99)}`, status: 'sent', sent_at: at, created_at: at },
        { body: '' },
      );
    }
  }

  function churn(): void {
    const all = records();
    const gone = new Set(all.filter(() => random.integer(0, 9) === 0).map(({ uuid }) => uuid));
    // G1 is another test's: an empty collection holds the run.
    if (gone.size < all.length - 1) emails.replaceAll(all.filter(({ uuid }) => !gone.has(uuid)));
    for (const { uuid } of records()) {
      if (random.integer(0, 4) === 0) emails.change(uuid, { status: random.pick(['done', 'bounced']) }, Date.now());
    }
    enter(random.integer(0, 3));
    const listed = new Set(records().map(({ uuid }) => uuid));
    // With delete_row a record's row goes with what was written beside it.
    if (onGone === 'delete_row') for (const id of kept) if (!listed.has(id)) kept.delete(id);
    story.push(`churn: ${records().length} records`);
  }

  function injectFault(): void {
    const when = random.pick(['before', 'after'] as const);
    const isOfSheet = random.integer(0, 1) === 0;
    if (isOfSheet) {
      const effect = random.pick([{ type: 'lost' }, { type: 'status', status: 503 }, { type: 'empty' }] as const);
      const kind = random.pick(['read', 'write'] as const);
      trial.sheets.faults.add({
        effect,
        when,
        times: random.integer(1, 2),
        skip: random.integer(0, 2),
        match: { kind },
      });
    } else {
      const effect = random.pick([{ kind: 'status', status: 500 }, { kind: 'lost' }, { kind: 'truncated' }] as const);
      trial.service.faults.inject({
        ...effect,
        ...(effect.kind !== 'truncated' && { when }),
        times: random.integer(1, 6),
      });
    }
    story.push(`fault of the ${isOfSheet ? 'sheet' : 'service'}`);
  }

  function filled() {
    return readRows(trial).filter(({ id }) => id !== '');
  }

  function sort(): string {
    const present = headers.filter((header) => columnOf(trial, header) !== '@');
    const header = random.pick(present);
    trial.person.sort('Prospects', columnOf(trial, header), random.pick(['ASCENDING', 'DESCENDING'] as const));
    return `sort by ${header}`;
  }

  function writeNote(): string {
    const rows = filled();
    if (rows.length === 0 || columnOf(trial, noteHeader) === '@') return 'no row to write a note in';
    const { number, id } = random.pick(rows);
    trial.person.type(`'Prospects'!${columnOf(trial, noteHeader)}${number}`, noteOf(id));
    const isListed = records().some(({ uuid }) => uuid === id);
    if (isListed || onGone === 'mark') kept.add(id);
    return `note in row ${number}`;
  }

  function overtype(): string {
    const rows = filled();
    if (rows.length === 0) return 'nothing to type over';
    const { number } = random.pick(rows);
    trial.person.type(`'Prospects'!${columnOf(trial, 'Subject')}${number}`, 'typed over');
    return `typed over row ${number}`;
  }

  function insertRows(): string {
    const before = random.integer(2, filled().length + 2);
    trial.person.insertRows('Prospects', before, random.integer(1, 2));
    return `rows before ${before}`;
  }

  function moveRows(): string {
    const count = readRows(trial).length;
    if (count < 3) return 'nothing to move';
    const [first, before] = [random.integer(2, count), random.pick([2, count + 2])];
    trial.person.moveRows('Prospects', first, 1, before);
    return `row ${first} before ${before}`;
  }

  function copyRow(): string {
    const rows = filled();
    if (rows.length === 0) return 'nothing to copy';
    const { number, id, cells } = random.pick(rows);
    trial.person.insertRows('Prospects', number + 1, 1);
    trial.person.paste(`'Prospects'!A${number + 1}`, [Object.values(cells)]);
    mixedUp.add(id);
    return `row ${number} of ${id} copied`;
  }

  function clearId(): string {
    const rows = filled();
    if (rows.length === 0 || columnOf(trial, noteHeader) === '@') return 'no ID to clear';
    const { number, id } = random.pick(rows);
    const note = lostNote(nobodys.size);
    trial.person.type(`'Prospects'!${columnOf(trial, noteHeader)}${number}`, note);
    trial.person.clear(`'Prospects'!${columnOf(trial, 'ID')}${number}`);
    nobodys.set(note, JSON.stringify(readRows(trial).find((row) => row.number === number)?.cells));
    kept.delete(id);
    mixedUp.add(id);
    return `row ${number} of ${id} lost its ID`;
  }

  function deleteRow(): string {
    const rows = filled();
    if (rows.length === 0) return 'nothing to delete';
    const { number, id } = random.pick(rows);
    trial.person.deleteRows('Prospects', number);
    kept.delete(id);
    return `row ${number} of ${id} deleted`;
  }
}
