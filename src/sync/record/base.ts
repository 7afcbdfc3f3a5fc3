// What the last runs left behind: the values both sides agreed on, and what is still open. Kept by `src/state`, which
// stores it as it is, record by record: plain JSON values only.
import { pack, type Packed, repack, unpack } from './record.ts';
import type { Reading, Side, Value } from '../value/value.ts';

export interface Base {
  /** Field names in the order of `Packed` values. */
  readonly fields: readonly string[];
  /** By uuid. */
  readonly links: ReadonlyMap<string, Link>;
  /** Rows that are nobody's contact yet, by `rowKey`. */
  readonly strays: ReadonlyMap<string, Stray>;
}

/** A contact and a row known to be the same person. */
export interface Link {
  /** What both sides were confirmed to hold (L3). Unknown where they never agreed. */
  readonly agreed: Packed;
  /** What each side held when last read, where that is not literally `agreed`. */
  readonly crm?: Packed;
  readonly sheet?: Packed;
  /** Something of it is not done or not agreed: it is looked at in every run, not only when it changes. */
  readonly isOpen?: true;
  /** `updated_at` of our last confirmed write, epoch milliseconds: an older answer is stale. */
  readonly writtenAt?: number;
  /**
   * `updated_at` as last read, epoch milliseconds, while something is open: a later run that did not read the contact
   * again still has to say which side is newer (M1).
   */
  readonly updatedAt?: number;
  /** What other rows with its ID held when a run last looked, in an order of their own (I4). Left out: there were none. */
  readonly copies?: readonly Packed[];
  /** Left out while both are there. */
  readonly standing?: Standing;
  /** Why it stands so, as far as there is more to say: every run says the same of it (W9). */
  readonly standsFor?: string;
  /** A write to the contact had no outcome that anybody saw: it is asked for by its uuid until it was read (W4). */
  readonly isUnsure?: true;
  /** Full scans in a row that did not show the contact (D3). */
  readonly missedScans?: number;
  /** Open business by field name. */
  readonly notes?: Readonly<Record<string, FieldNote>>;
  /** W5. Updates of this contact that the service refused. */
  readonly refusal?: Refusal;
  /**
   * G2. Writes that a run was let through to make and that are not confirmed, by field name: the value. The same write
   * counts towards no limit again (`counted.ts`).
   */
  readonly counted?: Readonly<Record<string, Value>>;
  /** W5. The same of other changes: `Refusal.sheet` has what the contact held, and of `set` what row and contact held. */
  readonly refusals?: Readonly<Partial<Record<RefusableOp, Refusal>>>;
}

/** `set`: cells that the spreadsheet refused, as in a protected range. */
export type RefusableOp = 'delete' | 'cancel' | 'set';

/**
 * `row-gone`: a person deleted the row, the contact stays (D1). `contact-gone`: the row stays and says so (D3).
 * `left`: the contact is in another list now, or the filter is no longer true of it (D4).
 */
export type Standing = 'row-gone' | 'contact-gone' | 'left';

export interface FieldNote {
  /** A sheet edit that is not sent yet: what it shows, and since when, on the service's clock (W10, M1). */
  readonly edit?: { readonly value: Value; readonly since: number };
  /** Since when both sides differ without a winner (M1). */
  readonly conflictSince?: number;
  /** Writes of this value that the service did not store (M6). */
  readonly notStored?: { readonly value: Value; readonly times: number };
  /** Left alone until a side shows something else (M6, M7). */
  readonly parked?: { readonly why: 'not-stored' | 'flips'; readonly crm: Reading; readonly sheet: Reading };
  /**
   * The key that the cell shows is another contact's, as was last found (I7): the service is asked again at the next full
   * scan, or when the cell or that contact changes.
   */
  readonly taken?: TakenKey;
  /**
   * A key that a run was passing on when it ended (I7): what the contact held before that call and after it. Whichever of
   * the two it shows is our own doing.
   */
  readonly passedOn?: readonly [Value, Value];
  /** The last two writes, oldest first: what they put in the place of what (M7). */
  readonly written?: readonly Written[];
}

