// Counts how full and how unique each match key is on both sides, and how many rows find a contact by it.
import type { CrmDescription, MatchKeySpec } from '../../crm/port.ts';
import type { Kind } from '../../sync/value/kinds.ts';
import { normalEmail, normalHandle, normalText } from '../../sync/value/same.ts';

/** A record of either side: field -> text. Blank fields are left out. */
export type FieldTexts = Readonly<Record<string, string>>;

export interface KeyCounts {
  readonly name: string;
  readonly rows: SideCounts;
  readonly contacts: SideCounts;
  /** Rows with a key that exactly one of the contacts has, and no other row. */
  readonly matched: number;
}

interface SideCounts {
  readonly all: number;
  readonly filled: number;
  /** Records whose key another record of the side has too. */
  readonly doubled: number;
}

/** In the order of the description, the strongest first: the keys whose fields are all mapped. */
export function countKeys(
  { matchKeys, fields }: Pick<CrmDescription, 'matchKeys' | 'fields'>,
  mapped: ReadonlySet<string>,
  rows: readonly FieldTexts[],
  contacts: readonly FieldTexts[],
): readonly KeyCounts[] {
  const kindOf = (field: string) => fields.get(field)?.kind ?? 'text';
  return matchKeys
    .filter(({ parts }) => Object.values(parts).every((group) => group.some((field) => mapped.has(field))))
    .map((key) => {
      const ofRows = keysOf(key, rows, kindOf);
      const ofContacts = keysOf(key, contacts, kindOf);
      const matched = [...ofRows.counts].filter(
        ([text, count]) => count === 1 && ofContacts.counts.get(text) === 1,
      ).length;
      return {
        name: key.name,
        rows: { all: rows.length, filled: ofRows.filled, doubled: ofRows.doubled },
        contacts: { all: contacts.length, filled: ofContacts.filled, doubled: ofContacts.doubled },
        matched,
      };
    });
}

/** The keys to begin with: one that is alone in its row, and of which at most one in ten is there twice. */
export function proposeKeys(counts: readonly KeyCounts[]): readonly string[] {
  const isFit = ({ name, rows: { filled, doubled } }: KeyCounts) =>
    !name.includes('+') && (filled === 0 || doubled <= filled / 10);
  return counts.filter(isFit).map(({ name }) => name);
}

function keysOf(key: MatchKeySpec, records: readonly FieldTexts[], kindOf: (field: string) => Kind) {
  const texts = records.flatMap((record) => keyText(key, record, kindOf) ?? []);
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const doubled = [...counts.values()].filter((count) => count > 1).reduce((sum, count) => sum + count, 0);
  return { counts, filled: texts.length, doubled };
}

/** Undefined: a part of the key is blank. */
function keyText({ parts }: MatchKeySpec, record: FieldTexts, kindOf: (field: string) => Kind): string | undefined {
  const texts = Object.values(parts).map((group) => {
    // A full name is also its parts (I2).
    const first = record[group[0] ?? ''];
    const found = first === undefined ? group.slice(1).flatMap((field) => record[field] ?? []) : [first];
    return normalValue(kindOf(group[0] ?? ''), found.join(' ')).toLowerCase();
  });
  return texts.some((text) => text === '') ? undefined : texts.join('\n');
}

/** The form in which two values of a kind are compared (V2). */
export function normalValue(kind: Kind, text: string): string {
  if (kind === 'email') return normalEmail(text);
  return kind === 'handle' ? normalHandle(text) : normalText(text);
}
