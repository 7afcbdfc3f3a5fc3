// The ledger book (E3): what is stored before a call that must not be made twice, and after it. Every method returns once
// its data survives a power loss. Only then does the next step begin.
import type { RunLease } from '../decisions-told.ts';
import {
  callsOf,
  enrolmentId,
  type InFlight,
  type Ledger,
  type LedgerEntry,
  ledgerKey,
  readLedgerKey,
} from '../../sync/record/ledger.ts';
import { asStored, asStoredRecord } from '../stored/json.ts';
import type { Identifiers } from '../../crm/port.ts';

/**
 * A contact that one call creates and enrols, by `rowKey` of its row until its uuid is known:
 *
 *   intended -> added      the service accepted the call; the uuid is not found yet
 *            -> absent     no answer, and the contact does not exist: the call may be made again (E3)
 *            -> gone       refused or skipped, or the uuid was found and the ledger has it
 *   added    -> spent      the contact was deleted, and its row is gone or a person asked for it again
 *   absent   -> intended   the call is made again; if the first call was only late, the service skips the second
 */
export interface Newcomer extends InFlight {
  readonly state: 'intended' | 'added' | 'absent';
  readonly run: string;
  /** H2: of the lease under which the call was intended. */
  readonly epoch?: number;
  /** The name of the automation, for people. */
  readonly name: string;
  /** The identifiers by which the contact is looked up. */
  readonly identifiers: Identifiers;
  /** An earlier call for this row has an unknown outcome. */
  readonly isRepeated?: true;
  /** E4: the call counts for the cap, for an hour, and nothing else is done about it: its contact was deleted. */
  readonly isSpent?: true;
}

export interface LedgerBook {
  entry(uuid: string, automation: string): LedgerEntry | undefined;
  newcomer(rowKey: string): Newcomer | undefined;
  /** E8: as `RunLease.cancelsOf`, for an enrolment whose intent is stored. */
  cancelsOf(uuid: string, automation: string): Promise<readonly string[]>;
  /**
   * null: the entry is deleted. `doneRequests`: the requests that this carries out, in the same commit, so that a crash
   * does not repeat them. `isTrusted`: whether the ledger is complete from now on (E6); left out: as before.
   */
  put(
    entries: ReadonlyMap<string, LedgerEntry | null>,
    doneRequests?: readonly string[],
    isTrusted?: boolean,
  ): Promise<void>;
  /** Stores the intent, before the call. */
  intend(rowKey: string, newcomer: Newcomer): Promise<void>;
  /** Closes the intent, after the call. `entry`: what the ledger has in its place. */
  close(rowKey: string, entry?: readonly [string, LedgerEntry]): Promise<void>;
  /** E5: stores, before the call, that the contact is about to be taken out of all (null), or of this one. */
  intendCancel(uuid: string, automation: string | null): Promise<void>;
  /** The cancel that was intended last was certainly not carried out. */
  withdrawCancel(): Promise<void>;
  /** Marks each entry of the contact that may be in an automation: it was taken out of all (null), or of this one. */
  cancelled(uuid: string, automation: string | null, at: number, run: string): Promise<void>;
  /** Entries that came to something since this was last asked: enrolled, refused, cancelling... The history gets them. */
  takeSteps(): LedgerSteps;
}

/** By `ledgerKey`. */
export type LedgerSteps = ReadonlyMap<string, LedgerEntry>;

export const noSteps: LedgerSteps = new Map();