export interface TakenKey {
  readonly value: Value;
  readonly uuid: string;
  /** For people: `in list Customers`. */
  readonly where: string;
}

export interface Written {
  readonly side: Side;
  readonly value: Value;
  readonly replaced: Value;
}

export interface Refusal {
  readonly message: string;
  readonly times: number;
  /** Not before this instant, epoch milliseconds; null: not by itself (quarantined). */
  readonly retryAt: number | null;
  /** What the sheet held: something else is a new try. */
  readonly sheet: Packed;
}

export interface Stray {
  /** When the row was first seen with these very contents, on the service's clock (W10). */
  readonly since: number;
  readonly refusal?: Refusal;
  /** The person the service answered for it, where that was somebody else (I3). */
  readonly mistakenFor?: string;
  /** By what that was seen: every run says the same of it (W9). */
  readonly mistake?: string;
  /** The automation it names: another one makes it wait to settle anew (W10). */
  readonly wish?: string;
  /** Creating and enrolling it in one call came to nothing: it is looked up, created and enrolled one after the other (E2). */
  readonly isApart?: true;
  /** A create went out and its outcome is unknown: look before trying again (W4). */
  readonly isUnknown?: true;
  /** G2. A run was let through to create it: neither that nor what completes it counts towards a limit again. */
  readonly isCounted?: true;
  /** What the service last said of it; asked again at the next full scan, or when the row changes. */
  readonly answered?:
    | { readonly kind: 'gone' }
    /** `uuid` is left out by older states. */
    | { readonly kind: 'elsewhere'; readonly where: string; readonly uuid?: string };
}

/** What a side was last seen to hold. */
export function lastSeen(link: Link, side: Side): Packed {
  return link[side] ?? link.agreed;
}

/**
 * L3, W4: of `sent`, by field name, nobody saw what came. The contact holds what it held, or what was sent: until it is
 * read nothing follows from either. `passedOn`: those of them that are keys which changed hands, as in `FieldNote` (I7).
 * `fields`: as in `Base`.
 */
export function withUnknownOutcome(
  link: Link,
  fields: readonly string[],
  sent: ReadonlySet<string>,
  passedOn: ReadonlyMap<string, NonNullable<FieldNote['passedOn']>> = new Map(),
): Link {
  const { crm: _crm, ...rest } = link;
  const values = unpack(lastSeen(link, 'crm'));
  const crm = pack(values.map((value, index) => (sent.has(fields[index]!) ? undefined : value)));
  const notes: Record<string, FieldNote> = { ...link.notes };
  for (const [name, value] of passedOn) notes[name] = { ...notes[name], passedOn: value };
  return {
    ...rest,
    ...(crm !== link.agreed && { crm }),
    ...(passedOn.size > 0 && { notes }),
    isOpen: true,
    isUnsure: true,
  };
}

/** Rows without an ID are known by what they hold: they have nothing else that stays. */
export function rowKey({ values }: { readonly values: Packed }): string {
  return values;
}

/** Rows whose ID nobody knows are known by it. */
export function unknownIdKey(id: string): string {
  return `id ${id}`;
}

/** M9: the base for another list of fields. */
export function adaptBase(base: Base, fields: readonly string[]): Base {
  if (base.fields.length === fields.length && base.fields.every((name, index) => name === fields[index])) return base;
  const adapt = (packed: Packed) => repack(packed, base.fields, fields);
  const links = [...base.links].map(([uuid, link]): [string, Link] => {
    const kept = Object.entries(link.notes ?? {}).filter(([name]) => fields.includes(name));
    const { notes: _notes, crm, sheet, copies, ...rest } = link;
    return [
      uuid,
      {
        ...rest,
        agreed: adapt(link.agreed),
        ...(crm !== undefined && { crm: adapt(crm) }),
        ...(sheet !== undefined && { sheet: adapt(sheet) }),
        ...(copies && { copies: copies.map(adapt) }),
        ...(kept.length > 0 && { notes: Object.fromEntries(kept) }),
      },
    ];
  });
  return { fields, links: new Map(links), strays: new Map() };
}
