// E3: what is written down before a call that must not be made twice, and what is written down after it. Every method
// returns once a power loss could not undo it; only then is the next step taken.
import type { Lease } from '../../state/port.ts';
import {
  callsOf,
  type InFlight,
  type Ledger,
  type LedgerEntry,
  ledgerKey,
  readLedgerKey,
} from '../../sync/record/ledger.ts';
import { asStored, asStoredRecord } from '../stored/json.ts';
import type { Identifiers } from '../../crm/port.ts';

/**
 * A contact that is created and enrolled in one call, by `rowKey` of its row while its uuid is not known:
 *
 *   intended -> added      the service said yes; the uuid is still to be found
 *            -> absent     no answer, and the contact does not exist: the call may be made again (E3)
 *            -> gone       refused, skipped, or its uuid was found and the ledger has it
 *   absent   -> intended   made again; should the first call have been late, the second is skipped by the service
 */
export interface Newcomer extends InFlight {
  readonly state: 'intended' | 'added' | 'absent';
  readonly run: string;
  /** Of the automation, for people. */
  readonly name: string;
  /** By what the contact is looked up. */
  readonly identifiers: Identifiers;
  /** An earlier call of unknown outcome preceded this one. */
  readonly isRepeated?: true;
}

export interface LedgerBook {
  entry(uuid: string, automation: string): LedgerEntry | undefined;
  newcomer(rowKey: string): Newcomer | undefined;
  /**
   * null: forgotten. `doneRequests`: what asked for it, carried out with this, or a crash would have it done again.
   * `isTrusted`: from now on nothing is missing from the ledger (E6).
   */
  put(
    entries: ReadonlyMap<string, LedgerEntry | null>,
    doneRequests?: readonly string[],
    isTrusted?: boolean,
  ): Promise<void>;
  /** Before the call. */
  intend(rowKey: string, newcomer: Newcomer): Promise<void>;
  /** After it; with `entry`, what the ledger has from now on in its place. */
  close(rowKey: string, entry?: readonly [string, LedgerEntry]): Promise<void>;
  /** Every entry about a contact that may be in an automation: it was taken out of all, or of this one. */
  cancelled(uuid: string, automation: string | null, at: number, run: string): Promise<void>;
}

export function openLedger(
  lease: Pick<Lease, 'commit'>,
  { ledger, newcomers: outbox }: { readonly ledger: Ledger; readonly newcomers: ReadonlyMap<string, Newcomer> },
): LedgerBook {
  const known = new Map(ledger.entries);
  const newcomers = new Map(outbox);
  const write = async (
    changed: ReadonlyMap<string, LedgerEntry | null>,
    {
      closed,
      doneRequests = [],
      isTrusted = false,
    }: { readonly closed?: string; readonly doneRequests?: readonly string[]; readonly isTrusted?: boolean } = {},
  ): Promise<void> => {
    if (changed.size === 0 && closed === undefined && !isTrusted) return;
    const [kept, gone] = [new Map<string, LedgerEntry>(), new Array<string>()];
    for (const [key, entry] of changed) {
      if (entry === null) gone.push(key);
      else kept.set(key, entry);
    }
    await lease.commit({
      ledger: { put: asStored(kept), delete: gone },
      ...(closed !== undefined && { outbox: { delete: [closed] } }),
      ...(doneRequests.length > 0 && { doneRequests }),
      ...(isTrusted && { facts: { put: new Map([['isLedgerTrusted', true]]) } }),
    });
    for (const [key, entry] of changed) {
      if (entry === null) known.delete(key);
      else known.set(key, entry);
    }
    if (closed !== undefined) newcomers.delete(closed);
  };
  return {
    entry: (uuid, automation) => known.get(ledgerKey(uuid, automation)),
    newcomer: (rowKey) => newcomers.get(rowKey),
    put: (changed, doneRequests = [], isTrusted = false) => write(changed, { doneRequests, isTrusted }),
    async intend(rowKey, newcomer) {
      await lease.commit({ outbox: { put: new Map([[rowKey, asStoredRecord(newcomer)]]) } });
      newcomers.set(rowKey, newcomer);
    },
    close: (rowKey, entry) => write(new Map(entry ? [entry] : []), { closed: rowKey }),
    async cancelled(uuid, automation, at, run) {
      const changed = new Map<string, LedgerEntry>();
      for (const [key, entry] of known) {
        const of = readLedgerKey(key);
        const isMeant = of.uuid === uuid && (automation === null || of.automation === automation);
        if (!isMeant || !mayBeIn(entry)) continue;
        const { refusedCancel: _refused, ...rest } = entry;
        changed.set(key, { ...rest, state: 'cancelling', at, run, calls: callsOf(entry) });
      }
      await write(changed);
    },
  };
}

function mayBeIn({ state }: LedgerEntry): boolean {
  return state === 'enrolled' || state === 'skipped' || state === 'unknown' || state === 'intended';
}
