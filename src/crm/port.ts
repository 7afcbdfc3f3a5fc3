// The port of a CRM: what the program asks of the service that holds the contacts, in the program's own words.
// Each driver implements it in a folder beside this file; test/crm/contract shows what every driver has to do.
// call.ts is a part of it.
import type * as z from 'zod';
import type { CrmCall, CrmUsage } from './call.ts';
import type { Kind } from '../sync/value/kinds.ts';
import type { MessageKind } from '../sync/outbox/message.ts';
import type { Value } from '../sync/value/value.ts';

export type * from './call.ts';

/**
 * One account of one service.
 *
 * Every method that asks the service throws ServiceErrors (`errors.ts`), and the reason of `CrmCall.signal` when that
 * aborts a read. A driver makes the allowed repeats by itself. A write of unknown outcome ends as OutcomeUnknownError
 * and is never repeated unless the method says that a repeat is harmless. A driver leaves out a capability that it
 * lacks, and its description says so: `automations`, `messages`, `collections`.
 */
export interface Crm {
  readonly description: CrmDescription;
  /** Identifies the account and the service, for G1: another text means another CRM with other contacts. */
  readonly account: string;
  /** Epoch milliseconds on the clock of the service, if it is known; else on ours. */
  now(): number;
  usage(): CrmUsage;
  /** The cheapest call: it shows that the address and the token are right. */
  probe(call: CrmCall): Promise<{ readonly lists: number | undefined }>;
  /** The contacts of one mapping. Makes no call yet. */
  openContacts(spec: ContactsSpec): Contacts;
  readonly lists: Lists;
  readonly automations?: Automations;
  readonly messages?: Messages;
  readonly collections?: Collections;
}

/** The capabilities of a driver, as data: the configuration is checked against them before any call. */
export interface CrmDescription {
  /** Fields that a column can be mapped to, by name, in the order for people. At least one. */
  readonly fields: ReadonlyMap<string, ContactFieldSpec>;
  /** Undefined: the CRM has none. `allowed`: the rule for a name, for people. */
  readonly customFields?: { readonly isName: (name: string) => boolean; readonly allowed: string };
  /** The identifiers of a contact, the strongest first: `email`, or names that count together, `name+company_name`. */
  readonly matchKeys: readonly MatchKeySpec[];
  /** For each identifier, the fields that show it: the first group with a value counts, joined by spaces. */
  readonly identifiers: Readonly<Record<keyof Identifiers, readonly (readonly string[])[]>>;
  /** The possible values of the option `contacts.filter`. */
  readonly filter: z.ZodType<ContactFilter>;
  readonly hasAutomations: boolean;
  /** The collections a feed can mirror, by name. Empty: none. */
  readonly collections: ReadonlyMap<string, CollectionSpec>;
  /** The things an outbox can send, by name. Empty: none. */
  readonly messages: ReadonlyMap<MessageKind, MessageSpec>;
}

/** `both`; `to_sheet`: the CRM's value is shown; `to_crm`: the sheet's value is sent, and never read back. */
export type Direction = 'both' | 'to_sheet' | 'to_crm';

export interface ContactFieldSpec {
  readonly name: string;
  /** The kind of its values, and how they compare (V1, V2). Fields that are only written are text. */
  readonly kind: Kind;
  /** The directions a column of it may have, the default first. */
  readonly directions: readonly [Direction, ...Direction[]];
  /** Two fields with the same value here change together: only one of them can be mapped (M8). */
  readonly writtenAs: string;
  readonly description?: string;
}

/** The field of a column. A custom field is text, and is never read. */
export type FieldTarget =
  | { readonly kind: 'field'; readonly field: ContactFieldSpec }
  | { readonly kind: 'custom_field'; readonly name: string };

export interface MatchKeySpec {
  /** The name in the configuration. */
  readonly name: string;
  /** For each part of the key, the fields of which one has to be mapped. */
  readonly parts: Readonly<Record<string, readonly string[]>>;
}

