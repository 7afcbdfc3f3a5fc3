// Makes the values that people type. Each names its person, its field and its number, so that no mix-up goes unseen.
import { type FieldName, headerOf, segment } from '../world/setting.ts';

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

/** The columns of text, of which a numeral names one by a digit. */
const isKey = (field: FieldName) => field === 'email' || field === 'network_id';
const textFields: readonly FieldName[] = (Object.keys(headerOf) as FieldName[]).filter((field) => !isKey(field));

/** Texts that a spreadsheet takes for a number with a format, or for a yes, where a person types them (V8). */
const numerals = [
  (code: Code) => `${numberOf(code)}%`,
  (code: Code) => `${numberOf(code).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}.50`,
  (code: Code) => `$${numberOf(code)}`,
  (code: Code) => `00${numberOf(code)}`,
  (code: Code) => `${yearOf(code)}-${twoDigits(monthOf(code))}-${twoDigits(dayOf(code))}`,
  (code: Code) => `${monthOf(code)}/${dayOf(code)}/${yearOf(code)}`,
  (code: Code) => `${yearOf(code)}-${twoDigits(monthOf(code))}-${twoDigits(dayOf(code))} ${timeOf(code)}`,
  timeOf,
  ({ count }: Code) => (count % 2 === 0 ? 'TRUE' : 'false'),
] as const;

interface Code {
  readonly person: number;
  readonly field: number;
  readonly count: number;
}

/** `oddity`: a thousandth. A time of day and a yes name nobody: no two people are told apart by them. */
export function numeralOf(person: string, field: FieldName, count: number, oddity: number): string {
  const code = { person: Number(person.slice(1)), field: textFields.indexOf(field), count };
  return numerals[Math.floor((oddity * numerals.length) / 1000)]!(code);
}

function numberOf({ person, field, count }: Code): string {
  return `7${twoDigits(person)}${field}${String(count).padStart(4, '0')}`;
}

/** No clock of a story shows such a year. */
function yearOf({ person, field }: Code): string {
  return `${field + 3}0${twoDigits(person)}`;
}

function monthOf({ count }: Code): number {
  return 1 + (Math.floor(count / 28) % 12);
}

function dayOf({ count }: Code): number {
  return 1 + (count % 28);
}

function timeOf({ person, count }: Code): string {
  return `${person % 24}:${twoDigits(Math.floor(count / 60) % 60)}:${twoDigits(count % 60)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const numeral =
  /(?<![\d,])7(?:\d{7}|\d,\d{3},\d{3})(?!\d)|(?<![\d-])[3-9]0\d\d-\d\d-\d\d(?!\d)|(?<![\d/])\d{1,2}\/\d{1,2}\/[3-9]0\d\d(?!\d)|(?<!\d)\d{1,2} [A-Z][a-z]{2} [3-9]0\d\d(?!\d)/;
const allNumerals = new RegExp(numeral.source, 'g');

/** One number or day has one token, in whatever format it is shown. */
function tokenOfNumeral(shown: string): string {
  if (/^7[\d,]+$/.test(shown)) return shown.replaceAll(',', '');
  const [, day, name, year] = /^(\d+) ([A-Z][a-z]{2}) (\d+)$/.exec(shown) ?? [];
  if (name !== undefined) return `${year}-${monthNames.indexOf(name) + 1}-${Number(day)}`;
  const [first, second, third] = shown.split(/[-/]/);
  return shown.includes('-')
    ? `${first}-${Number(second)}-${Number(third)}`
    : `${third}-${Number(first)}-${Number(second)}`;
}

function readNumeral(text: string): ReturnType<typeof readToken> {
  const found = numeral.exec(text)?.[0];
  if (found === undefined) return undefined;
  const token = tokenOfNumeral(found);
  const [person, field] = token.includes('-')
    ? [token.slice(2, 4), Number(token[0]) - 3]
    : [token.slice(1, 3), Number(token[3])];
  return { token, person: `p${Number(person)}`, field: textFields[field]! };
}

const tokens = /(p\d+)(?:\.([a-z_]+)\.\d+|-h-\d+|-\d+@(?:firm\.io|example\.com))/i;
const allTokens = new RegExp(tokens.source, 'gi');

/** The person, field and number in a text; undefined for a text that no person of the simulation typed. */
export function readToken(
  text: string,
): { readonly token: string; readonly person: string; readonly field: FieldName } | undefined {
  const found = tokens.exec(text);
  if (!found) return readNumeral(text);
  const token = found[0].toLowerCase();
  const named = found[2] === 'segment' ? segment : found[2];
  const field = (named ?? (token.includes('@') ? 'email' : 'network_id')) as FieldName;
  return { token, person: found[1]!.toLowerCase(), field };
}

export function tokensIn(text: string): readonly string[] {
  const numbers = (text.match(allNumerals) ?? []).map((shown) => tokenOfNumeral(shown));
  return [...(text.match(allTokens) ?? []).map((token) => token.toLowerCase()), ...numbers];
}

/** The comparable form of a text (V2), written without the program's code. */
export function normalOf(field: FieldName, text: string): string {
  const plain = text.normalize('NFC').replaceAll('\r\n', '\n').trim();
  if (field === 'email') return plain.toLowerCase();
  if (field === 'network_id') return readToken(plain)?.token ?? plain.toLowerCase();
  return plain;
}
