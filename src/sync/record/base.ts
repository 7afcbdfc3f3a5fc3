// The records that earlier runs stored: the values both sides agreed on, and what is still open. Plain JSON values, because
// `src/state` stores each record as it is.
import { pack, type Packed, repack, unpack } from './record.ts';
import type { Reading, Side, Value } from '../value/value.ts';

export interface Base {
  /** Field names in the order of `Packed` values. */
  readonly fields: readonly string[];
  /** By uuid. */
  readonly links: ReadonlyMap<string, Link>;
  /** Rows that have no contact yet, by `rowKey`. */
  readonly strays: ReadonlyMap<string, Stray>;
  /**
   * By uuid: contacts that a call of an earlier run made, of which this run is the first that knows the uuid, and what their row held
   * then (M4). Not stored. Left out or empty: there is none.
   */
  readonly madeOf?: ReadonlyMap<string, Packed>;
  /**
   * By uuid: what rows of contacts that have no link were given when an earlier run appended them, of which nobody saw the end. Not
   * stored. Left out or empty: there is none.
   */
  readonly appendedOf?: ReadonlyMap<string, Packed>;
}

/** A contact and a row known to be the same person. */
export interface Link {
  /** The values that both sides were confirmed to hold (L3). Unknown if they never agreed. */
  readonly agreed: Packed;
  /** The values that each side held when last read, if they are not literally `agreed`. */
  readonly crm?: Packed;
  readonly sheet?: Packed;
  /** A change is not done or a field not agreed: every run looks at the link, even if neither side changed. */
  readonly isOpen?: true;
  /** `updated_at` of our last confirmed write, epoch milliseconds. An answer with an older instant is stale. */
  readonly writtenAt?: number;
  /**
   * `updated_at` of the contact as a lookup showed it last, epoch milliseconds. A search that gives an older instant lags
   * (`isBeforeShown`). Left out: no lookup showed it while the search could lag; older states leave it out, too.
   */
  readonly shownAt?: number;
  /**
   * `updated_at` as last read, epoch milliseconds, while the link is open. A later run that does not read the contact
   * needs it to tell which side is newer (M1).
   */
  readonly updatedAt?: number;
  /**
   * The values of other rows with this ID when a run last looked, sorted (I4); or of its own row, while that shows somebody else (I2).
   * Left out: there was no such row.
   */
  readonly copies?: readonly Packed[];
  /** Left out while contact and row are both there. */
  readonly standing?: Standing;
  /** More words about `standing`, so that every run gives the same reason (W9). */
  readonly standsFor?: string;
  /**
   * What the ID cell of its row holds, as long as the contact's uuid is not confirmed to stand there: `''`, or the uuid of
   * the contact whose link it continues (I10). Left out: the uuid.
   */
  readonly rowId?: string;
  /**
   * D4: the contact came back into scope while some ID was in doubt or a row undecided, and had no row. It had left before its row was missing, so
   * nobody deleted the row of a contact that was in scope: it gets a row once no ID is in doubt.
   */
  readonly isBack?: true;
  /**
   * Of `contact-gone`: it was found gone while its row could not be told from a copy. What is done about the row was not decided
   * then (I4, D3).
   */
  readonly isUndecided?: true;
  /** The outcome of a write to the contact is unknown: runs ask for the contact by its uuid until it is read (W4). */
  readonly isUnsure?: true;
  /** Consecutive full scans that did not show the contact (D3). */
  readonly missedScans?: number;
  /** Open matters of fields, by field name. */
  readonly notes?: Readonly<Record<string, FieldNote>>;
  /** W5: the service refused updates of this contact. */
  readonly refusal?: Refusal;
  /**
   * G2: values that an earlier run was allowed to write and that are not confirmed, by field name. The same write counts
   * towards no limit again (`counted.ts`).
   */
  readonly counted?: Readonly<Record<string, Value>>;
  /**
   * W5: refusals of other changes. `Refusal.sheet` holds the values of the contact; for `set`, those of row and contact.
   */
  readonly refusals?: Readonly<Partial<Record<RefusableOp, Refusal>>>;
}

/** `set`: the spreadsheet refused to take cells, for example in a protected range. */
export type RefusableOp = 'delete' | 'cancel' | 'set';

