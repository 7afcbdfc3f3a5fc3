// A journal, its log and what is read of both: asked directly, on a disk in memory.
import { describe, expect, test } from 'vitest';
import { LeaseLostError } from '../../src/state/errors.ts';
import type { Notice } from '../../src/state/port.ts';
import type { Fence } from '../../src/state/file/fence.ts';
import { createHistoryWriter } from '../../src/state/file/history.ts';
import type { FileDriverDep } from '../../src/state/file/dep.ts';
import { createJournal } from '../../src/state/file/journal.ts';
import { readNewBatches, tailAt } from '../../src/state/file/journal-follow.ts';
import { readLog, sealHeader, sealLine } from '../../src/state/file/log.ts';
import {
  asideNames,
  createPlaces,
  describeStamp,
  isSound,
  readFiles,
  readStamps,
  withAsides,
} from '../../src/state/file/reading.ts';
import { recover, type Recovered } from '../../src/state/file/recover.ts';
import { createRequests } from '../../src/state/file/requests.ts';
import { currentSchema } from '../../src/state/file/schema.ts';
import { seal } from '../../src/state/file/seal.ts';
import { emptyTables } from '../../src/state/file/tables.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';
import { commitAll, historyLine, openTrial } from '../support/state.ts';

const fenceOf = ({ isSole = false, look = async () => {} }: Partial<Fence> = {}): Fence => ({
  isSole,
  draftOf: (file) => `${file}.own.tmp`,
  look,
});
const lost = async () => {
  throw new LeaseLostError('/s/lock');
};
const textOf = (...chunks: readonly Buffer[]) => Buffer.concat(chunks).toString();
const fact = (n: number | string) => ({ put: { facts: { n } }, delete: {} });
const sent = (id: string) => ({ put: { ledger: { [id]: { state: 'sent' } } }, delete: {} });

async function createTrial(foldFloorBytes = 1_000) {
  const disk = createMemoryDisk(1);
  await disk.mkdir('/s', { recursive: true, mode: 0o700 });
  const places = createPlaces({ disk, folder: '/s', sync: 's', schema: currentSchema });
  const { base, outbox } = places;
  const adopted = async () => {
    const journal = createJournal(base, foldFloorBytes);
    await journal.adopt(await recover(base));
    return journal;
  };
  const text = (file: string) => disk.files().get(`/s/${file}`)?.toString();
  const put = (file: string, ...chunks: readonly (Buffer | string)[]) =>
    disk.put(`/s/${file}`, Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))));
  const header = (generation: number, seq: number) => sealHeader({ schema: 2, sync: 's', generation, seq });
  const line = (
    generation: number,
    after: number,
    seq = after + 1,
    batch: ReturnType<typeof fact> | ReturnType<typeof sent> = fact(seq),
  ) => sealLine({ ...batch, generation, after, seq });
  return { disk, places, base, outbox, adopted, text, put, header, line };
}

