// Masks secrets and e-mail addresses in lines that leave the process.
import type { Secret } from '../lib/secret.ts';

/** Masking a shorter secret would mask parts of ordinary words; no code prints a secret on purpose. */
const maskedCharsMin = 6;

/** A function that masks each of these secrets in a text, also those that the list gets later. */
export function createMask(secrets: readonly Secret[]): (text: string) => string {
  return (text) =>
    secrets.reduce(
      (masked, secret) => (secret.reveal().length >= maskedCharsMin ? secret.maskIn(masked) : masked),
      text,
    );
}

/**
 * The service may quote the address of a contact. Addresses of service accounts stay: an operator has to share a
 * spreadsheet with them.
 */
export function hideAddresses(text: string): string {
  // Word by word, and in each by positions: an expression for the whole address would read each word once for every
  // letter.
  return text.replaceAll(/[^\s"'<>(),;:]+/g, hideInWord);
}

function hideInWord(word: string): string {
  const end = endOfAddress(word);
  if (end === undefined) return word;
  const address = word.slice(0, end);
  return address.endsWith('.gserviceaccount.com') ? word : `[e-mail]${word.slice(end)}`;
}

/** The end of the address at the beginning of the word: after the letters and digits behind its last dot. */
function endOfAddress(word: string): number | undefined {
  if (!word.includes('@')) return undefined;
  const isLetter = (index: number) => /^\w$/.test(word.charAt(index));
  let dot = word.lastIndexOf('.');
  while (dot >= 0 && !isLetter(dot + 1)) dot = dot === 0 ? -1 : word.lastIndexOf('.', dot - 1);
  // A character is before the @, and another one between it and the dot.
  if (dot < 3 || word.lastIndexOf('@', dot - 2) < 1) return undefined;
  let end = dot + 1;
  while (isLetter(end)) end += 1;
  return end;
}