/** A filter that `CrmDescription.filter` accepts. Only the driver knows its meaning. */
export type ContactFilter = Readonly<Record<string, unknown>>;

export interface ContactsSpec {
  /** In the order of `ContactReading.values`. */
  readonly fields: readonly { readonly key: string; readonly target: FieldTarget }[];
  /** The contacts of a list that belong. Left out: all. */
  readonly filter?: ContactFilter;
}

/** A contact after reading. */
export interface ContactReading {
  readonly uuid: string;
  /**
   * In the order of `ContactsSpec.fields`, as the service has them: text, number, flag, list or structure. null: no
   * value; undefined: not in the answer. The kind of the field reads each value once (`readCrm`).
   */
  readonly values: readonly unknown[];
  /** The last edit, epoch milliseconds, if the service has it. */
  readonly updatedAt?: number | undefined;
}

/** A contact that was read by its uuid, or was just written. */
export interface Contact extends ContactReading {
  /** null: in no list; undefined: not in the answer. */
  readonly list: string | null | undefined;
  /** False only if the filter surely excludes it. */
  readonly passesFilter: boolean;
  /** Epoch milliseconds, if the service has it. */
  readonly createdAt?: number | undefined;
}

/** The values that identify a person, by the names of the configuration. Each is text that is not blank. */
export interface Identifiers {
  readonly network_id?: string;
  readonly email?: string;
  /** Counts only together with `company_name`. */
  readonly name?: string;
  readonly company_name?: string;
}

/** One field and its new value; null empties it. */
export interface FieldWrite {
  readonly field: string;
  readonly after: Value;
}

/** The fields the service refused, in words for people. A repeat would be refused too. */
export interface Refused {
  readonly kind: 'refused';
  readonly message: string;
  /** The other contact that an answer showed, as it is now: a search may lag behind it (I8). */
  readonly shown?: Contact;
}

/** W1: custom fields were written to another contact, which got their identifier after it was looked up. */
export interface Misplaced {
  readonly kind: 'misplaced';
  readonly message: string;
  /** The other contact, as it is now. */
  readonly shown: Contact;
  /** L12: an attempt before that had no answer, and may have reached the right contact. */
  readonly mayHaveArrived: boolean;
}

/** The contacts of one mapping. A recently deleted contact is in no scan and no answer but `getNow`. */
export interface Contacts {
  /**
   * Scans every contact of a list that passes the filter, or those changed since a cursor. Asks while it is iterated.
   */
  scan<Kept>(options: ScanOptions<Kept>): ContactScan<Kept>;
  /** The number a scan would show; undefined: the service does not say. Shows that the filter is accepted. */
  count(list: string, call: CrmCall): Promise<number | undefined>;
  /** Reads by uuid; a missing one does not exist. An answer may lag half a minute behind the writes of others. */
  get(uuids: readonly string[], call: CrmCall): Promise<ReadonlyMap<string, Contact>>;
  /** The contact at this moment. Throws NotFoundError. */
  getNow(uuid: string, call: CrmCall): Promise<Contact>;
  /**
   * Finds a contact in any list. Tries one identifier after the other, the strongest first, until one finds a contact;
   * undefined: none does. Throws InvalidInputError without any identifier.
   */
  findByIdentifiers(identifiers: Identifiers, call: CrmCall): Promise<Contact | undefined>;
  /** Whether the service could identify the contact of a create by these values. */
  isIdentifiedBy(fields: readonly FieldWrite[]): boolean;
  /**
   * Makes a contact. An existing one with the same identifiers is answered as it is, not moved and not overwritten;
   * some services throw ValidationError then. Never repeated: a lost answer is an OutcomeUnknownError.
   */
  create(given: NewContact, call: CrmCall): Promise<Contact>;
  /**
   * Moves a contact into the list. Of `fields` only custom ones are written. A service may know it by its identifiers
   * alone: refused, if they are another contact's, or nobody's. Not repeated.
   */
  moveToList(given: IdentifiedContact, call: CrmCall): Promise<Contact | Refused>;
  /** Present if `Crm.automations` is: makes a contact and enrols it in one call. Never repeated. */
  createEnrolled?(given: NewContact & EnrolledBy, call: CrmCall): Promise<CreatedEnrolled>;
  /** Changes the named fields only; custom fields go by `setCustomFields`. A repeat is harmless. */
  update(uuid: string, fields: readonly FieldWrite[], call: CrmCall): Promise<Contact>;
  /**
   * Custom fields of a contact of the list. A service may know it by its identifiers alone: refused, if they are another
   * contact's, or nobody's; misplaced, if another contact took them after that was asked. A repeat is harmless.
   */
  setCustomFields(given: IdentifiedContact, call: CrmCall): Promise<Contact | Refused | Misplaced>;
  /** Deletes the contact. A missing contact is the wanted result. A repeat is harmless. */
  remove(uuid: string, call: CrmCall): Promise<void>;
  /**
   * Deletions that the service may not show yet, to be stored over a restart: uuid -> epoch milliseconds on the service's clock.
   */
  readonly deletions: {
    all(): Readonly<Record<string, number>>;
    restore(deletedAt: Readonly<Record<string, number>>): void;
  };
}