describe('S1: the log of a journal', () => {
  test('has a header and a line a batch, each with the offset of its end', async () => {
    const { base, put, header, line } = await createTrial();
    expect(await readLog(base, base.log)).toBeUndefined();
    const [head, one, two] = [header(1, 4), line(1, 4), line(1, 5)];
    put('base.log', head, one, two);
    const log = await readLog(base, base.log);
    expect(log).toMatchObject({ file: '/s/base.log', generation: 1, headerEnd: head.length, condition: 'whole' });
    expect(log?.header).toEqual({ schema: 2, sync: 's', generation: 1, seq: 4 });
    expect(log?.size).toBe(head.length + one.length + two.length);
    expect(log?.lines.map(({ line: { seq }, end }) => [seq, end])).toEqual([
      [5, head.length + one.length],
      [6, head.length + one.length + two.length],
    ]);
  });

  test.each<[string, (of: { head: Buffer; one: Buffer; two: Buffer }) => readonly (Buffer | string)[], object]>([
    ['no byte', () => [], { condition: 'damaged', generation: undefined, headerEnd: 0 }],
    ['the header alone', ({ head }) => [head], { condition: 'whole', generation: 1 }],
    ['half a line at its end', ({ head, one }) => [head, one, '{"gen'], { condition: 'torn', generation: 1 }],
    ['a whole line at its end that is no batch', ({ head, one }) => [head, one, 'x\n'], { condition: 'torn' }],
    [
      'a damaged line before a good one',
      ({ head, one, two }) => [head, one.subarray(5), two],
      { condition: 'damaged' },
    ],
    ['no header', ({ one, two }) => [one, two], { condition: 'damaged', generation: 1, headerEnd: 0 }],
    ['a damaged header', ({ head, one }) => [head.subarray(3), one], { condition: 'damaged', generation: 1 }],
    ['a header in the place of a batch', ({ head, one }) => [head, head, one], { condition: 'damaged' }],
    ['a header in the place of the last batch', ({ head, one }) => [head, one, head], { condition: 'torn' }],
  ])('of %s says so', async (_, chunks, expected) => {
    const { base, put, header, line } = await createTrial();
    put('base.log', ...chunks({ head: header(1, 4), one: line(1, 4), two: line(1, 5) }));
    expect(await readLog(base, base.log)).toMatchObject(expected);
  });

  test('a journal without a file begins with the first batch', async () => {
    const { adopted, text, header, line, base } = await createTrial();
    const journal = await adopted();
    expect([journal.needsDocument, journal.isLong]).toEqual([false, false]);
    await journal.append(fact(1), 0, 1, fenceOf());
    await journal.append(fact(2), 1, 2, fenceOf());
    expect(text('base.log')).toBe(textOf(header(0, 0), line(0, 0), line(0, 1)));
    const { document, needsRepair, notices, appendAt } = await recover(base);
    expect([document.seq, document.tables.facts.get('n'), needsRepair, notices]).toEqual([2, 2, false, []]);
    expect(appendAt).toBe(text('base.log')?.length);
  });

  test('a batch goes over the rest of one that was cut short', async () => {
    const { adopted, text, put, header, line } = await createTrial();
    put('base.log', header(0, 0), line(0, 0), '{"half of a batch that is longer than the next one');
    const journal = await adopted();
    await journal.append(fact(2), 1, 2, fenceOf());
    expect(text('base.log')).toBe(textOf(header(0, 0), line(0, 0), line(0, 1)));
  });

  test('a batch that failed is not in the log, and the next one is', async () => {
    for (const failing of [1, 2]) {
      const { disk, adopted, text, put, header, line } = await createTrial();
      put('base.log', header(0, 0), line(0, 0));
      const journal = await adopted();
      disk.planFault({ operation: disk.operations + failing, effect: { code: 'ENOSPC', isDone: true } });
      await expect(journal.append(fact(2), 1, 2, fenceOf())).rejects.toThrow('ENOSPC');
      expect(text('base.log')).toBe(textOf(header(0, 0), line(0, 0)));
      expect(journal.needsDocument).toBe(false);
      await journal.append(fact(2), 1, 2, fenceOf());
      expect(text('base.log')).toBe(textOf(header(0, 0), line(0, 0), line(0, 1)));
    }
  });

  test('a batch whose rest cannot be cut off either asks for a new document', async () => {
    const { disk, adopted, put, header, line } = await createTrial();
    put('base.log', header(0, 0), line(0, 0));
    const journal = await adopted();
    disk.planFault({ operation: disk.operations + 1, effect: { code: 'EIO', lasting: true } });
    await expect(journal.append(fact(2), 1, 2, fenceOf())).rejects.toThrow('EIO');
    expect(journal.needsDocument).toBe(true);
  });

  test('the last batch is taken back once, and without one nothing is', async () => {
    const { adopted, text, put, header, line } = await createTrial();
    put('base.log', header(0, 0), line(0, 0));
    const journal = await adopted();
    await journal.retract(fenceOf());
    expect(text('base.log')).toBe(textOf(header(0, 0), line(0, 0)));
    await journal.append(fact(2), 1, 2, fenceOf());
    await journal.retract(fenceOf());
    expect([text('base.log'), journal.needsDocument]).toEqual([textOf(header(0, 0), line(0, 0)), false]);
    await journal.append(fact(7), 1, 2, fenceOf());
    await journal.retract(fenceOf({ look: lost }));
    expect(journal.needsDocument).toBe(true);
  });

  test('H1: a holder that was taken over appends nothing', async () => {
    const { adopted, text, put, header, line } = await createTrial();
    put('base.log', header(0, 0), line(0, 0));
    const journal = await adopted();
    await expect(journal.append(fact(2), 1, 2, fenceOf({ look: lost }))).rejects.toThrow(LeaseLostError);
    expect([text('base.log'), journal.needsDocument]).toEqual([textOf(header(0, 0), line(0, 0)), false]);
  });

  test('a log that is gone or shorter than what was appended asks for a new document, and a longer one does not', async () => {
    const { adopted, put, header, line, disk } = await createTrial();
    const whole = [header(0, 0), line(0, 0)];
    const verified = async (change: () => unknown) => {
      put('base.log', ...whole);
      const journal = await adopted();
      await change();
      await journal.verify();
      return journal.needsDocument;
    };
    expect(await verified(() => {})).toBe(false);
    expect(await verified(() => put('base.log', ...whole, 'more'))).toBe(false);
    expect(await verified(() => put('base.log', Buffer.concat(whole).subarray(0, -1)))).toBe(true);
    expect(await verified(() => disk.unlink('/s/base.log'))).toBe(true);
    await disk.unlink('/s/base.log').catch(() => {});
    const journal = await adopted();
    await journal.verify();
    expect(journal.needsDocument).toBe(false);
  });

  test('H1: a lease that can be taken over puts a copy of the log in its place, once, up to what it read', async () => {
    const { disk, adopted, text, put, header, line } = await createTrial();
    put('base.log', header(0, 0), line(0, 0), '{"half');
    const journal = await adopted();
    const inode = async () => (await disk.stat('/s/base.log')).ino;
    const before = await inode();
    await journal.takeLog(fenceOf({ isSole: true }));
    expect(await inode()).toBe(before);
    const fence = fenceOf();
    await journal.takeLog(fence);
    const taken = await inode();
    expect(taken).not.toBe(before);
    expect([text('base.log'), journal.needsDocument]).toEqual([textOf(header(0, 0), line(0, 0)), false]);
    await journal.takeLog(fence);
    expect(await inode()).toBe(taken);
    await journal.takeLog(fenceOf());
    expect(await inode()).not.toBe(taken);
  });

  test.each(['shorter', 'gone'])('H1: a log that is %s than what was read is not copied', async (how) => {
    const { disk, adopted, put, header, line } = await createTrial();
    put('base.log', header(0, 0), line(0, 0));
    const journal = await adopted();
    if (how === 'gone') await disk.unlink('/s/base.log');
    else put('base.log', header(0, 0));
    await journal.takeLog(fenceOf());
    expect(journal.needsDocument).toBe(true);
  });

  test('H1: of two reads that differ none is put in the place of the log', async () => {
    const { disk, adopted, text, put, header, line } = await createTrial();
    put('base.log', header(0, 0), line(0, 0));
    const journal = await adopted();
    disk.planWrongRead(disk.reads + 1);
    await journal.takeLog(fenceOf());
    expect([text('base.log'), journal.needsDocument]).toEqual([textOf(header(0, 0), line(0, 0)), true]);
  });
});

