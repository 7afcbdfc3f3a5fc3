// The collections of a CRM that feeds mirror: what can be asked, and what an answer holds.
import type { CrmCall } from './port.ts';

/** `name` is a name of `CrmDescription.collections`. */
export interface Collections {
  list(name: string, query: CollectionQuery, call: CrmCall): Promise<CollectionReading>;
  /** Undefined: the service does not say. Shows that it accepts filter and order. */
  count(name: string, query: CollectionQuery, call: CrmCall): Promise<number | undefined>;
  /** Switches a record on or off; returns it as it is then. A repeat is harmless. */
  control(name: string, uuid: string, isOn: boolean, call: CrmCall): Promise<CollectionRecord>;
}

export interface CollectionQuery {
  readonly filter: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly order: { readonly field: string; readonly type: 'asc' | 'desc' };
  /** The largest number of records, the first in the order. Left out: all. */
  readonly recordsMax?: number;
}

/** Fields by name; null is no value, a missing one is not in the answer. */
export type CollectionRecord = { readonly uuid: string } & Readonly<Record<string, unknown>>;

export interface CollectionReading {
  /** Each once, in the order of the query. */
  readonly records: readonly CollectionRecord[];
  /** `newest`: `recordsMax` were read and there are more. `partial`: a missing record means nothing. */
  readonly coverage: 'whole' | 'newest' | 'partial';
  /** Records came or went meanwhile, so one may be missing. */
  readonly isDrifted: boolean;
  /** Why it is partial, for people: how many of how many. */
  readonly notice?: string;
}
