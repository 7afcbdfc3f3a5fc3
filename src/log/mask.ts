// What must not stand in a line that leaves the process.
import type { Secret } from '../lib/secret.ts';

/** Shorter ones would tear holes into innocent words; nothing prints a secret on purpose. */
const maskedCharsMin = 6;

/** A function that takes every one of these secrets out of a text. */
export function createMask(secrets: readonly Secret[]): (text: string) => string {
  const worth = secrets.filter((secret) => secret.reveal().length >= maskedCharsMin);
  return (text) => worth.reduce((masked, secret) => secret.maskIn(masked), text);
}

/**
 * The words of a service may quote the address of the person they are about. Those of service accounts stay: an operator
 * has to know with whom to share a spreadsheet.
 */
export function hideAddresses(text: string): string {
  // Word by word, and in each by positions: one expression for the whole address would read each word once for every letter.
  return text.replaceAll(/[^\s"'<>(),;:]+/g, hideInWord);
}

function hideInWord(word: string): string {
  const end = endOfAddress(word);
  if (end === undefined) return word;
  const address = word.slice(0, end);
  return address.endsWith('.gserviceaccount.com') ? word : `[e-mail]${word.slice(end)}`;
}

/** Where the address that the word begins with ends: behind the letters and digits after its last dot. */
function endOfAddress(word: string): number | undefined {
  if (!word.includes('@')) return undefined;
  const isLetter = (index: number) => /^\w$/.test(word.charAt(index));
  let dot = word.lastIndexOf('.');
  while (dot >= 0 && !isLetter(dot + 1)) dot = dot === 0 ? -1 : word.lastIndexOf('.', dot - 1);
  // Something stands before the @, and something between it and the dot.
  if (dot < 3 || word.lastIndexOf('@', dot - 2) < 1) return undefined;
  let end = dot + 1;
  while (isLetter(end)) end += 1;
  return end;
}
