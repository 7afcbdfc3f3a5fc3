// Writes under a lease: each is one statement that checks the epoch, and is carried out once even if its answer is lost.
import delay from 'delay';
import { isOutcomeUnknown } from '../../postgres/errors.ts';
import type { Database, Row } from '../../postgres/pool.ts';
import { DatabaseUnavailableError, LeaseLostError } from '../errors.ts';
import type { HeldLease } from './lease.ts';
import { type TableNames, tablesIn } from './schema.ts';

export interface Write {
  /**
   * The statement after `WITH held AS (...)`, which has the row of the job (`id`, `runs`) if the lease is still held, and no
   * row otherwise. Its own parameters begin with $5: the first four are the job, the epoch, the write before and this write.
   */
  readonly rest: (t: TableNames) => string;
  readonly values: readonly unknown[];
  /** Further columns of the job to set, after a comma. */
  readonly set?: string;
  /** Called once, when the write is known to be carried out. */
  readonly onApplied?: (id: string) => void;
}

export interface Writer {
  /** Finds out what came of writes whose answer was lost. Call it before a write is made up. Throws as `write`. */
  settle(): Promise<void>;
  /**
   * Carries out one write after the other. Throws LeaseLostError, after which nothing more can be written, and
   * DatabaseUnavailableError: then it was not carried out; or that is not known yet, and the next call finds out.
   */
  write(write: Write): Promise<void>;
}

/** After each of these milliseconds a write with a lost answer is sent again: a server restarts within a second or two. */
const repeatMs = [100, 500, 1_500];

export function createWriter(
  database: Database,
  lease: Pick<HeldLease, 'job' | 'epoch' | 'writeId'>,
  { sync, randomId }: { readonly sync: string; readonly randomId: () => string },
): Writer {
  const t = tablesIn(database.schema);
  const { job, epoch } = lease;
  let last = lease.writeId;
  /** Writes whose outcome is not known. One of them may still arrive at the server. */
  const open = new Map<string, (() => void) | undefined>();

  const lost = () => new LeaseLostError(`${database.place}: ${sync}`, 'epoch');

  async function lookUp(): Promise<string> {
    const [row] = await database.queryRepeatable(`SELECT epoch, write_id FROM ${t.jobs} WHERE id = $1`, [job]);
    if (!row || Number(row['epoch']) !== epoch) throw lost();
    return String(row['write_id']);
  }

  /** Takes note of a write that arrived although its answer was lost. False: it is none of them. */
  function takeNote(id: string): boolean {
    if (!open.has(id)) return false;
    open.get(id)?.();
    open.clear();
    last = id;
    return true;
  }

  async function send({ rest, values, set = '' }: Write, id: string): Promise<Row | undefined> {
    const [row] = await database.query(
      `WITH held AS (
         UPDATE ${t.jobs} SET write_id = $4 ${set} WHERE id = $1 AND epoch = $2 AND write_id = $3 RETURNING id, runs
       )${rest(t)} SELECT id FROM held`,
      [job, epoch, last, id, ...values],
    );
    return row;
  }

  /** Sends it until an answer comes. A repeat changes nothing once it was carried out, as `write_id` has changed. */
  async function sendSurely(write: Write, id: string): Promise<Row | undefined> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await send(write, id);
      } catch (error) {
        const isUnknown = open.has(id) || isOutcomeUnknown(error);
        if (isUnknown) open.set(id, () => write.onApplied?.(id));
        const pause = repeatMs[attempt];
        if (!isUnknown || pause === undefined || !(error instanceof DatabaseUnavailableError)) throw error;
        await delay(pause);
      }
    }
  }

  return {
    async settle() {
      if (open.size === 0) return;
      const found = await lookUp();
      if (found !== last && !takeNote(found)) throw lost();
    },
    async write(write) {
      const id = randomId();
      const row = await sendSurely(write, id);
      if (row) {
        open.clear();
        last = id;
        write.onApplied?.(id);
        return;
      }
      const found = await lookUp();
      const isOther = found !== id;
      if (!takeNote(found)) throw lost();
      // An earlier write came in between. This one was made without knowing it.
      if (isOther) throw late(database.place);
    },
  };
}

function late(place: string): DatabaseUnavailableError {
  const what = 'an earlier write arrived late, and this one was not carried out';
  return new DatabaseUnavailableError(place, what, 'The next run goes on from there');
}