describe('folding a log into a document', () => {
  test('the first log is long at once, and later ones beyond the floor and half of the document', async () => {
    const { adopted, base, text } = await createTrial(600);
    const journal = await adopted();
    await journal.append(fact(1), 0, 1, fenceOf());
    expect(journal.isLong).toBe(true);
    const tables = emptyTables();
    const foldWith = async (bytes: number, seq: number) => {
      tables.facts.set('n', 'x'.repeat(bytes));
      await journal.fold({ tables, seq, ledgerSeq: 0 }, fenceOf());
    };
    await foldWith(10, 1);
    expect([journal.isLong, journal.needsDocument]).toEqual([false, false]);
    let seq = 1;
    const appendTill = async (length: number) => {
      while ((text('base.log')?.length ?? 0) < length) {
        const more = length - text('base.log')!.length;
        const empty = sealLine({ ...fact(''), generation: 9, after: seq, seq: seq + 1 }).length;
        await journal.append(fact('x'.repeat(Math.max(0, more - empty))), seq, seq + 1, fenceOf());
        seq += 1;
      }
      expect(text('base.log')).toHaveLength(length);
    };
    await appendTill(600);
    expect(journal.isLong).toBe(false);
    await appendTill(601 + 150);
    expect(journal.isLong).toBe(true);
    await foldWith(2_000, seq);
    const half = text('base.json')!.length / 2;
    await appendTill(Math.floor(half));
    expect(journal.isLong).toBe(false);
    await appendTill(Math.floor(half) + 151);
    expect(journal.isLong).toBe(true);
    expect((await recover(base)).document.seq).toBe(seq);
  });

  test('each document is of the next generation, with the one before and its log under further names', async () => {
    const { adopted, base, text } = await createTrial();
    const journal = await adopted();
    await journal.append(fact(1), 0, 1, fenceOf());
    const tables = emptyTables();
    for (const seq of [1, 2, 3]) {
      tables.facts.set('n', seq);
      if (seq > 1) await journal.append(fact(seq), seq - 1, seq, fenceOf());
      await journal.fold({ tables, seq, ledgerSeq: 0 }, fenceOf());
    }
    const generationIn = (file: string) => Number(/"generation":(\d+)/.exec(text(file) ?? '')?.[1]);
    expect(
      ['base.json', 'base.log', 'base.previous.json', 'base.previous.log'].map((file) => generationIn(file)),
    ).toEqual([3, 3, 2, 2]);
    const found = await recover(base);
    expect(found.document).toMatchObject({ schema: 2, sync: 's', generation: 3, seq: 3, ledgerSeq: 0 });
    expect([found.generationMax, found.needsRepair, found.stepBack, found.behind]).toEqual([3, false, true, false]);
    expect(found.notices).toEqual([]);
  });

  test('after a fold there is no batch to take back', async () => {
    const { adopted, base, text } = await createTrial();
    const journal = await adopted();
    for (const seq of [1, 2, 3]) await journal.append(fact(seq), seq - 1, seq, fenceOf());
    await journal.fold({ tables: emptyTables(), seq: 3, ledgerSeq: 0 }, fenceOf());
    const log = text('base.log');
    await journal.retract(fenceOf());
    expect(text('base.log')).toBe(log);
    await journal.append(fact(4), 3, 4, fenceOf());
    const { document, notices } = await recover(base);
    expect([document.seq, document.tables.facts.get('n'), notices]).toEqual([4, 4, []]);
  });

  test('a document that did not fit on the disk changes nothing, and no generation begins twice', async () => {
    const { disk, adopted, text } = await createTrial();
    const journal = await adopted();
    await journal.append(fact(1), 0, 1, fenceOf());
    const tables = emptyTables();
    disk.planFault({ operation: disk.operations + 2, effect: { code: 'ENOSPC' } });
    await expect(journal.fold({ tables, seq: 1, ledgerSeq: 0 }, fenceOf())).rejects.toThrow('ENOSPC');
    expect([journal.needsDocument, text('base.json'), [...disk.files().keys()]]).toEqual([
      false,
      undefined,
      ['/s/base.log'],
    ]);
    await journal.fold({ tables, seq: 1, ledgerSeq: 0 }, fenceOf());
    expect(text('base.json')).toContain('"generation":2,"seq":1');
  });
});

