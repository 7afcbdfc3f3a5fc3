// What was ever done about wishes. A wish is carried out once per contact and automation, ever; this is what remembers it.

/** What was ever done about a wish. */
export interface LedgerEntry {
  /**
   * `waiting`: seen, and not its turn. `intended`: written down before the call; still so in a later run, the outcome is
   * unknown (E3). `skipped`: the service said the contact is there already.
   */
  readonly state: 'waiting' | 'intended' | 'enrolled' | 'skipped' | 'refused' | 'unknown' | 'cancelling';
  /** Epoch milliseconds on the service's clock: since when, or when. */
  readonly at: number;
  readonly run: string;
  /** Of the automation, when it was last wished for: for people. */
  readonly name?: string;
  /** The service's own words, where it refused. */
  readonly message?: string;
  /** W5: how often the service refused to cancel it, and until when it is not asked again (null: until `retry`). */
  readonly refusedCancel?: { readonly message: string; readonly times: number; readonly retryAt: number | null };
  /** When calls were made that enrolled or may have, epoch milliseconds: what the cap counts, whatever became of it since. */
  readonly calls?: readonly number[];
}

/** A contact that was to be created and enrolled in one call, and whose uuid is not known: perhaps there is none (E3). */
export interface InFlight {
  readonly automation: string;
  /** Epoch milliseconds: when the call was made. */
  readonly at: number;
  /** Whether there is such a contact could not be looked up: anybody may be it. */
  readonly isUnanswered?: true;
}

export interface Ledger {
  /** By `ledgerKey`. */
  readonly entries: ReadonlyMap<string, LedgerEntry>;
  /** By `rowKey` of a new row: nothing is done about it until reading has told what became of the call. */
  readonly inFlight?: ReadonlyMap<string, InFlight>;
  /** False for a new, lost or restored state, until a person approved what it would enrol (E6). */
  readonly isTrusted: boolean;
}

/** The key under which the ledger has an enrolment. A message of an outbox stands there under the ID of its row. */
export function ledgerKey(uuid: string, automation: string): string {
  return `${uuid} ${automation}`;
}

export function readLedgerKey(key: string): { readonly uuid: string; readonly automation: string } {
  const [uuid = '', automation = ''] = key.split(' ');
  return { uuid, automation };
}

/** What `retry` takes to try an enrolment again. */
export function enrolmentId(uuid: string, automation: string): string {
  return `${uuid}/${automation}`;
}

/** The key of the enrolment that this id names; of any other id, a key that the ledger does not have. */
export function enrolmentIdToKey(id: string): string {
  const [uuid = '', automation = ''] = id.split('/');
  return ledgerKey(uuid, automation);
}

/** Done, or perhaps done: not to be done again. */
export function isDone(entry: LedgerEntry | undefined): boolean {
  return entry !== undefined && entry.state !== 'waiting' && entry.state !== 'refused';
}

/** E4: calls of the last hour, whatever became of them; counted across restarts, since the ledger is. */
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

/** By uuid. */
export function groupEntries({
  entries,
}: Ledger): ReadonlyMap<string, readonly { automation: string; entry: LedgerEntry }[]> {
  const byUuid = new Map<string, { automation: string; entry: LedgerEntry }[]>();
  for (const [key, entry] of entries) {
    const { uuid, automation } = readLedgerKey(key);
    byUuid.set(uuid, [...(byUuid.get(uuid) ?? []), { automation, entry }]);
  }
  return byUuid;
}
