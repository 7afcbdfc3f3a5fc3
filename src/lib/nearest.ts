// Suggests the known word nearest to a misspelt one.
import { closest, distance } from 'fastest-levenshtein';

/** A shorter text occurs in too many words to mean one. */
const partCharsMin = 3;

/** The known word that a misspelt or shortened one most likely means; undefined: none is near. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  return nearestSpelling(word, known) ?? onlyWithPart(word, known);
}

function onlyWithPart(word: string, known: readonly string[]): string | undefined {
  const part = word.trim().toLowerCase();
  const having = part.length < partCharsMin ? [] : known.filter((each) => each.toLowerCase().includes(part));
  return having.length === 1 ? having[0] : undefined;
}

function nearestSpelling(word: string, known: readonly string[]): string | undefined {
  const nearest = closest(word, known);
  const edits = distance(word, nearest);
  // Two short words can have a small distance and no common letter.
  return edits <= Math.max(3, word.length / 2) && edits < Math.max(word.length, nearest.length) ? nearest : undefined;
}

/** ", did you mean X?" if a known word is near enough, else nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const nearest = nearestWord(word, known);
  return nearest === undefined ? '' : `, did you mean ${nearest}?`;
}
