// Takes up decisions that cancel an enrolment or a message (E8, P7). A run does this before it plans anything.
import type { JsonObject, LoadedState } from '../state/port.ts';
import { cancelledMessage, type Message } from '../sync/outbox/message.ts';
import { cancelledEntry, enrolmentIdToKey, type LedgerEntry } from '../sync/record/ledger.ts';
import type { RunLease } from './decisions-told.ts';
import { isRequest } from './stored/facts.ts';
import { asStoredRecord } from './stored/json.ts';
import { whyNotRecord } from './stored/records.ts';
import { type Taken, takeUp, withTaken } from './taken.ts';

/** The decisions in the order in which they were recorded. A cancel also ends a `retry` of the same id before it. */
function takeAll({ ledger, requests }: LoadedState): Taken {
  const put = new Map<string, JsonObject>();
  const done: string[] = [];
  const voided: string[] = [];
  /** Ids of `retry` decisions that no run has taken up yet, by what is to be tried again. */
  const retries = new Map<string, string[]>();
  for (const [id, request] of requests) {
    if (!isRequest(request)) continue;
    if (request.kind === 'retry') retries.set(request.id, [...(retries.get(request.id) ?? []), id]);
    if (request.kind !== 'cancel') continue;
    const ended = retries.get(request.id) ?? [];
    retries.delete(request.id);
    const key = ledger.has(request.id) ? request.id : enrolmentIdToKey(request.id);
    const entry = cancelled(put.get(key) ?? ledger.get(key), Date.parse(request.origin.at));
    if (entry) put.set(key, entry);
    else if (ended.length === 0) voided.push(id);
    done.push(...ended, id);
    voided.push(...ended);
  }
  return { ledger: put, done, voided };
}

/** Undefined: it does not wait, or the stored record is not readable. */
function cancelled(stored: JsonObject | undefined, at: number): JsonObject | undefined {
  if (!stored) return undefined;
  if ('said' in stored) {
    if (whyNotRecord.message(stored) !== undefined) return undefined;
    const message = cancelledMessage(stored as JsonObject & Message, at);
    return message && asStoredRecord(message);
  }
  if (whyNotRecord.ledgerEntry(stored) !== undefined) return undefined;
  const entry = cancelledEntry(stored as JsonObject & LedgerEntry, at);
  return entry && asStoredRecord(entry);
}

/** The state as these decisions leave it, for a plan. Nothing is written. */
export function withCancels(loaded: LoadedState): LoadedState {
  return withTaken(loaded, takeAll(loaded));
}

export async function takeUpCancels(
  lease: Pick<RunLease, 'commit' | 'makesVoid'>,
  loaded: LoadedState,
): Promise<LoadedState> {
  return takeUp(lease, loaded, takeAll(loaded));
}
