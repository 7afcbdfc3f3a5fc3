// Makes the values that people type. Each names its person, its field and its number, so that no mix-up goes unseen.
import { type FieldName, segment } from '../world/setting.ts';

/** Texts that are hard to carry; the token inside stays the same. */
const oddities: readonly ((token: string) => string)[] = [
  (token) => token,
  (token) => token,
  (token) => token,
  (token) => token,
  (token) => `=1+1&"${token}"`,
  (token) => `007-${token}`,
  (token) => `+33 ${token}`,
  (token) => `@${token}`,
  (token) => ` ${token} `,
  (token) => `👍 e\u0301 ${token}`,
  (token) => `${token}\nsecond line`,
  (token) => `'${token}`,
  (token) => `<b>${token}</b>`,
];

function tokenOf(person: string, field: FieldName, count: number): string {
  switch (field) {
    case 'email':
      return `${person}-${count}@firm.io`;
    case 'network_id':
      return `${person}-h-${count}`;
    case segment:
      return `${person}.segment.${count}`;
    default:
      return `${person}.${field}.${count}`;
  }
}

/** `oddity`: a thousandth. */
export function textOf(person: string, field: FieldName, count: number, oddity: number): string {
  const token = tokenOf(person, field, count);
  // A placeholder is a value like others, and identifies no person (I8).
  if (field === 'email' && oddity > 960) return token.replace('firm.io', 'example.com');
  if (field === 'email') return oddity > 850 ? token.toUpperCase().replace(person.toUpperCase(), person) : token;
  if (field === 'network_id') return oddity > 850 ? `https://network.test/in/${token}/?x=1` : token;
  return oddities[Math.floor((oddity * oddities.length) / 1000)]!(token);
}

const tokens = /(p\d+)(?:\.([a-z_]+)\.\d+|-h-\d+|-\d+@(?:firm\.io|example\.com))/i;
const allTokens = new RegExp(tokens.source, 'gi');

/** The person, field and number in a text; undefined for a text that no person of the simulation typed. */
export function readToken(
  text: string,
): { readonly token: string; readonly person: string; readonly field: FieldName } | undefined {
  const found = tokens.exec(text);
  if (!found) return undefined;
  const token = found[0].toLowerCase();
  const named = found[2] === 'segment' ? segment : found[2];
  const field = (named ?? (token.includes('@') ? 'email' : 'network_id')) as FieldName;
  return { token, person: found[1]!.toLowerCase(), field };
}

export function tokensIn(text: string): readonly string[] {
  return (text.match(allTokens) ?? []).map((token) => token.toLowerCase());
}

/** The comparable form of a text (V2), written without the program's code. */
export function normalOf(field: FieldName, text: string): string {
  const plain = text.normalize('NFC').replaceAll('\r\n', '\n').trim();
  if (field === 'email') return plain.toLowerCase();
  if (field === 'network_id') return readToken(plain)?.token ?? plain.toLowerCase();
  return plain;
}
