// P3: what is written down before a message is sent, and what is written down after it. Every method returns once a power
// loss could not undo it; only then is the next step taken.
import type { RunLease } from '../decisions-told.ts';
import type { Changes, HistoryLine, JsonObject, Lease } from '../../state/port.ts';
import type { Stray } from '../../sync/record/base.ts';
import type { OutboxInput, RetryAsked } from '../../sync/outbox/input.ts';
import type { Message } from '../../sync/outbox/message.ts';
import type { Facts } from '../stored/facts.ts';
import { asStored } from '../stored/json.ts';
import type { StoredOutbox } from '../stored/stored.ts';

export interface OutboxMemory {
  /** By the ID of the row. */
  readonly messages: ReadonlyMap<string, Message>;
  readonly facts: Facts;
  /** Rows that the spreadsheet refused (W5). */
  readonly strays: ReadonlyMap<string, Stray>;
  /** P6: nothing that was sent is missing from it, as far as the state itself can tell. */
  readonly isTrusted: boolean;
  /** What people asked to have tried again, by the ID of the row. */
  readonly retried: OutboxInput['retried'];
  readonly approved: number;
  /** Ids of what people asked for. */
  readonly requests: { readonly retry: readonly string[]; readonly approve: readonly string[] };
  /** Lines that an earlier run did not get into the history, by their note. */
  readonly notes: ReadonlyMap<string, readonly HistoryLine[]>;
}

export function recallOutbox({
  messages,
  facts,
  strays,
  isLedgerTrusted,
  steps,
  requests: pending,
}: StoredOutbox): OutboxMemory {
  const retried = new Map<string, RetryAsked[]>();
  const requests = { retry: new Array<string>(), approve: new Array<string>() };
  let approved = 0;
  for (const [key, request] of pending) {
    if (request.kind === 'retry') {
      const { id, isSure = false, said } = request;
      retried.set(id, [...(retried.get(id) ?? []), { key, isSure, ...(said !== undefined && { said }) }]);
      requests.retry.push(key);
    } else {
      if (request.kind === 'approve') approved = request.counts.messages ?? 0;
      requests.approve.push(key);
    }
  }
  return {
    messages,
    facts,
    strays,
    isTrusted: isLedgerTrusted,
    retried,
    approved,
    requests,
    notes: new Map([...steps].map(([key, { lines }]) => [key, lines])),
  };
}

/** An earlier run made the call and did not live to see what came of it. */
export function asUnknown(messages: ReadonlyMap<string, Message>): ReadonlyMap<string, Message> {
  return new Map(
    [...messages].flatMap(([id, message]) =>
      message.state === 'intended' ? [[id, { ...message, state: 'unknown' as const }] as const] : [],
    ),
  );
}

export interface OutboxBook {
  /** As they are by now. */
  readonly messages: ReadonlyMap<string, Message>;
  /** Whether the ledger is trusted, as this run has stored it; undefined: it has stored nothing of that. */
  readonly isTrustedNow: boolean | undefined;
  /**
   * `doneRequests`: what asked for it, carried out with this, or a crash would have it done again. `isTrusted` false: rows prove what
   * the ledger has not. That is stored with what they prove, or the next run would take the ledger for a complete one (P6). True: an
   * approval is carried out from here on, and is not counted anew by a run after a crash (L10).
   */
  put(changed: ReadonlyMap<string, Message>, along?: PutWith): Promise<void>;
  /** P7: as `RunLease.cancelsOf`, for a message whose intent is stored. */
  cancelsOf(id: string): Promise<readonly string[]>;
  /** With what the history is to say of it, which survives a kill (L12). */
  settle(changed: ReadonlyMap<string, Message>, lines: readonly HistoryLine[]): Promise<void>;
  /** W9: nothing where nothing is left to write. */
  end(
    facts: ReadonlyMap<string, JsonObject[string]>,
    strays: Changes<JsonObject> | undefined,
    doneRequests: readonly string[],
  ): Promise<void>;
}

interface PutWith {
  readonly doneRequests?: readonly string[];
  readonly isTrusted?: boolean;
}

export function openBook(
  lease: Pick<RunLease, 'commit' | 'appendHistory' | 'cancelsOf' | 'epoch'>,
  memory: Pick<OutboxMemory, 'messages' | 'notes' | 'isTrusted'>,
  run: string,
): OutboxBook {
  const messages = new Map(memory.messages);
  let notes = 0;
  let isTrustedNow: boolean | undefined;
  /** Notes whose lines the history has. */
  let told: string[] = [];
  const learn = (changed: ReadonlyMap<string, Message>) => {
    for (const [id, message] of changed) messages.set(id, message);
  };
  const tidied = () => told.length > 0 && { outbox: { delete: told } };
  return {
    messages,
    get isTrustedNow() {
      return isTrustedNow;
    },
    cancelsOf: (id) => lease.cancelsOf(id),
    async put(changed, { doneRequests = [], isTrusted } = {}) {
      const isNews = isTrusted !== undefined && isTrusted !== (isTrustedNow ?? memory.isTrusted);
      if (changed.size === 0 && doneRequests.length === 0 && !isNews) return;
      await lease.commit({
        ledger: { put: asStored(underEpoch(changed, lease.epoch)) },
        ...tidied(),
        ...(isNews && { facts: { put: new Map([['isLedgerTrusted', isTrusted]]) } }),
        ...(doneRequests.length > 0 && { doneRequests }),
      });
      if (isNews) isTrustedNow = isTrusted;
      told = [];
      learn(changed);
    },
    async settle(changed, lines) {
      notes += 1;
      const note = `${run} ${notes}`;
      const outbox = { put: new Map([[note, { lines }]]), delete: told };
      await lease.commit({ ledger: { put: asStored(changed) }, outbox });
      learn(changed);
      told = [];
      await lease.appendHistory(lines);
      told = [note];
    },
    async end(facts, strays, doneRequests) {
      if (facts.size === 0 && !strays && doneRequests.length === 0 && told.length === 0) return;
      await lease.commit({
        facts: { put: facts },
        ...(strays && { strays }),
        ...tidied(),
        ...(doneRequests.length > 0 && { doneRequests }),
      });
      told = [];
    },
  };
}

/** H2: each intent names the lease under which its call is made. */
function underEpoch(changed: ReadonlyMap<string, Message>, epoch: number): ReadonlyMap<string, Message> {
  const named = (message: Message) => (message.state === 'intended' ? { ...message, epoch } : message);
  return new Map([...changed].map(([id, message]) => [id, named(message)]));
}

/** Before anything else: lines that were noted and may not have got into the history. */
export async function tellNoted(
  lease: Pick<Lease, 'commit' | 'appendHistory'>,
  { notes }: OutboxMemory,
): Promise<void> {
  if (notes.size === 0) return;
  await lease.appendHistory([...notes.values()].flat());
  await lease.commit({ outbox: { delete: [...notes.keys()] } });
}