describe('S1: recovering a journal', () => {
  const kindsOf = ({ notices }: Recovered) => notices.map(({ kind, file }) => `${kind} ${file.slice('/s/'.length)}`);

  /** A journal that was folded twice, and has a batch in each log. */
  async function createFolded() {
    const trial = await createTrial();
    const journal = await trial.adopted();
    const tables = emptyTables();
    await journal.append(fact(1), 0, 1, fenceOf());
    for (const seq of [1, 2]) {
      tables.facts.set('n', seq);
      await journal.fold({ tables, seq, ledgerSeq: 0 }, fenceOf());
      await journal.append(fact(seq + 1), seq, seq + 1, fenceOf());
    }
    const names = [...trial.disk.files().keys()].toSorted();
    expect(names).toEqual(['/s/base.json', '/s/base.log', '/s/base.previous.json', '/s/base.previous.log']);
    return trial;
  }

  test.each<[string, readonly string[], readonly string[], object]>([
    ['nothing', [], [], { seq: 3, needsRepair: false, behind: false, notices: [] }],
    [
      'the previous files',
      ['base.previous.json', 'base.previous.log'],
      [],
      { seq: 3, needsRepair: false, notices: [] },
    ],
    ['the log', ['base.log'], [], { seq: 2, notices: ['torn base.log'], behind: false, needsRepair: false }],
    ['the document', ['base.json'], [], { seq: 3, notices: ['torn base.json'], behind: false, needsRepair: true }],
    [
      'the document and its previous one',
      ['base.json', 'base.previous.json'],
      [],
      { seq: 0, notices: ['behind base.log'], behind: true, needsRepair: true },
    ],
    [
      'all',
      ['base.json', 'base.log', 'base.previous.json', 'base.previous.log'],
      [],
      { seq: 0, notices: [], needsRepair: false },
    ],
    [
      'nothing, and the document is damaged',
      [],
      ['base.json'],
      { seq: 3, notices: ['damaged base.json'], behind: false, needsRepair: true },
    ],
    [
      'nothing, and the log is damaged',
      [],
      ['base.log'],
      { seq: 2, notices: ['behind base.log'], behind: true, needsRepair: true },
    ],
    [
      'nothing, and both documents are damaged',
      [],
      ['base.json', 'base.previous.json'],
      { seq: 0, behind: true, notices: ['behind base.json', 'behind base.previous.json', 'behind base.log'] },
    ],
    [
      'the log, and the document is damaged',
      ['base.log'],
      ['base.json'],
      { seq: 2, behind: true, notices: ['behind base.json'] },
    ],
  ])('that lacks %s', async (_, missing, damaged, expected) => {
    const { disk, base, put } = await createFolded();
    for (const file of missing) await disk.unlink(`/s/${file}`);
    for (const file of damaged) put(file, 'damaged');
    const found = await recover(base);
    const { needsRepair, behind } = found;
    expect({ seq: found.document.seq, needsRepair, behind, notices: kindsOf(found) }).toMatchObject(expected);
    // Those of the last log alone.
    expect(found.lines.length).toBeLessThanOrEqual(1);
    const effect = behind ? /may be missing/ : /nothing is missing|was interrupted/;
    for (const { message } of found.notices) expect(message).toMatch(effect);
  });

  test('half a batch at the end is told with its bytes, and is no damage', async () => {
    const { base, put, text } = await createFolded();
    const whole = text('base.log')!;
    put('base.log', whole, '{"half');
    const found = await recover(base);
    expect(kindsOf(found)).toEqual(['torn base.log']);
    expect(found.notices[0]?.message).toContain('ends in 6 bytes that are no whole batch');
    expect([found.appendAt, found.needsRepair, found.document.seq]).toEqual([whole.length, false, 3]);
    expect(found.lines.map(({ seq }) => seq)).toEqual([3]);
  });

  test('a batch that does not continue the one before ends the log', async () => {
    const { base, put, header, line } = await createTrial();
    for (const [other, seq] of [
      [line(0, 2), 1],
      [line(1, 1), 1],
      [line(0, 1), 2],
    ] as const) {
      put('base.log', header(0, 0), line(0, 0), other);
      const found = await recover(base);
      expect([found.document.seq, found.behind]).toEqual([seq, seq === 1]);
    }
  });

  test('the last batch that touched the ledger is known', async () => {
    const { base, put, header, line } = await createTrial();
    put('base.log', header(0, 0), line(0, 0), line(0, 1, 2, sent('a')), line(0, 2));
    expect((await recover(base)).document).toMatchObject({ seq: 3, ledgerSeq: 2 });
  });
});

