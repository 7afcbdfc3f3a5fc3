// Single plans over records whose three values are drawn freely. Which row is whose is plain; the fields are not.
import { type Arbitrary, array, boolean, constantFrom, record, tuple } from 'fast-check';
import type { Link } from '../../../src/sync/record/base.ts';
import { noAnswers, noRequests, type PlanInput } from '../../../src/sync/input.ts';
import type { BlankPolicy, ConflictPolicy, Direction, Field, Mapping } from '../../../src/sync/record/mapping.ts';
import { type ContactRecord, pack, type RowRecord } from '../../../src/sync/record/record.ts';
import type { Reading, Value } from '../../../src/sync/value/value.ts';

export interface FreeField {
  readonly direction: Direction;
  readonly conflict: ConflictPolicy;
  readonly blank: BlankPolicy;
}

/** One person: any values on each side, and in the base if both sides ever agreed. */
export interface FreeRecord {
  readonly presence: 'linked' | 'crm' | 'sheet';
  readonly base: readonly Reading[];
  readonly crm: readonly Value[];
  readonly sheet: readonly Value[];
}

export interface FreePlan {
  readonly fields: readonly FreeField[];
  readonly records: readonly FreeRecord[];
}

const fieldsCount = 3;
const value = constantFrom<Value>(null, 'p', 'q', ' p', 'P');
const baseValue = constantFrom<Reading>(undefined, null, 'p', 'q');
const three = <Item>(item: Arbitrary<Item>) => tuple(item, item, item);

const freeRecord: Arbitrary<FreeRecord> = record({
  presence: constantFrom('linked', 'linked', 'linked', 'crm', 'sheet'),
  base: three(baseValue),
  crm: three(value),
  sheet: three(value),
});

const freePlanOf = (direction: Arbitrary<Direction>, conflict: Arbitrary<ConflictPolicy>): Arbitrary<FreePlan> =>
  record({
    fields: three(record({ direction, conflict, blank: constantFrom<BlankPolicy>('sync', 'ignore') })),
    records: array(freeRecord, { minLength: 1, maxLength: 4 }),
  });

export const anyFreePlan = freePlanOf(
  constantFrom<Direction>('both', 'both', 'to_sheet', 'to_crm'),
  constantFrom<ConflictPolicy>('manual', 'crm', 'sheet'),
);
/** Nothing in it tells the sides apart except the declared winner. */
export const symmetricFreePlan = freePlanOf(
  constantFrom<Direction>('both'),
  constantFrom<ConflictPolicy>('manual', 'crm', 'sheet'),
);

export const anyShuffle = record({ isReversed: boolean(), turn: constantFrom(0, 1, 2, 3) });
export type Shuffle = typeof anyShuffle extends Arbitrary<infer Item> ? Item : never;

export function shuffled<Item>(items: readonly Item[], { isReversed, turn }: Shuffle): Item[] {
  const turned = [...items.slice(turn), ...items.slice(0, turn)];
  return isReversed ? turned.toReversed() : turned;
}

export const uuidOf = (index: number) => `00000000-0000-4000-8000-00000000000${index + 1}`;
/** Position of the first free field. The key stands before it and is not edited. */
export const firstFree = 1;

export function inputOf({ fields, records }: FreePlan): PlanInput {
  const mapping = freeMapping(fields);
  const contacts: ContactRecord[] = [];
  const rows: RowRecord[] = [];
  const links = new Map<string, Link>();
  const lookups = new Map<string, { readonly kind: 'gone' }>();
  for (const [index, { presence, base, crm, sheet }] of records.entries()) {
    const [uuid, key] = [uuidOf(index), `key${index}`];
    const answered = crm.map((each, at) => (fields[at]!.direction === 'to_crm' ? undefined : each));
    const row = { number: index + 2, id: presence === 'linked' ? uuid : '', values: pack([key, ...sheet]) };
    if (presence !== 'sheet') contacts.push({ uuid, values: pack([key, ...answered]), updatedAt: 1000 });
    if (presence !== 'crm') rows.push(row);
    if (presence === 'sheet') lookups.set(row.values, { kind: 'gone' });
    // A linked person whose link is open is planned whatever was last seen.
    if (presence === 'linked') links.set(uuid, { agreed: pack([key, ...base]), isOpen: true });
  }
  const identity = { crm: 'list', sheet: 'tab' };
  return {
    mapping,
    base: { fields: mapping.fields.map(({ name }) => name), links, strays: new Map() },
    identities: { known: identity, now: identity },
    crm: { contacts, coverage: 'whole', isDrifted: false, scope: 'list L' },
    sheet: { rows, doubled: [], missing: [] },
    answers: { ...noAnswers, lookups },
    requests: noRequests,
    ledger: { entries: new Map(), isTrusted: true },
    now: 5_000_000,
    waitsToSettle: false,
  };
}

function freeMapping(free: readonly FreeField[]): Mapping {
  const key: Field = {
    name: 'network_id',
    header: 'Profile',
    kind: 'handle',
    direction: 'both',
    conflict: 'manual',
    blank: 'sync',
  };
  const plenty = { count: 1e6 };
  return {
    fields: [
      key,
      ...free
        .slice(0, fieldsCount)
        .map((each, index): Field => ({ ...each, name: `f${index}`, header: `F${index}`, kind: 'text' })),
    ],
    match: [['network_id']],
    moveToList: false,
    onRowDeleted: 'ignore',
    onContactDeleted: 'mark',
    limits: { deletes: plenty, changes: plenty, blanks: plenty, creates: plenty },
    settleMs: 10_000,
    newestMarginMs: 60_000,
  };
}

const mirroredPolicy = { manual: 'manual', newest: 'newest', crm: 'sheet', sheet: 'crm' } as const;

export function mirrored({ fields, records }: FreePlan): FreePlan {
  const mirroredPresence = { linked: 'linked', crm: 'sheet', sheet: 'crm' } as const;
  return {
    fields: fields.map((field) => ({ ...field, conflict: mirroredPolicy[field.conflict] })),
    records: records.map(({ presence, base, crm, sheet }) => ({
      presence: mirroredPresence[presence],
      base,
      crm: sheet,
      sheet: crm,
    })),
  };
}
