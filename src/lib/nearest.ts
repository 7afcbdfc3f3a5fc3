import { closest, distance } from 'fastest-levenshtein';

/** Shorter, and it is in too many words to mean one. */
const partCharsMin = 3;

/** The known word that a misspelt or shortened one was most likely meant to be; undefined where none is near. */
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
  // Two short words are near by count and still have no letter in common.
  return edits <= Math.max(3, word.length / 2) && edits < Math.max(word.length, nearest.length) ? nearest : undefined;
}

/** ", did you mean X?" where a known word is near enough, else nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const nearest = nearestWord(word, known);
  return nearest === undefined ? '' : `, did you mean ${nearest}?`;
}