describe('S1: reading both journals', () => {
  test('a batch that only the outbox has is added, and one that it has twice is not', async () => {
    const { places, put, header, line } = await createTrial();
    put('base.log', header(0, 0), line(0, 0));
    put('outbox.log', header(0, 0), line(0, 0, 2, sent('a')));
    const found = await readFiles(places);
    expect(found.missing).toEqual([{ batch: sent('a'), after: 1, seq: 2 }]);
    expect([found.seq, found.ledgerSeq, found.tables.ledger.size, found.baseNeedsRepair]).toEqual([2, 2, 1, false]);
    expect(isSound(found)).toBe(false);
    put('base.log', header(0, 0), line(0, 0), line(0, 1, 2, sent('a')));
    const whole = await readFiles(places);
    expect([whole.missing, whole.seq, whole.notices, isSound(whole)]).toEqual([[], 2, [], true]);
  });

  test('an outbox beyond the base gives its ledger, and says so', async () => {
    const { places, put, header, line } = await createTrial();
    put('base.log', header(0, 0), line(0, 0));
    put('outbox.log', header(0, 0), line(0, 0, 3, sent('a')));
    const found = await readFiles(places);
    expect([found.seq, found.ledgerSeq, [...found.tables.ledger.keys()]]).toEqual([3, 3, ['a']]);
    expect(found.notices.map(({ kind, file }) => [kind, file])).toEqual([['behind', '/s/base.json']]);
    expect([found.baseNeedsRepair, found.outboxNeedsRepair]).toEqual([true, false]);
  });

  test('S2: a batch of an outbox of an earlier version is not added to a base of this one: its ledger is used, and it is told', async () => {
    const { disk, places, put, header, line } = await createTrial();
    put('base.log', header(0, 0), line(0, 0));
    const old = { put: { enrolments: { a: { state: 'sent' } }, facts: { n: 'old' } }, delete: {} };
    put('outbox.json', seal({ schema: 1, sync: 's', generation: 1, seq: 1, ledgerSeq: 1, enrolments: {}, outbox: {} }));
    put(
      'outbox.log',
      sealHeader({ schema: 1, sync: 's', generation: 1, seq: 1 }),
      sealLine({ ...old, generation: 1, after: 1, seq: 2 }),
    );
    expect([...disk.files().keys()]).toHaveLength(3);
    const found = await readFiles(places);
    expect([found.missing, found.seq, [...found.tables.ledger], found.tables.facts.get('n')]).toEqual([
      [],
      2,
      [['a', { state: 'sent' }]],
      1,
    ]);
    expect(found.notices.map(({ kind, file }) => [kind, file])).toEqual([['behind', '/s/base.json']]);
  });

  test('an outbox that lacks the last entry of the ledger is to be repaired, and nothing is missing', async () => {
    const { places, put, header, line } = await createTrial();
    put('base.log', header(0, 0), line(0, 0, 1, sent('a')));
    const found = await readFiles(places);
    expect([found.outboxNeedsRepair, found.baseNeedsRepair, found.notices]).toEqual([true, false, []]);
    expect(isSound(found)).toBe(false);
  });

  test('a damaged outbox is told as no loss, because the base has all of it', async () => {
    const { places, put, header, line } = await createTrial();
    put('base.log', header(0, 0), line(0, 0, 1, sent('a')));
    put('outbox.log', 'damaged');
    const { notices } = await readFiles(places);
    expect(notices.map(({ kind, file }) => [kind, file])).toEqual([['damaged', '/s/outbox.log']]);
    expect(notices[0]?.message).toMatch(/^outbox\.log .*nothing is missing$/);
  });

  test('no state is not sound, and what is sound has nothing to repair or to tell', () => {
    const sound = { seq: 1, missing: [], baseNeedsRepair: false, outboxNeedsRepair: false, notices: [] };
    const soundness = (more: object) => isSound({ ...sound, ...more } as unknown as Parameters<typeof isSound>[0]);
    expect(soundness({})).toBe(true);
    for (const more of [
      { seq: 0 },
      { missing: [{}] },
      { notices: [{}] },
      { baseNeedsRepair: true },
      { outboxNeedsRepair: true },
    ]) {
      expect(soundness(more)).toBe(false);
    }
  });

  test('the stamps change with each of the four files', async () => {
    const { places, put, disk } = await createTrial();
    expect(describeStamp(undefined)).toBe('-');
    expect(describeStamp({ ino: 1, size: 2, mtimeMs: 3.5 })).toBe('1:2:3.5');
    expect(await readStamps(places)).toBe('- - - -');
    const seen = new Set<string>();
    for (const file of ['base.json', 'base.log', 'outbox.json', 'outbox.log']) {
      put(file, 'x');
      seen.add(await readStamps(places));
    }
    await disk.unlink('/s/base.json');
    expect(await readStamps(places)).toMatch(/^- \d+:1:\d+ \d+:1:\d+ \d+:1:\d+$/);
    expect(seen.size).toBe(4);
  });

  test('damaged files get names with the time, and their notices tell them', () => {
    const recovered = { unusable: ['/s/base.json'] } as unknown as Recovered;
    const asides = asideNames(recovered, Date.UTC(2026, 0, 31, 12));
    const name = '/s/base.json.damaged-2026-01-31T12-00-00.000Z';
    expect([...asides]).toEqual([['/s/base.json', name]]);
    const notice = (file: string): Notice => ({ kind: 'damaged', file, message: 'it is damaged' });
    expect(withAsides([notice('/s/base.json'), notice('/s/other')], asides)).toEqual([
      {
        ...notice('/s/base.json'),
        setAside: name,
        message: 'it is damaged; it was moved to base.json.damaged-2026-01-31T12-00-00.000Z',
      },
      notice('/s/other'),
    ]);
  });
});

