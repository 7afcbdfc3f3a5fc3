// Tells from its bytes whether a stored record may be one that is looked for, before it is parsed.
import type { WantedLinks } from '../port.ts';
import type { RecordFilter } from './records.ts';

/** For pieces of a document: a key stands at the beginning of its line. */
export function recordFilter(wanted: WantedLinks): RecordFilter {
  if ('key' in wanted) {
    const needle = Buffer.from(`${JSON.stringify(wanted.key)}:`);
    return (bytes) => bytes.includes(needle);
  }
  const { words } = wanted;
  return (bytes) => {
    const text = bytes.toString('utf8').normalize('NFC').toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
