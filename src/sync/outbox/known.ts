// Indexes of the ledger of an outbox: by uuid, by content, and which row keeps an ID.
import { callsOf, type Message, type OutboxRow, readPayload, saidText } from './message.ts';
import { textOf } from './cells.ts';
import type { OutboxInput } from './input.ts';

/** If several entries match, the first one of the ledger stands first. */
export interface Known {
  readonly idByUuid: ReadonlyMap<string, string>;
  /** By the digests of what the row said when the ledger was last written, and when a run saw it last. */
  readonly idsBySaid: ReadonlyMap<string, readonly string[]>;
  /** By the digests of what was sent or may have been: the text of the row, and its contact and content. */
  readonly idsBySent: ReadonlyMap<string, readonly string[]>;
}

export function indexLedger({ messages }: OutboxInput): Known {
  const idByUuid = new Map<string, string>();
  const idsBySaid = new Map<string, string[]>();
  const idsBySent = new Map<string, string[]>();
  const add = (index: Map<string, string[]>, digest: string, id: string) =>
    index.set(digest, [...(index.get(digest) ?? []), id]);
  for (const [id, message] of messages) {
    const { uuid, uuidsBefore = [], said, saysNow = said } = message;
    for (const each of uuidsBefore) idByUuid.set(each, id);
    if (uuid !== undefined) idByUuid.set(uuid, id);
    for (const digest of new Set([said, saysNow])) if (digest !== '') add(idsBySaid, digest, id);
    for (const digest of sentDigests(message)) add(idsBySent, digest, id);
  }
  return { idByUuid, idsBySaid, idsBySent };
}

export interface Keepers {
  /** By ID: the row that keeps it. If that is in doubt: the upper one. */
  readonly keepers: Map<string, OutboxRow>;
  /** By ID: the numbers of rows that cannot be told from copies, upper ones first. */
  readonly doubted: ReadonlyMap<string, readonly number[]>;
}

/**
 * I4: which of the rows with one ID keeps it: the row that says what the ledger has; else the upper one that shows the
 * uuid of what was sent.
 *
 * If something was sent, or may have been, or was cancelled, and no row shows that it is the one, the ID is in doubt: the
 * row was edited since, and would be sent as a copy. Rows of which nothing was sent are messages of their own.
 */
export function findKeepers(input: OutboxInput): Keepers {
  const keepers = new Map<string, OutboxRow>();
  const doubled = new Map<string, OutboxRow[]>();
  for (const row of input.rows) {
    if (row.id === '') continue;
    const first = keepers.get(row.id);
    if (first) doubled.set(row.id, [...(doubled.get(row.id) ?? [first]), row]);
    else keepers.set(row.id, row);
  }
  const doubted = new Map<string, readonly number[]>();
  for (const [id, rows] of doubled) {
    const upperFirst = rows.toSorted((a, b) => a.number - b.number);
    const keeper = keeperOf(input, upperFirst);
    keepers.set(id, keeper ?? upperFirst[0]!);
    if (!keeper)
      doubted.set(
        id,
        upperFirst.map(({ number }) => number),
      );
  }
  return { keepers, doubted };
}

function keeperOf(input: OutboxInput, upperFirst: readonly OutboxRow[]): OutboxRow | undefined {
  const message = input.messages.get(upperFirst[0]!.id);
  const isOfMessage = (row: OutboxRow) => textOf(row.uuid) === (message?.uuid ?? '');
  const asKnown = upperFirst.find((row) => isOfMessage(row) && saidOf(input, row) === message?.said);
  // P3: what waits to be sent again was sent before, or may have been.
  const wasSent = message && (isDone(message) || message.was !== undefined || sentDigests(message).length > 0);
  const isOpen = message && !wasSent && message.state !== 'cancelled';
  if (asKnown || !message || isOpen) return asKnown ?? upperFirst[0];
  return message.uuid === undefined ? undefined : upperFirst.find(isOfMessage);
}

/** The digest of what a row says. */
export function saidOf({ fields, digest }: OutboxInput, row: OutboxRow): string {
  return digest(saidText(fields, row.cells.map(readPayload)));
}

/** Whether the service took it, or may have. */
export function isDone({ state }: Message): boolean {
  return state === 'sent' || state === 'unknown' || state === 'intended';
}

/** P2: digests of all that was sent under an ID, or may have been. */
export function sentDigests(message: Message): readonly string[] {
  const { said, key = '', before = [] } = message;
  const now = isDone(message) ? [said, key].filter((digest) => digest !== '') : [];
  return [...new Set([...before, ...now])];
}

/** P4. The ledger is stored, so a restart does not reset the count. */
export function countCalls({ messages, now }: OutboxInput): number {
  let count = 0;
  for (const message of messages.values()) count += callsOf(message, now).length;
  return count;
}