describe('W18: following a journal', () => {
  const stamps = 'a b c d';

  async function createLogged() {
    const trial = await createTrial();
    const { put, header, line, base } = trial;
    put('base.log', header(1, 4), line(1, 4));
    const logEnd = header(1, 4).length + line(1, 4).length;
    const from = { generation: 1, seq: 5, logEnd, logTail: await tailAt(base, logEnd) };
    const follow = (now = stamps) => readNewBatches(trial.places, from, stamps, now);
    return { ...trial, from, follow };
  }

  test('the batches since a position are read, and the position after them', async () => {
    const { put, header, line, follow, base, from } = await createLogged();
    expect(from.logTail).toHaveLength(32);
    expect(await follow()).toEqual({ batches: [], position: from, hasHalfLine: false });
    put('base.log', header(1, 4), line(1, 4), line(1, 5), line(1, 6));
    const logEnd = from.logEnd + 2 * line(1, 5).length;
    expect(await follow()).toMatchObject({
      batches: [fact(6), fact(7)],
      position: { generation: 1, seq: 7, logEnd, logTail: await tailAt(base, logEnd) },
    });
  });

  test.each<[string, (trial: Awaited<ReturnType<typeof createLogged>>) => readonly (Buffer | string)[], string]>([
    ['half a line', ({ header, line }) => [header(1, 4), line(1, 4), '{"half'], 'unfinished'],
    ['a line that is no batch', ({ header, line }) => [header(1, 4), line(1, 4), 'x\n'], 'lost'],
    ['a batch that does not continue', ({ header, line }) => [header(1, 4), line(1, 4), line(1, 6)], 'lost'],
    ['a batch of another generation', ({ header, line }) => [header(1, 4), line(1, 4), line(2, 5)], 'lost'],
    ['another batch before', ({ header, line }) => [header(1, 4), line(1, 4, 5, fact(9))], 'lost'],
    ['fewer bytes', ({ header }) => [header(1, 4)], 'lost'],
  ])('of a log with %s', async (_, chunks, expected) => {
    const trial = await createLogged();
    trial.put('base.log', ...chunks(trial));
    expect(await trial.follow()).toBe(expected);
  });

  test('a log that is gone is lost, and a disk that refuses is an error', async () => {
    const { disk, follow } = await createLogged();
    await disk.unlink('/s/base.log');
    expect(await follow()).toBe('lost');
    disk.turnOff();
    await expect(follow()).rejects.toThrow('EIO');
  });

  test('across a fold the rest of the old log comes before the new one', async () => {
    const { put, header, line, follow } = await createLogged();
    const folded = 'A b c d';
    const old = [header(1, 4), line(1, 4), line(1, 5)];
    put('base.previous.log', ...old);
    put('base.log', header(2, 6), line(2, 6));
    expect(await follow(folded)).toMatchObject({
      batches: [fact(6), fact(7)],
      position: { generation: 2, seq: 7, logEnd: header(2, 6).length + line(2, 6).length },
    });
    for (const head of [header(3, 6), header(1, 6), header(2, 5), header(2, 7), 'x\n', '']) {
      put('base.log', head);
      expect(await follow(folded)).toBe('lost');
    }
    for (const other of [
      { schema: 1, sync: 's' },
      { schema: 2, sync: 'other' },
    ]) {
      put('base.log', sealHeader({ ...other, generation: 2, seq: 6 }));
      expect(await follow(folded)).toBe('lost');
    }
    put('base.log', header(2, 6));
    expect(await follow(folded)).toMatchObject({ batches: [fact(6)], position: { generation: 2, seq: 6 } });
    put('base.previous.log', header(1, 4));
    expect(await follow(folded)).toBe('lost');
  });

  test('a batch that the outbox has before the base is not finished', async () => {
    const { put, header, line, follow } = await createLogged();
    for (const outbox of ['a b C d', 'a b c D']) {
      put('outbox.log', header(1, 0), line(1, 0, 5, sent('a')));
      expect(await follow(outbox)).toMatchObject({ batches: [] });
      put('outbox.log', header(1, 0), line(1, 0, 6, sent('a')));
      expect(await follow(outbox)).toBe('unfinished');
      put('outbox.log', header(1, 5));
      expect(await follow(outbox)).toMatchObject({ batches: [] });
      put('outbox.log', header(1, 6));
      expect(await follow(outbox)).toBe('unfinished');
      put('outbox.log', 'damaged');
      expect(await follow(outbox)).toBe('lost');
    }
    // As long as the outbox is as it was, it is not read.
    expect(await follow()).toMatchObject({ batches: [] });
  });
});

