// What the ledger knows of an outbox, as its rows ask for it: whose a uuid is, what was sent, and which row an ID is of.
import { callsOf, type Message, type OutboxRow, readPayload, saidText } from './message.ts';
import { textOf } from './outbox-cells.ts';
import type { OutboxInput } from './outbox-input.ts';

/** The ledger by what is in it; of several IDs the one that the ledger has first stands first. */
export interface Known {
  readonly idByUuid: ReadonlyMap<string, string>;
  /** By what the row said when the ledger last heard of it. */
  readonly idsBySaid: ReadonlyMap<string, readonly string[]>;
  /** By what was sent or may have been, and by its contact and content. */
  readonly idsBySent: ReadonlyMap<string, readonly string[]>;
}

export function indexLedger({ messages }: OutboxInput): Known {
  const idByUuid = new Map<string, string>();
  const idsBySaid = new Map<string, string[]>();
  const idsBySent = new Map<string, string[]>();
  const add = (index: Map<string, string[]>, digest: string, id: string) =>
    index.set(digest, [...(index.get(digest) ?? []), id]);
  for (const [id, message] of messages) {
    const { uuid, uuidsBefore = [], said } = message;
    for (const each of uuidsBefore) idByUuid.set(each, id);
    if (uuid !== undefined) idByUuid.set(uuid, id);
    if (said !== '') add(idsBySaid, said, id);
    for (const digest of sentDigests(message)) add(idsBySent, digest, id);
  }
  return { idByUuid, idsBySaid, idsBySent };
}

/** I4: of rows with one ID, the one that says what was written down keeps it, else the upper one. */
export function findKeepers(input: OutboxInput): Map<string, OutboxRow> {
  const { rows, messages } = input;
  const keepers = new Map<string, OutboxRow>();
  const isAsKnown = (row: OutboxRow) => {
    const message = messages.get(row.id);
    return textOf(row.uuid) === (message?.uuid ?? '') && saidOf(input, row) === message?.said;
  };
  const doubled = new Set<string>();
  for (const row of rows) {
    if (row.id === '') continue;
    if (keepers.has(row.id)) doubled.add(row.id);
    else keepers.set(row.id, row);
  }
  for (const row of rows.toReversed()) if (doubled.has(row.id) && isAsKnown(row)) keepers.set(row.id, row);
  return keepers;
}

/** Digest of what a row says. */
export function saidOf({ fields, digest }: OutboxInput, row: OutboxRow): string {
  return digest(saidText(fields, row.cells.map(readPayload)));
}

/** The service took it, or may have. */
export function isDone({ state }: Message): boolean {
  return state === 'sent' || state === 'unknown' || state === 'intended';
}

/** P2: of all that was sent under an ID, or may have been. */
export function sentDigests(message: Message): readonly string[] {
  const { said, key = '', before = [] } = message;
  const now = isDone(message) ? [said, key].filter((digest) => digest !== '') : [];
  return [...new Set([...before, ...now])];
}

/** P4: counted across restarts, since the ledger is. */
export function countCalls({ messages, now }: OutboxInput): number {
  let count = 0;
  for (const message of messages.values()) count += callsOf(message, now).length;
  return count;
}
