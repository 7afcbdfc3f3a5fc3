// Suggests known words near to a misspelt one.
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

/** The known words, the nearest to `word` first; equally near ones keep their order. */
export function nearestFirst(word: string, known: readonly string[]): readonly string[] {
  const edits = new Map(known.map((each) => [each, distance(plainText(word), plainText(each))]));
  return known.toSorted((a, b) => edits.get(a)! - edits.get(b)!);
}

/** In a shorter text, one other letter makes another word: Role, Rule. */
const slipCharsMin = 5;
/** In a text of this length, two slips are still a typing error. */
const twoSlipsCharsMin = 10;

/**
 * Whether two texts are most likely one name written in two ways: case, spaces, accents and signs do not count, and a
 * long text may have a slip of the finger. Texts with different numbers are two names.
 */
export function isSlipOf(one: string, other: string): boolean {
  const [a, b] = [plainText(one), plainText(other)];
  if (a === b) return a !== '';
  if (digitsOf(a) !== digitsOf(b)) return false;
  const length = Math.max(a.length, b.length);
  const edits = distance(a, b);
  const isSwap = edits === 2 && lettersOf(a) === lettersOf(b);
  return length >= slipCharsMin && (edits <= 1 || isSwap || (length >= twoSlipsCharsMin && edits <= 2));
}

/** Letters and digits alone, without case and accents. */
function plainText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function digitsOf(text: string): string {
  return text.replaceAll(/\P{N}/gu, '');
}

function lettersOf(text: string): string {
  return Array.from(text).toSorted().join('');
}