describe('L12: appending to the history', () => {
  test('the file has the lines and nothing else, and a torn end gets a line of its own', async () => {
    const disk = createMemoryDisk(1);
    await disk.mkdir('/s', { recursive: true, mode: 0o700 });
    const dep = { disk, now: () => Date.UTC(2026, 0, 31, 12), historyDays: 90 } as unknown as FileDriverDep;
    const writer = createHistoryWriter('/s', dep);
    const append: typeof writer.append = (lines, fence) => writer.append(lines, fence);
    const [one, two] = [
      historyLine('2026-01-31T12:00:00.000Z', { n: 1 }),
      historyLine('2026-01-31T12:00:00.000Z', { n: 2 }),
    ];
    const file = '/s/history/2026-01-31.ndjson';
    const text = () => disk.files().get(file)?.toString();
    await append([], fenceOf());
    expect(disk.files().size).toBe(0);
    await append([one], fenceOf());
    await append([two, one], fenceOf());
    const sealed = (line: object) => seal(line).toString();
    const whole = [one, two, one].map(sealed).join('');
    expect(text()).toBe(whole);
    disk.put(file, Buffer.from(`${whole}{`));
    await append([two], fenceOf());
    expect(text()).toBe(`${whole}{\n${sealed(two)}`);
    disk.put(file, Buffer.from('{'));
    await append([two], fenceOf());
    expect(text()).toBe(`{\n${sealed(two)}`);
    const before = text();
    await expect(append([one], fenceOf({ look: lost }))).rejects.toThrow(LeaseLostError);
    expect(text()).toBe(before);
    await append([one], fenceOf());
    expect(text()).toBe(`${before}${sealed(one)}`);
  });
});

