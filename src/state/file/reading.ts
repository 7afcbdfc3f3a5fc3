// Reads the state of a sync from its two journals.
import { basename } from 'node:path';
import type { Notice } from '../port.ts';
import { stampIfThere } from './disk.ts';
import type { FileStamp } from './disk.ts';
import { createPlace } from './place.ts';
import type { JournalPlace, Surroundings } from './place.ts';
import { recover } from './recover.ts';
import type { Recovered } from './recover.ts';
import { migrate } from './schema.ts';
import { applyBatch, ledgerTables, lossKey, tableNames, touchesLedger } from './tables.ts';
import type { StoredBatch, Tables } from './tables.ts';

/**
 * Reads a sync's state, which is two journals on disk. `base` has everything; a batch in it is committed. `outbox` is
 * written first and has the ledger once more, with each batch that touches the ledger whole. So a batch in the outbox
 * that the base lacks can be added to the base, and a base that lost its end gets its ledger back.
 */
export interface Places {
  readonly base: JournalPlace;
  readonly outbox: JournalPlace;
}

export function createPlaces(around: Surroundings): Places {
  return { base: createPlace(around, 'base', tableNames), outbox: createPlace(around, 'outbox', ledgerTables) };
}

/** Both journals, and the state they give together. */
export interface Reading {
  readonly tables: Tables;
  readonly seq: number;
  readonly ledgerSeq: number;
  readonly base: Recovered;
  readonly outbox: Recovered;
  /** Batches in the outbox that still have to be added to the base. */
  readonly missing: readonly { readonly batch: StoredBatch; readonly after: number; readonly seq: number }[];
  readonly baseNeedsRepair: boolean;
  readonly outboxNeedsRepair: boolean;
  readonly notices: readonly Notice[];
  readonly stamps: string;
}

/** How often files are read again that changed meanwhile, or that seem damaged: a writer may fold while a reader reads. */
const readAttemptsMax = 5;

/** Damage counts once a second reading has found the same: a single read may be wrong, and the disk right. */
export async function readFiles(places: Places): Promise<Reading> {
  let faultsBefore: string | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const stamps = await readStamps(places);
    // The outbox first: it is written first. Read last, it would have what a writer committed meanwhile, and the base would seem
    // to have lost that.
    const outbox = await recover(places.outbox);
    const base = await recover(places.base);
    const isLast = attempt === readAttemptsMax;
    if (!isLast && stamps !== (await readStamps(places))) continue;
    // `recover` has put the batches of the logs into its tables: a reading is put together once.
    const faults = JSON.stringify([base.notices, base.appendAt, outbox.notices, outbox.appendAt]);
    const hasFault = base.notices.length + outbox.notices.length > 0;
    if (isLast || !hasFault || faults === faultsBefore) return combine(places, base, outbox, stamps);
    faultsBefore = faults;
  }
}

/** Changes whenever a writer has written; cheap enough to read before every run. */
export async function readStamps({ base, outbox }: Places): Promise<string> {
  const files = [base.document, base.log, outbox.document, outbox.log];
  const stamps = await Promise.all(files.map((file) => stampIfThere(base.disk, file)));
  return stamps.map((stamp) => describeStamp(stamp)).join(' ');
}

export function describeStamp(stamp: Pick<FileStamp, 'ino' | 'size' | 'mtimeMs'> | undefined): string {
  return stamp ? `${stamp.ino}:${stamp.size}:${stamp.mtimeMs}` : '-';
}

function combine(places: Places, base: Recovered, outbox: Recovered, stamps: string): Reading {
  const { tables } = base.document;
  const { schema } = places.base;
  const notices = [...base.notices, ...(base.behind ? outbox.notices : outbox.notices.map((each) => inTheBase(each)))];
  let { seq, ledgerSeq } = base.document;
  const missing: { batch: StoredBatch; after: number; seq: number }[] = [];
  if (base.document.schema === outbox.document.schema) {
    for (const line of outbox.lines) {
      if (line.seq !== seq + 1) continue;
      applyBatch(tables, line);
      missing.push({ batch: { put: line.put, delete: line.delete }, after: seq, seq: line.seq });
      seq = line.seq;
      if (touchesLedger(line)) ledgerSeq = seq;
    }
  }
  migrate(tables, base.document.schema, schema);
  migrate(outbox.document.tables, outbox.document.schema, schema);

  // The outbox has batches that the base has lost: its ledger is used, the rest is older.
  const baseLostSome = outbox.document.seq > seq;
  if (baseLostSome) {
    for (const name of ledgerTables) {
      tables[name].clear();
      for (const [key, value] of outbox.document.tables[name]) tables[name].set(key, value);
    }
    [seq, ledgerSeq] = [outbox.document.seq, outbox.document.seq];
    notices.push({
      kind: 'behind',
      file: places.base.document,
      message:
        'base.json and base.log lack what was saved last, or all: the ledger and the changes in flight were ' +
        'taken from outbox.json and outbox.log and are whole; the records are compared anew and may come up as conflicts',
    });
  }
  notices.push(...lossIn(tables, places));
  return {
    tables,
    seq,
    ledgerSeq,
    base,
    outbox,
    missing,
    baseNeedsRepair: base.needsRepair || baseLostSome,
    outboxNeedsRepair: outbox.needsRepair || outbox.document.seq < ledgerSeq,
    notices,
    stamps,
  };
}

/** What an earlier load repaired, and no commit followed. */
export function lossIn({ consumed }: Pick<Tables, 'consumed'>, { base }: Places): readonly Notice[] {
  const message = consumed.get(lossKey);
  return typeof message === 'string' ? [{ kind: 'behind', file: base.document, message }] : [];
}

/** The base also has the batches that the outbox has lost. */
function inTheBase(notice: Notice): Notice {
  if (notice.kind !== 'behind') return notice;
  const message = `${basename(notice.file)} is damaged, or does not go with the files beside it; base.json and base.log have all of it, and nothing is missing`;
  return { ...notice, kind: 'damaged', message };
}

/** There is a state, and nothing about it is to be repaired or reported. */
export function isSound({ seq, missing, baseNeedsRepair, outboxNeedsRepair, notices }: Reading): boolean {
  return seq > 0 && missing.length + notices.length === 0 && !baseNeedsRepair && !outboxNeedsRepair;
}

/** The new place of unusable files: the same folder, under a name with the reason and the time. */
export function asideNames({ unusable }: Recovered, now: number): ReadonlyMap<string, string> {
  const time = new Date(now).toISOString().replaceAll(':', '-');
  return new Map(unusable.map((file) => [file, `${file}.damaged-${time}`]));
}

export function withAsides(notices: readonly Notice[], asides: ReadonlyMap<string, string>): readonly Notice[] {
  return notices.map((notice) => {
    const setAside = asides.get(notice.file);
    if (setAside === undefined) return notice;
    return { ...notice, setAside, message: `${notice.message}; it was moved to ${basename(setAside)}` };
  });
}