export interface NewContact {
  /** Uuid of the list. */
  readonly list: string;
  readonly fields: readonly FieldWrite[];
}

export interface EnrolledBy {
  /** Uuid of the automation, and the part of it in which a new contact begins. */
  readonly automation: string;
  readonly segment: number;
  /** Whether an existing contact is moved into the list. */
  readonly movesToList: boolean;
}

export type CreatedEnrolled =
  /** `contact` is left out if the service does not answer it. */
  | { readonly outcome: 'added'; readonly contact?: Contact }
  /** The contact exists already, and was not enrolled. */
  | { readonly outcome: 'skipped' }
  /** The answer names neither outcome; a person has to look. */
  | { readonly outcome: 'unknown' };

/** A contact that is there, with what is written of it. */
export interface IdentifiedContact extends NewContact {
  readonly uuid: string;
  readonly identifiers: Identifiers;
}

export interface ScanOptions<Kept> {
  /** Uuid of the list. */
  readonly list: string;
  /**
   * Maps a contact to what the caller keeps; called once for each as it comes. The next contact reuses the reading: the
   * caller has to copy what it needs at once.
   */
  readonly keep: (contact: ContactReading) => Kept;
  /** `ScanReport.cursor` of an earlier scan: reads only later changes. Left out: everything. */
  readonly since?: string;
  readonly signal?: AbortSignal;
}

/** Contacts by the page, in no order. Iterated once; the report is valid when the iteration has ended by itself. */
export interface ContactScan<Kept> extends AsyncIterable<readonly Kept[]> {
  report(): ScanReport;
}

export interface ScanReport {
  /** The mode that was used: a driver that cannot ask for changes reads everything. */
  readonly mode: 'full' | 'incremental';
  /** Every contact (or every changed one) was surely seen. Only then does a missing contact mean anything. */
  readonly whole: boolean;
  /** Why it is not whole, in words; empty: it is whole. */
  readonly reasons: readonly string[];
  /**
   * The cause when it is not whole. `drift`: contacts came and went meanwhile. `short`: the service gave fewer than its
   * total. `unreadable`: some of its rows were no contacts. `limit`: no query gives more, and the next scan will not
   * either. Left out: it is whole, or was not read to its end.
   */
  readonly lack?: 'drift' | 'short' | 'unreadable' | 'limit';
  /** The number of contacts by the service; undefined: it does not say. */
  readonly expected: number | undefined;
  readonly contacts: number;
  /** The `since` of the next scan. */
  readonly cursor: string;
}

/** `notice`: why there may be others, for people. */
type Listed<Found> = Promise<Found & { readonly notice?: string }>;

