// Match keys, by which a person is recognised without an ID (I2), and texts that are no key (I8).
import type { Field, Mapping, MatchKey } from './mapping.ts';
import { isMemberId, normalEmail, normalHandle, normalText } from '../value/same.ts';
import type { Reading } from '../value/value.ts';

/** The normal form of one key of a record, or undefined if the record does not have it. */
type KeyReader = (values: readonly Reading[]) => string | undefined;

export interface Keys {
  /** In the order of the mapping. */
  readonly readers: readonly KeyReader[];
  /** All keys of a record. Each text says which key it is, so that texts of different keys are never equal. */
  readonly of: (values: readonly Reading[]) => readonly string[];
  /** Positions of the fields that are part of a key. */
  readonly positions: ReadonlySet<number>;
  /** For people: `network_id, email or name with company_name`. */
  readonly text: string;
}

/** Fields of what a person is called (M8). */
export const nameFields: ReadonlySet<string> = new Set(['name', 'first_name', 'last_name']);

export function compileKeys({ fields, match }: Mapping): Keys {
  const positionByName = new Map(fields.map(({ name }, index) => [name, index]));
  const usable = match.filter((key) => key.every((part) => partPositions(part, positionByName).length > 0));
  const readers = usable.map((key, index) => compileKey(key, index));
  return {
    readers,
    of: (values) => readers.flatMap((read) => read(values) ?? []),
    positions: new Set(usable.flat().flatMap((part) => partPositions(part, positionByName))),
    text: usable.map((key) => key.join(' with ')).join(', or ') || 'a match key',
  };

  function compileKey(key: MatchKey, index: number): KeyReader {
    const parts = key.map((part) => {
      const positions = partPositions(part, positionByName);
      const { kind } = fields[positions[0]!]!;
      return { positions, normal: kind === 'email' ? emailKey : kind === 'handle' ? handleKey : nameKey };
    });
    return (values) => {
      const texts: string[] = [];
      for (const { positions, normal } of parts) {
        const words = positions.map((position) => values[position]);
        // One part of a name may be blank. An unreadable part might be anything.
        if (words.includes(undefined)) return undefined;
        const text = normal(words.filter((word) => word !== null).join(' '));
        if (!text) return undefined;
        texts.push(text);
      }
      return `${index}:${JSON.stringify(texts)}`;
    };
  }
}

/** The question to the service which contact has one key. */
export interface KeyLookup {
  /** The same id for two spellings of one key (V2). */
  readonly id: string;
  readonly by: 'email' | 'network_id';
  /** As it stands in the cell or contact. */
  readonly value: string;
}

/** undefined: the value is no key (I8), or the service cannot find contacts by it. */
export function keyLookupOf({ kind }: Pick<Field, 'kind'>, value: Reading): KeyLookup | undefined {
  if (typeof value !== 'string' || (kind !== 'email' && kind !== 'handle')) return undefined;
  const normal = kind === 'email' ? emailKey(value) : handleKey(value);
  const by = kind === 'email' ? 'email' : 'network_id';
  return normal ? { id: `${by}:${normal}`, by, value: value.trim() } : undefined;
}

/**
 * The service computes `name` from its parts (M8). If it is not mapped, the parts stand in for it. An empty list: not
 * mapped.
 */
function partPositions(part: string, positionByName: ReadonlyMap<string, number>): readonly number[] {
  const first = positionByName.get('first_name');
  const last = positionByName.get('last_name');
  if (part === 'name' && first !== undefined && last !== undefined) return [first, last];
  const position = positionByName.get(part);
  return position === undefined ? [] : [position];
}

/** The same for names that differ in case and white space. */
export function nameKey(text: string): string {
  return normalText(text).toLowerCase().replaceAll(/\s+/g, ' ');
}

/**
 * RFC 2606 and 6761 reserve these domains for examples. Contact lists are full of them, and they reach no person (I8).
 */
const placeholderDomain = /(?:^|\.)(?:example\.(?:com|net|org)|example|invalid|localhost)$/;

function emailKey(text: string): string | undefined {
  return isPlaceholderEmail(text) || !isOneAddress(text) ? undefined : normalEmail(text);
}

function handleKey(text: string): string | undefined {
  return isProfile(text) ? normalHandle(text) : undefined;
}

/**
 * I8: whether the value identifies nobody, so that it must not be sent where the service takes it for an identifier. People
 * fill such cells with `-`, `n/a` or two addresses: by these, rows of several people would count as one person, and a row
 * would get the contact of another person.
 */
export function isNoKey({ kind }: Pick<Field, 'kind'>, value: Reading): boolean {
  if (typeof value !== 'string') return false;
  if (kind === 'email') return emailKey(value) === undefined;
  return kind === 'handle' && handleKey(value) === undefined;
}

/** A text in a field of addresses that is not one address. A placeholder is one. */
export function isNoAddress({ kind }: Pick<Field, 'kind'>, value: Reading): value is string {
  return (
    kind === 'email' && typeof value === 'string' && value !== '' && !isPlaceholderEmail(value) && !isOneAddress(value)
  );
}

/** For people: what follows the text of such a value. */
export function whyNoKey({ kind }: Pick<Field, 'kind'>, value: string): string {
  if (kind === 'handle') return 'names no profile';
  if (isPlaceholderEmail(value)) return 'is a placeholder address, which identifies no contact';
  // An address that was copied from a web page may begin or end with such a character.
  if (isOneAddress(value.replaceAll(/\p{Cf}/gu, ''))) return 'has a character that is not shown: type it anew';
  return 'is not one e-mail address';
}

/** Neither a word, two addresses, nor an address with a name or `mailto:` before it. */
function isOneAddress(text: string): boolean {
  return /^[^\s@,;:<>\p{Cf}]+@[^\s@,;:<>\p{Cf}]+$/u.test(normalEmail(text));
}

/**
 * Neither a sign, word or words for "none", a host alone, an address that ends before the handle, nor a company or a school.
 * Nor a public address of the old form, `/pub/ann-lee/1/2/3`: the network made another handle of it, and its last part is
 * the member id of somebody else.
 */
function isProfile(text: string): boolean {
  return /^(?=.*[\p{L}\p{N}])\S+$/u.test(normalHandle(text)) && !noProfile.test(normalText(text));
}

const noProfile =
  /^(?:n\/a|n\.a\.|na|none|null|unknown|(?:https?:\/\/|www\.)[^/]*\/*|(?:\w+\.)?linkedin\.com\/*|.*\/in\/*|.*\/(?:company|school)\/.*|.*\/pub\/[^/]+\/[^/?#].*)$/i;

/**
 * A profile that was sent by a member id is answered by its handle, or without one (M8). Such an answer does not
 * contradict what was sent. Two member ids are compared.
 */
export function isOtherName({ kind }: Pick<Field, 'kind'>, sent: Reading, answered: Reading): boolean {
  if (kind !== 'handle' || typeof sent !== 'string' || !isMemberId(sent)) return false;
  return typeof answered !== 'string' || !isMemberId(answered);
}

export function isPlaceholderEmail(text: string): boolean {
  const email = normalEmail(text);
  return placeholderDomain.test(email.slice(email.lastIndexOf('@') + 1));
}

/** Fields that are a key on their own. A name, alone or with a company, is none: many people share one. */
export function soleKeyNames({ match }: Mapping): readonly string[] {
  return match.flatMap(([name, ...more]) => (name !== undefined && more.length === 0 && name !== 'name' ? [name] : []));
}

export function compileSoleKeys(mapping: Mapping): Keys {
  return compileKeys({ ...mapping, match: soleKeyNames(mapping).map((name) => [name]) });
}
