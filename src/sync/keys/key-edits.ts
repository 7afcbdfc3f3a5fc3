// The keys that updates take and give up. A key is an e-mail address or a handle, which identifies a contact without an
// ID (I7).
import type { Change } from '../change.ts';
import { type KeyLookup, keyLookupOf, type Keys } from '../record/keys.ts';
import type { Mapping } from '../record/mapping.ts';
import type { Reading } from '../value/value.ts';

export type Update = Extract<Change, { op: 'update' }>;

/** A key that a contact takes. */
export interface TakenField {
  readonly uuid: string;
  readonly field: string;
  readonly value: Reading;
  /** As `Keys.of` returns it. */
  readonly key: string;
  /** undefined: the service cannot be asked for this key. */
  readonly lookup: KeyLookup | undefined;
}

export interface KeyEdit {
  readonly update: Update;
  readonly takes: readonly TakenField[];
  readonly gives: readonly { readonly field: string; readonly key: string }[];
}

/** `before`: what the contact held, in the order of the mapping. */
export function keyEdit(update: Update, { fields }: Mapping, keys: Keys, before: readonly Reading[]): KeyEdit {
  const uuid = update.uuid!;
  const edited = update.fields.flatMap(({ field, after }) => {
    const index = fields.findIndex(({ name }) => name === field);
    if (!keys.positions.has(index)) return [];
    const keyOf = (value: Reading) => keys.of(fields.map((_field, at) => (at === index ? value : null)))[0];
    return [{ field, value: after, had: keyOf(before[index]), has: keyOf(after), of: fields[index]! }];
  });
  return {
    update,
    takes: edited.flatMap(({ field, value, had, has, of }) =>
      has === undefined || has === had ? [] : [{ uuid, field, value, key: has, lookup: keyLookupOf(of, value) }],
    ),
    gives: edited.flatMap(({ field, had, has }) => (had === undefined || has === had ? [] : [{ field, key: had }])),
  };
}
