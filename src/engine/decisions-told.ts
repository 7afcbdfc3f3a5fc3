// Writes each decision into the history when a run takes it up: what, who, when, through what, and what was seen.
import { isRequest, quietFact } from './stored/facts.ts';
import { asStoredRecord } from './stored/json.ts';
import type { Batch, JsonObject, Lease, LeaseOptions, LoadedState, SyncState } from '../state/port.ts';
import { type DecisionRequest, idOf, isApproval } from './decision.ts';

interface Taker {
  readonly state: Pick<SyncState, 'acquireLease' | 'loadSome'>;
  readonly config: { readonly name: string };
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Acquires the lease of a run. Before a commit marks a request as done, the request's line is written into the history. If
 * the process ends between the two, the next run takes the request up again and writes a second line.
 */
export async function acquireLease(
  { state, config, now }: Taker,
  options: LeaseOptions,
  run: string,
): Promise<RunLease> {
  const lease = await state.acquireLease(options);
  let isHeld = false;
  const voided = new Set<string>();
  let loaded: LoadedState | undefined;
  const told = new Set<string>();
  /** Cancels that were recorded after the load, and the retries that they end. */
  const late = new Map<string, JsonObject>();
  return {
    epoch: lease.epoch,
    remainingMs: () => lease.remainingMs(),
    async load() {
      loaded = await lease.load();
      return loaded;
    },
    glance: (uuids) => lease.glance(uuids),
    async commit(batch) {
      const done = [...(batch.doneRequests ?? [])];
      const lines = done.flatMap((id) => {
        const request = loaded?.requests.get(id) ?? late.get(id);
        if (!loaded || !request || !isRequest(request) || told.has(id)) return [];
        const about = { time: new Date(now()).toISOString(), sync: config.name, run };
        return [{ ...about, ...whatOf(request, loaded), ...originOf(request), outcome: outcomeOf(id, request) }];
      });
      if (lines.length > 0) await lease.appendHistory(lines);
      for (const id of done) told.add(id);
      await lease.commit(withoutQuiet(batch));
    },
    appendHistory: (lines) => lease.appendHistory(lines),
    appendRun: (record) => lease.appendRun(record),
    noteRows: (idByRow) => lease.noteRows(idByRow),
    async cancelsOf(id) {
      const { requests } = await state.loadSome({});
      const found = [...requests].filter(
        ([key, request]) =>
          !told.has(key) &&
          isRequest(request) &&
          (request.kind === 'cancel' || request.kind === 'retry') &&
          idOf(request) === id,
      );
      // The later of the two counts: a retry after the last cancel is for the next run.
      const ended = found.slice(0, found.findLastIndex(([, { kind }]) => kind === 'cancel') + 1);
      for (const [key, request] of ended) {
        late.set(key, request);
        if (request['kind'] === 'retry') voided.add(key);
      }
      return ended.map(([key]) => key);
    },
    holdsAgain: () => void (isHeld = true),
    makesVoid(ids) {
      for (const id of ids) voided.add(id);
    },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  };

  function outcomeOf(id: string, request: DecisionRequest): 'taken' | 'void' {
    return voided.has(id) || (isApproval(request) && isHeld) ? 'void' : 'taken';
  }
}

/** W18: of another state, the note of a run that found nothing to do says nothing. */
function withoutQuiet(batch: Batch): Batch {
  const { put, delete: removed = [] } = batch.facts ?? {};
  if (put?.has(quietFact)) return batch;
  return { ...batch, facts: { ...(put && { put }), delete: [...removed, quietFact] } };
}

export interface RunLease extends Lease {
  /**
   * The ids of decisions that cancel this enrolment or message, as of now, and of the retries before them, which a cancel ends. It is
   * asked once the intent of a call is stored, and before the call: a cancel that is recorded before the intent is then among them
   * (E8, P7). Throws StateError.
   */
  cancelsOf(id: string): Promise<readonly string[]>;
  /** Says that this run writes nothing: an approval that it uses up is void (G2). */
  holdsAgain(): void;
  /** Nothing comes of these decisions: a later one took their place, or what they are about is gone. */
  makesVoid(ids: Iterable<string>): void;
}

const uuidForm = /^[\da-f-]{36}$/;

/** The record that was decided on. The ID of an outbox row looks like a uuid, but is no contact's. */
function whatOf(request: DecisionRequest, { ledger }: LoadedState) {
  const id = idOf(request);
  const [record = '', part = null] = 'run' in request ? [] : id.split('/');
  const row = /^row:(\d+)$/.exec(record)?.[1];
  return {
    decision: request.kind,
    id,
    contact: uuidForm.test(record) && !ledger.has(record) ? record : null,
    row: row === undefined ? null : Number(row),
    // For an enrolment, the part is the automation.
    field: part === null || uuidForm.test(part) ? null : part,
  };
}

function originOf({ origin }: DecisionRequest) {
  const { by = null, at = null, through = null, text = null, seen = null } = origin ?? {};
  return { text, by, decided_at: at, through, seen: seen && asStoredRecord(seen) };
}
