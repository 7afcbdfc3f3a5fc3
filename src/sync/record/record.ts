// Contacts and rows as they are kept by the hundred thousand: one string each. Comparing two strings tells whether
// anything changed; only changed records are unpacked.
import type { Reading } from '../value/value.ts';

/**
 * The values of one record in the order of the mapping's fields, as JSON text. Unknown is `{}`. Only `pack` makes one.
 */
export type Packed = string & { readonly packed: unique symbol };

const unknownInJson = {};

/**
 * `known`: what the record probably still holds. If the values are equal, `known` itself is returned, so that memory
 * holds it once.
 */
export function pack(values: readonly Reading[], known?: Packed): Packed {
  if (known !== undefined && isPackedAs(values, known)) return known;
  const isWhole = !values.includes(undefined);
  const told = isWhole ? values : values.map((value) => (value === undefined ? unknownInJson : value));
  const packed = JSON.stringify(told) as Packed;
  return packed === known ? known : packed;
}

/**
 * Compares without building the text: most records are unchanged. False also if `known` has an escape, where this
 * comparison is not enough. Without an escape a value with quotes cannot pass for several values: `known` would then have
 * more values than there are fields.
 */
function isPackedAs(values: readonly Reading[], known: Packed): boolean {
  if (known.includes('\\')) return false;
  let at = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (known[at] !== (index === 0 ? '[' : ',')) return false;
    at += 1;
    if (typeof value === 'string') {
      if (known[at] !== '"' || !known.startsWith(value, at + 1)) return false;
      at += value.length + 2;
      if (known[at - 1] !== '"') return false;
    } else {
      const text = value === undefined ? '{}' : String(value);
      if (!known.startsWith(text, at)) return false;
      at += text.length;
    }
  }
  return at === known.length - 1;
}

export function unpack(packed: Packed): Reading[] {
  const values = JSON.parse(packed) as (Reading | object)[];
  return values.map((value) => (typeof value === 'object' && value !== null ? undefined : value));
}

/** A contact in scope, as it was read. */
export interface ContactRecord {
  readonly uuid: string;
  readonly values: Packed;
  /** `updated_at` in epoch milliseconds, if the service gave it. */
  readonly updatedAt?: number;
}

/** A row of the tab, as it was read. */
export interface RowRecord {
  /** 1-based, at the time of reading. For people, and to tell which of two rows is the upper one. */
  readonly number: number;
  /** Text of the ID cell; '' if blank. */
  readonly id: string;
  readonly values: Packed;
  /** Cells that could not be read: field name -> what the cell shows (V4). */
  readonly unreadable?: Readonly<Record<string, string>>;
  /** Names of those fields whose cell is covered by merged ones (V3). */
  readonly covered?: readonly string[];
  /** Names of fields whose cell holds a formula (V5). */
  readonly formulas?: readonly string[];
  /** V3: nobody typed anything into it: it has no ID and no wish, and its cells are blank, formulas or unticked boxes. */
  readonly isBare?: true;
  /** Text of the automation cell, if there is such a column (E1). */
  readonly wish?: string;
  /** Text of the result column. It survives a lost state (E6). */
  readonly wishResult?: string;
}

/** M9: the values in another order of fields. A new field is unknown; a removed field is dropped. */
export function repack(packed: Packed, from: readonly string[], to: readonly string[]): Packed {
  const values = unpack(packed);
  return pack(to.map((name) => (from.includes(name) ? values[from.indexOf(name)] : undefined)));
}
