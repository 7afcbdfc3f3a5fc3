import { closest, distance } from 'fastest-levenshtein';

/** The known word that a misspelt one was most likely meant to be; undefined where none is near. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const nearest = closest(word, known);
  const edits = distance(word, nearest);
  // Two short words are near by count and still have no letter in common.
  return edits <= Math.max(3, word.length / 2) && edits < Math.max(word.length, nearest.length) ? nearest : undefined;
}
