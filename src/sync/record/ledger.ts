// The ledger of enrolments: what was ever done about wishes. It makes sure that each wish is carried out once, ever.

/** The state of one wish: what was done about it. */
export interface LedgerEntry {
  /**
   * `waiting`: seen, not carried out yet. `intended`: stored before the call; if a later run still finds it, the outcome
   * is unknown (E3). `skipped`: the service said that the contact is in the automation already. `cancelling`: the contact
   * was taken out of it. `cancelled`: a person cancelled the wish before any call (E8).
   */
  readonly state: 'waiting' | 'intended' | 'enrolled' | 'skipped' | 'refused' | 'unknown' | 'cancelling' | 'cancelled';
  /** Epoch milliseconds on the service's clock: since when it waits, or when it was done. */
  readonly at: number;
  readonly run: string;
  /** H2: of the lease under which the call was intended. */
  readonly epoch?: number;
  /** Name of the automation when it was last wished for. For people. */
  readonly name?: string;
  /** The service's words when it refused. */
  readonly message?: string;
  /** W5: how often the service refused the cancel, and until when it is not asked again (null: until `retry`). */
  readonly refusedCancel?: { readonly message: string; readonly times: number; readonly retryAt: number | null };
  /** W10: since when the cell does not name it any more, epoch milliseconds, while its cancel waits to settle. */
  readonly withdrawnAt?: number;
  /**
   * E5: the contact stays in it until a cell names it again: its wish stood in another column, which was the one of wishes before, or
   * was taken out of its cell under `on_clear: ignore`.
   */
  readonly isKeptIn?: true;
  /** E5: a cancel was begun and its outcome is not known: the contact may have been taken out. Stored before the call. */
  readonly isCancelOpen?: true;
  /** When calls were made that enrolled or may have, epoch milliseconds. The cap counts them, whatever happened since. */
  readonly calls?: readonly number[];
  /** E6: of a wish that waits, whose contact a run of this sync made: it waits for no approval. */
  readonly isOurs?: true;
  /** The state before a person asked for it again, if it was done or may have been. A cancel restores it (E8). */
  readonly before?: DoneBefore;
}

export type DoneBefore = Pick<LedgerEntry, 'state' | 'at' | 'run'>;

/**
 * A contact that was to be created and enrolled in one call, and whose uuid is not known. Perhaps it does not exist (E3).
 */
export interface InFlight {
  readonly automation: string;
  /** Epoch milliseconds: when the call was made. */
  readonly at: number;
  /** The lookup of this contact failed: any contact may be the one. */
  readonly isUnanswered?: true;
}

export interface Ledger {
  /** By `ledgerKey`. */
  readonly entries: ReadonlyMap<string, LedgerEntry>;
  /** By `rowKey` of a new row. Nothing is done about the row until a reading shows the outcome of the call. */
  readonly inFlight?: ReadonlyMap<string, InFlight>;
  /** False for a new, lost or restored state, until a person approved what it would enrol (E6). */
  readonly isTrusted: boolean;
  /** S3: an earlier run, or the loading of the state, stored that entries may be missing. A new state says nothing of it. */
  readonly isIncomplete?: true;
}

/** The key under which the ledger has an enrolment. A message of an outbox stands there under the ID of its row. */
export function ledgerKey(uuid: string, automation: string): string {
  return `${uuid} ${automation}`;
}

export function readLedgerKey(key: string): { readonly uuid: string; readonly automation: string } {
  const [uuid = '', automation = ''] = key.split(' ');
  return { uuid, automation };
}

/** A wish of a contact, with the row that names it, or did. */
export interface WishInRow {
  /** `ledgerKey` of contact and automation. */
  readonly key: string;
  readonly row: number;
}

/** The id that `retry` takes to try an enrolment again. */
export function enrolmentId(uuid: string, automation: string): string {
  return `${uuid}/${automation}`;
}

/** The key of the enrolment that this id names; of any other id, a key that the ledger does not have. */
export function enrolmentIdToKey(id: string): string {
  const [uuid = '', automation = ''] = id.split('/');
  return ledgerKey(uuid, automation);
}

/** Whether it was done, or may have been, so that it must not be done again. */
export function isDone(entry: LedgerEntry | undefined): boolean {
  return entry !== undefined && !openStates.has(entry.state);
}

const openStates: ReadonlySet<LedgerEntry['state']> = new Set(['waiting', 'refused', 'cancelled']);

/** The earlier outcome that an entry keeps while its wish waits again. */
export function doneBefore(entry: LedgerEntry): Pick<LedgerEntry, 'before'> {
  const { state, at, run, before } = entry;
  if (isDone(entry)) return { before: { state, at, run } };
  return before ? { before } : {};
}

/**
 * E8: the entry of a wish that a person cancelled; undefined: it does not wait. An enrolment that was done, or may have been,
 * before a person asked for it again, is restored: it is never called cancelled. `at`: epoch milliseconds.
 */
export function cancelledEntry(entry: LedgerEntry, at: number): LedgerEntry | undefined {
  if (entry.state !== 'waiting') return undefined;
  const { before, message: _message, ...rest } = entry;
  const calls = callsOf(entry);
  // An earlier version kept the calls of a second try, and not what came of them.
  const earlier = before ?? (calls.length > 0 && ({ state: 'unknown', at: calls.at(-1)!, run: entry.run } as const));
  return earlier ? { ...rest, ...earlier } : { ...rest, state: 'cancelled', at, run: '' };
}

export const hourMs = 3_600_000;

/** E4: calls since an instant, epoch milliseconds. The ledger is stored, so a restart does not reset the count. */
export function countSince({ entries, inFlight }: Ledger, since: number): number {
  let count = 0;
  for (const entry of entries.values()) count += callsOf(entry).filter((at) => at > since).length;
  for (const { at } of inFlight?.values() ?? []) if (at > since) count += 1;
  return count;
}

/** When calls were made that enrolled or may have. */
export function callsOf({ state, at, calls }: LedgerEntry): readonly number[] {
  if (calls) return calls;
  return state === 'enrolled' || state === 'intended' || state === 'unknown' ? [at] : [];
}

/**
 * E3, E4: the entry after a call for a new row led to a contact that may have an entry already. What is known to be done stays
 * known, and every call counts for the cap.
 */
export function withFoundCall(known: LedgerEntry | undefined, entry: LedgerEntry): LedgerEntry {
  if (!known) return entry;
  const calls = [...callsOf(known), ...callsOf(entry)];
  const isNews = entry.state === 'enrolled' && (known.state === 'unknown' || known.state === 'intended');
  return isDone(known) && !isNews ? { ...known, calls } : { ...entry, calls };
}

/** An entry, with the uuid of its automation. */
export interface EntryOf {
  readonly automation: string;
  readonly entry: LedgerEntry;
}

/** The names by which a row may have been told of it: the one when it was last wished for, and the one that it has now. */
export function namesOf(
  { automation, entry: { name } }: EntryOf,
  nameByUuid: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  return new Set([name, nameByUuid.get(automation)].filter((each) => each !== undefined));
}

/** By uuid. */
export function groupEntries({ entries }: Ledger): ReadonlyMap<string, readonly EntryOf[]> {
  const byUuid = new Map<string, EntryOf[]>();
  for (const [key, entry] of entries) {
    const { uuid, automation } = readLedgerKey(key);
    byUuid.set(uuid, [...(byUuid.get(uuid) ?? []), { automation, entry }]);
  }
  return byUuid;
}