/**
 * `row-gone`: a person deleted the row, the contact stays (D1). `contact-gone`: the contact was deleted, the row stays
 * and says so (D3). `left`: the contact is in another list, or the filter excludes it (D4).
 */
export type Standing = 'row-gone' | 'contact-gone' | 'left';

export interface FieldNote {
  /** An edit in the sheet that is not sent yet: its value, and since when, on the service's clock (W10, M1). */
  readonly edit?: { readonly value: Value; readonly since: number };
  /** Since when both sides differ and no side wins (M1). */
  readonly conflictSince?: number;
  /** How often the service did not store this value (M6). */
  readonly notStored?: { readonly value: Value; readonly times: number };
  /** The field is left alone until a side shows another value (M6, M7). */
  readonly parked?: { readonly why: 'not-stored' | 'flips'; readonly crm: Reading; readonly sheet: Reading };
  /**
   * Another contact has the key that the cell shows (I7). The service is asked again at the next full scan, or when the
   * cell or that contact changes.
   */
  readonly taken?: TakenKey;
  /**
   * A run ended while it passed this key on (I7): what the contact held before that call and after it. If the contact
   * shows one of the two, no person edited it since.
   */
  readonly passedOn?: readonly [Value, Value];
  /**
   * A write whose outcome is unknown, until both sides were read (W4). When it was sent, the other side held the value. `before`: what
   * the side held that it was sent to. Left out: not known; older states leave it out, too.
   */
  readonly sent?: { readonly side: Side; readonly value: Value; readonly before?: Value };
  /** The last two writes, oldest first: the value written and the value it replaced (M7). */
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
  /** Epoch milliseconds. Not tried again before; null: not tried again until a person asks (quarantined). */
  readonly retryAt: number | null;
  /** The values that the sheet held. Other contents are a new attempt. */
  readonly sheet: Packed;
}

export interface Stray {
  /** When the row was first seen with these contents, on the service's clock (W10). */
  readonly since: number;
  readonly refusal?: Refusal;
  /** The contact that the service answered for this row although it is another person (I3). */
  readonly mistakenFor?: string;
  /** How that was noticed, so that every run gives the same reason (W9). */
  readonly mistake?: string;
  /** The text of its automation cell. Another text starts the settle delay again (W10). */
  readonly wish?: string;
  /**
   * The call that creates and enrols it had no effect: the row is looked up, created and enrolled by separate calls (E2).
   */
  readonly isApart?: true;
  /** The outcome of a create is unknown: the row is looked up before the next attempt (W4). */
  readonly isUnknown?: true;
  /** What that create sent, if the row was edited since and the service has not said yet what became of it. Left out: these contents. */
  readonly sent?: Packed;
  /**
   * G2: an earlier run was allowed to create it. Neither the create nor what completes it counts towards a limit again.
   */
  readonly isCounted?: true;
  /**
   * I5: the uuids, sorted, of contacts that were made or found for a row, whose ID could not be written, and whose row this may be. A
   * row that a person goes on to edit is known by it. Left out: there is none; older states leave it out, too.
   */
  readonly mayBeOf?: readonly string[];
  /** The last answer of the service about it. Asked again at the next full scan, or when the row changes. */
  readonly answered?:
    | { readonly kind: 'gone' }
    /** Older states leave `uuid` and `isFiltered` out. */
    | { readonly kind: 'elsewhere'; readonly where: string; readonly uuid?: string; readonly isFiltered?: true };
}

/** The values that a side was last seen to hold. */
export function lastSeen(link: Link, side: Side): Packed {
  return link[side] ?? link.agreed;
}

/**
 * The link after a write of unknown outcome (L3, W4). The contact holds what it held or what was sent, so these fields
 * are unknown until it is read.
 *
 * `sent`: field names. `passedOn`: those of them that are keys which changed hands, as in `FieldNote` (I7). `fields`: as
 * in `Base`.
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

/** The key of a row without an ID: its contents. Its number changes when people sort. */
export function rowKey({ values }: { readonly values: Packed }): string {
  return values;
}

/** The key of a row whose ID no contact has. */
export function unknownIdKey(id: string): string {
  return `id ${id}`;
}

/** I3: why a row sends nothing more once the service answered another contact for it. */
export function wrongAnswerReason(uuid: string, mistake: string): string {
  return `the service answered another contact, ${uuid}: ${mistake}; correct or delete this row`;
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