describe('the files of requests', () => {
  const noon = Date.UTC(2026, 0, 31, 12);

  async function createTrials(now = () => noon) {
    const disk = createMemoryDisk(1);
    await disk.mkdir('/s', { recursive: true, mode: 0o700 });
    const create = () => createRequests({ disk, now, randomId: () => 'abcdefgh-and-more' }, '/s');
    return { disk, create, requests: create() };
  }

  test('are named after their instant, and come back in the order in which they were added', async () => {
    const { requests, create } = await createTrials();
    const ids = [await requests.add({ n: 1 }), await requests.add({ n: 2 }), await create().add({ n: 3 })];
    expect(ids[0]).toBe('2026-01-31T12-00-00-000Z-0000-abcdefgh');
    expect(ids).toEqual([...new Set(ids)].toSorted());
    expect([...(await requests.read()).requests]).toEqual(ids.map((id, index) => [id, { n: index + 1 }]));
    await requests.remove(ids.slice(0, 2));
    await requests.remove(['none']);
    expect([...(await requests.read()).requests.keys()]).toEqual(ids.slice(2));
    await requests.remove(ids.slice(2));
    // The places of those that are gone are not given again by this process.
    expect((await requests.add({ n: 4 })) > ids[1]!).toBe(true);
  });

  test('those of one instant are counted, over processes, and stay in it', async () => {
    const { requests, create } = await createTrials();
    const ids = [await requests.add({}), await requests.add({}), await create().add({}), await requests.add({})];
    expect(ids).toEqual(['0000', '0001', '0002', '0003'].map((place) => `2026-01-31T12-00-00-000Z-${place}-abcdefgh`));
  });

  test('a later instant has its first place, and an earlier one comes after the last', async () => {
    let now = noon;
    const { requests } = await createTrials(() => now);
    const at = async (ms: number) => {
      now = noon + ms;
      return requests.add({});
    };
    const ids = [await at(0), await at(50), await at(50), await at(-60_000), await at(100), await at(100)];
    expect(ids).toEqual([...new Set(ids)].toSorted());
    expect([ids[0], ids[1], ids[4]]).toEqual(
      ['000', '050', '100'].map((ms) => `2026-01-31T12-00-00-${ms}Z-0000-abcdefgh`),
    );
  });

  test('after the last place of an instant comes the first one of the next', async () => {
    const { disk, create, requests } = await createTrials();
    await requests.add({});
    const [path = ''] = disk.files().keys();
    await disk.rename(path, path.replace('-0000-', '-9999-'));
    expect(await create().add({})).toBe('2026-01-31T12-00-00-001Z-0000-abcdefgh');
  });

  test('one that is damaged is told, one that was read wrong once is not, and other files are none', async () => {
    const { disk, requests } = await createTrials();
    const [first, second] = [await requests.add({ n: 1 }), await requests.add({ n: 2 })];
    disk.put('/s/requests/notes.txt', Buffer.from('x'));
    disk.planWrongRead(disk.reads + 1);
    expect(await requests.read()).toMatchObject({ unusable: [], notices: [] });
    const file = `/s/requests/${first}.json`;
    disk.put(file, Buffer.from('damaged'));
    const { requests: found, unusable, notices } = await requests.read();
    expect([[...found.keys()], unusable]).toEqual([[second], [file]]);
    expect(notices).toMatchObject([
      { kind: 'damaged', file, message: expect.stringContaining('give the command again') },
    ]);
    expect(await requests.setAside(file, `${file}.damaged`)).toBe(true);
    expect(await requests.setAside(file, `${file}.damaged`)).toBe(false);
    expect(await requests.read()).toMatchObject({ unusable: [] });
  });
});

describe('H1: a lease that can be taken over', () => {
  test('of which the lock goes during a commit says so, and what the files have is read again', async () => {
    const memory = createMemoryDisk(1);
    let isTaken = false;
    const disk: typeof memory = {
      ...memory,
      async open(path, ...asked) {
        const file = await memory.open(path, ...asked);
        if (!isTaken || path !== '/state/s/base.log') return file;
        return {
          ...file,
          async datasync() {
            await file.datasync();
            await memory.unlink('/state/s/lock');
          },
        };
      },
    };
    const { store } = openTrial('/state', { disk, kernelLocks: { tryTake: async () => undefined } });
    await commitAll(store, 's', [{ facts: { put: new Map([['n', 1]]) } }]);
    const lease = await store.sync('s').acquireLease();
    await lease.load();
    isTaken = true;
    await expect(lease.commit({ facts: { put: new Map([['n', 2]]) } })).rejects.toThrow(LeaseLostError);
    isTaken = false;
    expect((await store.sync('s').load()).facts.get('n')).toBe(2);
    await expect(lease.commit({ facts: { put: new Map([['n', 3]]) } })).rejects.toThrow(LeaseLostError);
  });
});