export function openLedger(
  lease: Pick<RunLease, 'commit' | 'cancelsOf' | 'epoch'>,
  { ledger, newcomers: outbox }: { readonly ledger: Ledger; readonly newcomers: ReadonlyMap<string, Newcomer> },
): LedgerBook {
  const known = new Map(ledger.entries);
  const newcomers = new Map(outbox);
  let steps = new Map<string, LedgerEntry>();
  /** The entries before the cancel that was intended last. */
  let uncancelled: ReadonlyMap<string, LedgerEntry> = new Map();
  /** Entries of the contact that may be in an automation: in this one, or in any (null). */
  const mayBeInOf = (uuid: string, automation: string | null) =>
    [...known].filter(([key, entry]) => {
      const of = readLedgerKey(key);
      return of.uuid === uuid && (automation === null || of.automation === automation) && mayBeIn(entry);
    });
  const write = async (
    changed: ReadonlyMap<string, LedgerEntry | null>,
    {
      closed,
      doneRequests = [],
      isTrusted,
    }: {
      readonly closed?: string;
      readonly doneRequests?: readonly string[];
      readonly isTrusted?: boolean | undefined;
    } = {},
  ): Promise<void> => {
    if (changed.size === 0 && closed === undefined && isTrusted === undefined) return;
    const [kept, gone] = [new Map<string, LedgerEntry>(), new Array<string>()];
    for (const [key, entry] of changed) {
      if (entry === null) gone.push(key);
      else kept.set(key, entry.state === 'intended' ? { ...entry, epoch: lease.epoch } : entry);
    }
    await lease.commit({
      ledger: { put: asStored(kept), delete: gone },
      ...(closed !== undefined && { outbox: { delete: [closed] } }),
      ...(doneRequests.length > 0 && { doneRequests }),
      ...(isTrusted !== undefined && { facts: { put: new Map([['isLedgerTrusted', isTrusted]]) } }),
    });
    for (const [key, entry] of changed) {
      if (entry !== null && isStep(known.get(key), entry)) steps.set(key, entry);
      if (entry === null) known.delete(key);
      else known.set(key, entry);
    }
    if (closed !== undefined) newcomers.delete(closed);
  };
  return {
    entry: (uuid, automation) => known.get(ledgerKey(uuid, automation)),
    newcomer: (rowKey) => newcomers.get(rowKey),
    cancelsOf: (uuid, automation) => lease.cancelsOf(enrolmentId(uuid, automation)),
    put: (changed, doneRequests = [], isTrusted) => write(changed, { doneRequests, isTrusted }),
    async intend(rowKey, newcomer) {
      await lease.commit({ outbox: { put: new Map([[rowKey, asStoredRecord({ ...newcomer, epoch: lease.epoch })]]) } });
      newcomers.set(rowKey, newcomer);
    },
    close: (rowKey, entry) => write(new Map(entry ? [entry] : []), { closed: rowKey }),
    async intendCancel(uuid, automation) {
      uncancelled = new Map(mayBeInOf(uuid, automation));
      const open = [...uncancelled].filter(([, { isCancelOpen }]) => !isCancelOpen);
      await write(new Map(open.map(([key, entry]) => [key, { ...entry, isCancelOpen: true }])));
    },
    withdrawCancel: () => write(uncancelled),
    async cancelled(uuid, automation, at, run) {
      const changed = mayBeInOf(uuid, automation).map(([key, entry]): [string, LedgerEntry] => {
        const { refusedCancel: _refused, isCancelOpen: _open, withdrawnAt: _withdrawn, ...rest } = entry;
        return [key, { ...rest, state: 'cancelling', at, run, calls: callsOf(entry) }];
      });
      await write(new Map(changed));
    },
    takeSteps() {
      const taken = steps;
      steps = new Map();
      return taken;
    },
  };
}

/** A wish that waits has come to nothing yet, an intent is followed by its outcome, and a decision has a line of its own. */
function isStep(before: LedgerEntry | undefined, { state }: LedgerEntry): boolean {
  return state !== 'waiting' && state !== 'intended' && state !== 'cancelled' && state !== before?.state;
}

function mayBeIn({ state, isCancelOpen }: LedgerEntry): boolean {
  if (isCancelOpen) return true;
  return state === 'enrolled' || state === 'skipped' || state === 'unknown' || state === 'intended';
}
