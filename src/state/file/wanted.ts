// Tells which records a look is for: from their bytes, before they are parsed, and by their terms.
import type { JsonObject, Terms, Wanted } from '../port.ts';
import { type RecordFilter, recordSeam } from './records.ts';
import type { Tables } from './tables.ts';

/** Without any record. */
export function asksForFacts({ keys = [], terms = [], words, counted = [] }: Wanted): boolean {
  return keys.length + terms.length + counted.length === 0 && words === undefined;
}

/** For pieces of a document: a key stands at the beginning of its line. Undefined: the bytes do not tell. */
export function recordFilter({ keys = [], terms = [], words, counted = [] }: Wanted): RecordFilter | undefined {
  if (counted.length > 0 || (terms.length > 0 && words === undefined)) return undefined;
  const hasKey = keyFilter(keys);
  return (bytes) => {
    if (hasKey(bytes)) return true;
    if (words === undefined || terms.length === 0) return false;
    const text = bytes.toString('utf8').normalize('NFC').toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

/** To look for each of a hundred keys in all bytes takes longer than to parse them. */
const needlesMax = 4;

/** Without a character that JSON escapes. */
const plainKey = /^[\w-]+$/;

function keyFilter(keys: readonly string[]): RecordFilter {
  const texts = keys.map((key) => `${JSON.stringify(key)}:`);
  if (keys.length <= needlesMax || !keys.every((key) => plainKey.test(key))) {
    const needles = texts.map((text) => Buffer.from(text));
    return (bytes) => needles.some((needle) => bytes.includes(needle));
  }
  const wanted = new Set(texts);
  return (bytes) => {
    for (let from = 0; from < bytes.length;) {
      const end = bytes.indexOf('":', from);
      if (end === -1) return false;
      if (wanted.has(bytes.toString('latin1', from, end + 2))) return true;
      const seam = bytes.indexOf(recordSeam, end);
      if (seam === -1) return false;
      from = seam + recordSeam.length;
    }
    return false;
  };
}

/** Of whole tables. */
export function countByTerms(tables: Tables, { counted = [] }: Wanted, terms: Terms): ReadonlyMap<string, number> {
  const counts = new Map(counted.map((text) => [text, 0]));
  if (counted.length === 0) return counts;
  const { facts } = tables;
  for (const name of ['links', 'ledger'] as const) {
    for (const [key, record] of tables[name] as ReadonlyMap<string, JsonObject>) {
      for (const term of new Set(terms.of(name, key, record, facts))) {
        for (const text of counted) if (term.startsWith(text)) counts.set(text, counts.get(text)! + 1);
      }
    }
  }
  return counts;
}
