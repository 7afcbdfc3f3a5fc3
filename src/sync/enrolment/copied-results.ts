// Sentences that came into a row with the copy of another one leave it before the row gets an ID of its own (E6).
import type { PlanInput } from '../input.ts';
import { isDone, type Ledger, readLedgerKey } from '../record/ledger.ts';
import type { RowRecord } from '../record/record.ts';
import { resultText, type WishResult } from './wish-result.ts';

/**
 * Of rows that have no ID of their contact yet: takes out what the ledger has of other contacts alone. Once the row has its ID,
 * the same sentence would be proof that this contact was enrolled, and that the state is older than the sheet (S3). The
 * sentence would stay where the cell of wishes is blank, where the wish settles and where no automation was read.
 * `uuid`: undefined of a new row.
 */
export function dropCopiedResults(
  { ledger, mapping }: Pick<PlanInput, 'ledger' | 'mapping'>,
  rows: readonly { readonly uuid?: string; readonly row: RowRecord }[],
  results: Map<number, WishResult[]>,
): void {
  const copies = rows.filter(({ uuid, row }) => row.id !== uuid && row.wishResult);
  if (copies.length === 0 || !mapping.enrolment || !ledger.isTrusted) return;
  const uuidsBySentence = indexSentences(ledger);
  for (const { uuid, row } of copies) {
    const isCopied = ({ automation, text }: WishResult) => {
      const uuids = automation === null ? uuidsBySentence.get(text) : undefined;
      return uuids !== undefined && !uuids.has(uuid);
    };
    const told = results.get(row.number) ?? row.wishResult!.split('; ').map((text) => ({ automation: null, text }));
    if (told.some(isCopied)) {
      results.set(
        row.number,
        told.filter((each) => !isCopied(each)),
      );
    }
  }
}

/** The uuids of the contacts by what their rows were told of a call. */
function indexSentences({ entries }: Ledger): ReadonlyMap<string, ReadonlySet<string | undefined>> {
  const index = new Map<string, Set<string | undefined>>();
  for (const [key, entry] of entries) {
    const { name } = entry;
    if (name === undefined || !isDone(entry)) continue;
    const { uuid } = readLedgerKey(key);
    for (const text of new Set([resultText({ ...entry, state: 'enrolled' }, name), resultText(entry, name)])) {
      index.set(text, (index.get(text) ?? new Set()).add(uuid));
    }
  }
  return index;
}
