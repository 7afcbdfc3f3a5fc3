// Puts each decision that a run takes up into the history: what it asked for, who made it, when, through what, what they saw.
import { isRequest } from './stored/facts.ts';
import { asStoredRecord } from './stored/json.ts';
import type { Lease, LoadedState, SyncState } from '../state/port.ts';
import { type DecisionRequest, idOf } from './decision.ts';

interface Taker {
  readonly state: Pick<SyncState, 'acquireLease'>;
  readonly config: { readonly name: string };
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * The lease of a run. A commit that declares a request done is preceded by the request's line in the history. A process that
 * ends between the two leaves the line, and the run that takes the request up again leaves another one.
 */
export async function acquireLease(
  { state, config, now }: Taker,
  { signal }: { readonly signal: AbortSignal },
  run: string,
): Promise<RunLease> {
  const lease = await state.acquireLease({ signal });
  let isHeld = false;
  let loaded: LoadedState | undefined;
  const told = new Set<string>();
  return {
    async load() {
      loaded = await lease.load();
      return loaded;
    },
    async commit(batch) {
      const done = [...(batch.doneRequests ?? [])];
      const lines = done.flatMap((id) => {
        const request = loaded?.requests.get(id);
        if (!loaded || !request || !isRequest(request) || told.has(id)) return [];
        const about = { time: new Date(now()).toISOString(), sync: config.name, run };
        return [{ ...about, ...whatOf(request, loaded), ...originOf(request), outcome: outcomeOf(request) }];
      });
      if (lines.length > 0) await lease.appendHistory(lines);
      for (const id of done) told.add(id);
      await lease.commit(batch);
    },
    appendHistory: (lines) => lease.appendHistory(lines),
    appendRun: (record) => lease.appendRun(record),
    holdsAgain: () => void (isHeld = true),
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  };

  function outcomeOf({ kind }: DecisionRequest): 'taken' | 'void' {
    return kind === 'approve' && isHeld ? 'void' : 'taken';
  }
}

export interface RunLease extends Lease {
  /** Nothing is written by this run: an approval that it uses up comes to nothing (G2). */
  holdsAgain(): void;
}

const uuidForm = /^[\da-f-]{36}$/;

/** What was decided on. The ID of an outbox's row looks like a uuid and is none of a contact. */
function whatOf(request: DecisionRequest, { ledger }: LoadedState) {
  const id = idOf(request);
  const [record = '', part = null] = request.kind === 'approve' ? [] : id.split('/');
  const row = /^row:(\d+)$/.exec(record)?.[1];
  return {
    decision: request.kind,
    id,
    contact: uuidForm.test(record) && !ledger.has(record) ? record : null,
    row: row === undefined ? null : Number(row),
    // Of an enrolment, the part is the automation.
    field: part === null || uuidForm.test(part) ? null : part,
  };
}

function originOf({ origin }: DecisionRequest) {
  const { by = null, at = null, through = null, text = null, seen = null } = origin ?? {};
  return { text, by, decided_at: at, through, seen: seen && asStoredRecord(seen) };
}
