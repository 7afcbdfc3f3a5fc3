// A contact was deleted and entered again: its entries in the ledger are moved to the new uuid (I10, E1, E8).
import { callsOf, groupEntries, isDone, type Ledger, type LedgerEntry, ledgerKey } from '../record/ledger.ts';

/**
 * By `ledgerKey`; null: the entry has gone over. `relinks`: new uuid -> old uuid.
 *
 * It is the same person, so a wish that was cancelled stays cancelled, and one that waits keeps its place. What was done was
 * done with the old contact: whether the service still has the person in the automation is not known, so it is not done again
 * without a person (L8).
 */
export function carriedOver(
  ledger: Ledger,
  relinks: ReadonlyMap<string, string>,
): ReadonlyMap<string, LedgerEntry | null> {
  const carried = new Map<string, LedgerEntry | null>();
  if (relinks.size === 0) return carried;
  const byUuid = groupEntries(ledger);
  for (const [uuid, old] of relinks) {
    for (const { automation, entry } of byUuid.get(old) ?? []) {
      const key = ledgerKey(uuid, automation);
      // An earlier run died after the ledger was stored, and before the link was.
      if (ledger.entries.has(key)) continue;
      carried.set(key, goOn(entry));
      carried.set(ledgerKey(old, automation), null);
    }
  }
  return carried;
}

function goOn(entry: LedgerEntry): LedgerEntry {
  const kept = { ...entry, calls: callsOf(entry) };
  if (!isDone(entry) || entry.state === 'cancelling') return kept;
  const message = 'the contact was deleted and entered again since it was enrolled';
  return { ...kept, state: 'unknown', run: '', message };
}
