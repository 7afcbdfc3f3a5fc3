// By what a person is recognised when there is no ID: the match keys (I2), and which texts are no key at all (I8).
import type { Field, Mapping, MatchKey } from './mapping.ts';
import { isMemberId, normalEmail, normalHandle, normalText } from '../value/same.ts';
import type { Reading } from '../value/value.ts';

/** The normal form of one key of a record, or undefined if the record does not have it. */
type KeyReader = (values: readonly Reading[]) => string | undefined;

export interface Keys {
  /** In the order of the mapping. */
  readonly readers: readonly KeyReader[];
  /** All keys a record has; each says which one it is, so that texts of different keys never meet. */
  readonly of: (values: readonly Reading[]) => readonly string[];
  /** Positions of the fields that keys consist of. */
  readonly positions: ReadonlySet<number>;
  /** For people: `network_id, email or name with company_name`. */
  readonly text: string;
}

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
      return { positions, normal: kind === 'email' ? emailKey : kind === 'handle' ? normalHandle : nameKey };
    });
    return (values) => {
      const texts: string[] = [];
      for (const { positions, normal } of parts) {
        const words = positions.map((position) => values[position]);
        // One part of a name may be blank, but what is not readable might be anything.
        if (words.includes(undefined)) return undefined;
        const text = normal(words.filter((word) => word !== null).join(' '));
        if (!text) return undefined;
        texts.push(text);
      }
      return `${index}:${JSON.stringify(texts)}`;
    };
  }
}

/** What the service is asked to learn who has one key. */
export interface KeyLookup {
  /** The same for two spellings of one key (V2). */
  readonly id: string;
  readonly by: 'email' | 'network_id';
  /** As it is typed. */
  readonly value: string;
}

/** undefined: the value is no key (I8), or none by which the service finds anybody. */
export function keyLookupOf({ kind }: Pick<Field, 'kind'>, value: Reading): KeyLookup | undefined {
  if (typeof value !== 'string' || (kind !== 'email' && kind !== 'handle')) return undefined;
  const normal = kind === 'email' ? emailKey(value) : normalHandle(value);
  const by = kind === 'email' ? 'email' : 'network_id';
  return normal ? { id: `${by}:${normal}`, by, value: value.trim() } : undefined;
}

/** `name` is computed by the service from its parts (M8): where it is not mapped, the parts stand in. None: not mapped. */
function partPositions(part: string, positionByName: ReadonlyMap<string, number>): readonly number[] {
  const first = positionByName.get('first_name');
  const last = positionByName.get('last_name');
  if (part === 'name' && first !== undefined && last !== undefined) return [first, last];
  const position = positionByName.get(part);
  return position === undefined ? [] : [position];
}

function nameKey(text: string): string {
  return normalText(text).toLowerCase().replaceAll(/\s+/g, ' ');
}

/** RFC 2606 and 6761 keep these for examples; lists are full of them, and nobody is reached by one (I8). */
const placeholderDomain = /(?:^|\.)(?:example\.(?:com|net|org)|example|invalid|localhost)$/;

function emailKey(text: string): string | undefined {
  return isPlaceholderEmail(text) ? undefined : normalEmail(text);
}

/** A value that must not be sent where the service takes it for an identifier (I8). */
export function isNoKey({ kind }: Pick<Field, 'kind'>, value: Reading): boolean {
  return kind === 'email' && typeof value === 'string' && isPlaceholderEmail(value);
}

/**
 * A profile that was sent by a member id is answered by its handle, or by none (M8): the answer does not contradict it. Two
 * member ids are compared.
 */
export function isOtherName({ kind }: Pick<Field, 'kind'>, sent: Reading, answered: Reading): boolean {
  if (kind !== 'handle' || typeof sent !== 'string' || !isMemberId(sent)) return false;
  return typeof answered !== 'string' || !isMemberId(answered);
}

export function isPlaceholderEmail(text: string): boolean {
  const email = normalEmail(text);
  return placeholderDomain.test(email.slice(email.lastIndexOf('@') + 1));
}

/** Fields that are a key by themselves. A name, and a name with a company, is shared by many and taken from nobody. */
export function soleKeyNames({ match }: Mapping): readonly string[] {
  return match.flatMap(([name, ...more]) => (name !== undefined && more.length === 0 && name !== 'name' ? [name] : []));
}

export function compileSoleKeys(mapping: Mapping): Keys {
  return compileKeys({ ...mapping, match: soleKeyNames(mapping).map((name) => [name]) });
}
