// Writes texts of any kind so that PostgreSQL keeps them exactly, and indexes them whatever their length.
import { createHash } from 'node:crypto';
import type { Json } from '../port.ts';

/**
 * PostgreSQL refuses the character 0, and UTF-8 has no lone surrogates. Both are escaped, and so is the backslash. Texts that
 * begin alike do so escaped, too.
 */
export function escapeText(text: string): string {
  if (!needsEscape.test(text)) return text;
  return text.replaceAll(/\\|\0|\p{Cs}/gu, (found) => {
    if (found === '\\') return String.raw`\\`;
    return found === '\0' ? String.raw`\0` : String.raw`\u${found.charCodeAt(0).toString(16)}`;
  });
}

// With the flag u a pair of surrogates is one character, which is no surrogate.
const needsEscape = /\\|\0|\p{Cs}/u;

export function unescapeText(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(/\\(\\|0|u([\da-f]{4}))/g, (_found, kind: string, code: string | undefined) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return kind === '0' ? '\0' : '\\';
  });
}

/** An entry of a B-tree has at most 2,704 bytes; this many characters have at most 800. */
export const keyCharsMax = 200;

/**
 * The form in which a key is stored and looked up: escaped; of a long one, its beginning and a digest. `\#` stands in no
 * escaped text, so that no other key has that form.
 */
export function storedKey(key: string): string {
  const escaped = escapeText(key);
  if (escaped.length <= keyCharsMax) return escaped;
  return `${beginningOf(escaped)}\\#${createHash('sha256').update(escaped).digest('hex')}`;
}

/** At most `keyCharsMax` characters of an escaped text, and no half of a pair. */
export function beginningOf(escaped: string): string {
  return escaped.slice(0, keyCharsMax).replace(/[\uD800-\uDBFF]$/, '');
}

/** The whole key, escaped, where the stored one is not; else null. */
export function longKey(key: string): string | null {
  const escaped = escapeText(key);
  return escaped.length <= keyCharsMax ? null : escaped;
}

export function keyOf(stored: string, long: string | null): string {
  return unescapeText(long ?? stored);
}

/** After all that begins with a text. */
export const lastCharacter = '\u{10FFFF}';

/** The value of a column. JSON escapes what PostgreSQL refuses. Undefined: it is no JSON, because it was changed by hand. */
export function parseValue(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
