// Sentences that came into a row with the copy of another one prove nothing once the row has an ID of its own (E6).
import type { PlanInput } from '../input.ts';
import { isDone, namesOf, readLedgerKey } from '../record/ledger.ts';
import type { RowRecord } from '../record/record.ts';
import { lastingSentences, resultText, sentencesIn, type WishResult } from './wish-result.ts';

/**
 * Of rows that have no ID of their contact yet: takes out what the ledger has of other contacts alone. Once the row has its ID,
 * the same sentence would be proof that this contact was enrolled, and that the state is older than the sheet (S3). The
 * sentence would stay where the cell of wishes is blank, where the wish settles and where no automation was read.
 *
 * A sentence that the ledger has of nobody is the contact's or came with a copy, and nothing tells which: it says from then on that the
 * outcome is unknown, so that a person is asked once the cell names that automation.
 * `uuid`: undefined of a new row.
 */
export function dropCopiedResults(
  { ledger, mapping, automations = [] }: Pick<PlanInput, 'ledger' | 'mapping' | 'automations'>,
  rows: readonly { readonly uuid?: string; readonly row: RowRecord }[],
  results: Map<number, WishResult[]>,
): void {
  const copies = rows.filter(({ uuid, row }) => row.id !== uuid && row.wishResult);
  if (copies.length === 0 || !mapping.enrolment || !ledger.isTrusted) return;
  const uuidsBySentence = indexSentences({ ledger, automations });
  for (const { uuid, row } of copies) {
    const told = results.get(row.number) ?? sentencesIn(row.wishResult!).map((text) => ({ automation: null, text }));
    const left = new Map<string, WishResult>();
    for (const each of told) {
      const uuids = each.automation === null ? uuidsBySentence.get(each.text) : undefined;
      const text = each.automation !== null || uuids ? each.text : withoutProof(each.text);
      // The ledger has it of other contacts alone.
      if (uuids && !uuids.has(uuid)) continue;
      if (!left.has(text)) left.set(text, { ...each, text });
    }
    const isAsBefore = left.size === told.length && told.every(({ text }) => left.has(text));
    if (!isAsBefore) results.set(row.number, [...left.values()]);
  }
}

function withoutProof(text: string): string {
  const [said] = lastingSentences(text);
  return said ? resultText({ state: 'unknown', at: 0, run: '' }, said.name) : text;
}

/** The uuids of the contacts by what their rows were told of a call. */
function indexSentences({
  ledger,
  automations,
}: Required<Pick<PlanInput, 'ledger' | 'automations'>>): ReadonlyMap<string, ReadonlySet<string | undefined>> {
  const nameByUuid = new Map(automations.map(({ uuid, name }) => [uuid, name]));
  const index = new Map<string, Set<string | undefined>>();
  for (const [key, entry] of ledger.entries) {
    if (!isDone(entry)) continue;
    const { uuid, automation } = readLedgerKey(key);
    const texts = [...namesOf({ automation, entry }, nameByUuid)].flatMap((name) => [
      resultText({ ...entry, state: 'enrolled' }, name),
      resultText(entry, name),
    ]);
    for (const text of new Set(texts)) {
      index.set(text, (index.get(text) ?? new Set()).add(uuid));
    }
  }
  return index;
}