export interface Lists {
  /** Lists of exactly this name. */
  named(name: string, call: CrmCall): Listed<{ readonly lists: readonly { readonly uuid: string }[] }>;
  /** Every list. `name`: undefined if it cannot be read. */
  list(call: CrmCall): Listed<{ lists: readonly { readonly uuid: string; readonly name: string | undefined }[] }>;
  /** Never repeated; after a lost answer the list is found by its name. */
  create(name: string, call: CrmCall): Promise<{ readonly uuid: string }>;
  /** Throws NotFoundError. undefined: the name cannot be read. */
  get(uuid: string, call: CrmCall): Promise<{ readonly name: string | undefined }>;
}

/** Enrolments cannot be read back, so each of these calls is made from a ledger (E3). */
export interface Automations {
  /** All automations. `notice`: not all could be listed, for people; then the list must not be used. */
  list(call: CrmCall): Promise<{ readonly automations: readonly AutomationRecord[]; readonly notice?: string }>;
  /** `already`: it was enrolled before; not every service reports it. Never repeated. */
  enrol(contact: string, automation: string, call: CrmCall): Promise<'added' | 'already'>;
  /** Cancels one automation, or all of them (null). The effect comes later. A repeat is harmless. */
  cancel(contact: string, automation: string | null, call: CrmCall): Promise<void>;
}

export interface AutomationRecord {
  readonly uuid: string;
  readonly name: string;
  readonly status: string;
}

export interface MessageSpec {
  /** The fields a cell can fill, by name. */
  readonly fields: ReadonlyMap<string, PayloadField>;
  /** One of each group has to be mapped. */
  readonly needed: readonly (readonly string[])[];
}

export interface PayloadField {
  readonly name: string;
  /** In characters; undefined: no limit. */
  readonly lengthMax?: number;
  /** Several values; a cell separates them by commas or line breaks. */
  readonly isList: boolean;
}

export interface Messages {
  /** All senders. */
  senders(call: CrmCall): Listed<{ readonly senders: readonly MessageSender[] }>;
  /** Reads by uuid; a missing one does not exist. */
  recipients(uuids: readonly string[], call: CrmCall): Promise<ReadonlyMap<string, Recipient>>;
  /** The contact that the service finds; the caller checks the address (L9). */
  recipientByEmail(email: string, call: CrmCall): Promise<Recipient | undefined>;
  /** Queued, not delivered. Never repeated. */
  send(
    kind: MessageKind,
    payload: Readonly<Record<string, unknown>>,
    call: CrmCall,
  ): Promise<{ readonly uuid: string; readonly delivery?: string }>;
  /**
   * Sent messages, the latest first, by the page, at least back to `since` (epoch milliseconds) unless it gives a
   * reason.
   */
  deliveries(kind: MessageKind, since: number, call: CrmCall): AsyncIterable<DeliveryPage>;
}

export interface MessageSender {
  readonly uuid: string;
  /** The names that people may use; the first one is shown to people. */
  readonly names: readonly string[];
  readonly isEnabled: boolean;
}

export interface Recipient {
  readonly uuid: string;
  /** For people. */
  readonly name: string;
  readonly emails: readonly string[];
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /** Present if the listing ends too early with this page: the reason, for people. */
  readonly missing?: string;
}

export interface Delivery {
  readonly uuid: string;
  /** Uuid of the contact. */
  readonly contact?: string;
  /** The instant it was queued, epoch milliseconds. */
  readonly at?: number;
  readonly status?: string;
  /** Fields of the payload, by name. */
  readonly content: Readonly<Record<string, unknown>>;
}

export interface CollectionSpec {
  /** Fields of a record, by name, including `uuid`. */
  readonly fields: ReadonlyMap<string, { readonly kind: Kind }>;
  /** The fields the listing filters by, and whether each takes comparisons as well as a value. */
  readonly filters: ReadonlyMap<string, { readonly takesRange: boolean }>;
  /** The fields the listing sorts by. */
  readonly orders: readonly string[];
  /** The field that can be set to `on` and `off` (`Collections.control`). */
  readonly controlled?: string;
}

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
  /** The largest number of records, the first in the order; of equal ones those with the lowest uuids. Left out: all. */
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
