// The contract of a CRM: what the program asks of the service that holds the contacts, in the program's own words. Each
// driver implements it in a folder beside this file; test/crm/contract holds what every driver has to do.
import type * as z from 'zod';
import type { Kind } from '../sync/value/kinds.ts';
import type { MessageKind } from '../sync/outbox/message.ts';
import type { Value } from '../sync/value/value.ts';

/**
 * One account of one service.
 *
 * Every method that asks the service throws ServiceErrors (`errors.ts`), and the reason of `CrmCall.signal` when that
 * aborts a read. A driver repeats what may be repeated by itself; a write of unknown outcome ends as OutcomeUnknownError
 * and is never repeated unless the method says that a repeat is harmless. A capability that a driver does not have is
 * left out, and its description says so: `automations`, `messages`, `collections`.
 */
export interface Crm {
  readonly description: CrmDescription;
  /** Which account of which service, for G1: another text is another CRM, and its contacts are other contacts. */
  readonly account: string;
  /** Epoch milliseconds on the clock of the service, as far as it is known; else on ours. */
  now(): number;
  usage(): CrmUsage;
  /** The cheapest call there is: it shows that the address and the token are right. */
  probe(call: CrmCall): Promise<{ readonly lists: number | undefined }>;
  /** The contacts as one mapping sees them. Asks nothing yet. */
  openContacts(spec: ContactsSpec): Contacts;
  readonly lists: Lists;
  readonly automations?: Automations;
  readonly messages?: Messages;
  readonly collections?: Collections;
}

export interface CrmCall {
  /** Takes the call out of the queue, or stops waiting for its answer. */
  readonly signal?: AbortSignal;
  /**
   * From when on no call begins any more; one that is in flight is finished, which `signal` would cut short. A call that
   * was surely not carried out by then throws StoppedError.
   */
  readonly stop?: AbortSignal;
  /** `edit` (the default) is what a person waits for and goes first; `scan` is background reading. */
  readonly priority?: CallPriority;
}

export type CallPriority = 'edit' | 'scan';

export interface CrmUsage {
  /** Calls since the connection was made. */
  readonly calls: number;
  /** Of them, those that began in the last 60 seconds. */
  readonly lastMinute: number;
  /** How many may begin in any 60 seconds. */
  readonly perMinute: number;
}

/** What a driver can do, as data: the configuration is checked against it before anything is asked. */
export interface CrmDescription {
  /** Fields that a column can be mapped to, by name, in the order in which people read them. At least one. */
  readonly fields: ReadonlyMap<string, ContactFieldSpec>;
  /** Undefined: there are none. */
  readonly customFields?: {
    readonly isName: (name: string) => boolean;
    /** For people: what a name has to be. */
    readonly allowed: string;
  };
  /** By what a contact can be found, the strongest first: `email`, or names that count together, `name+company_name`. */
  readonly matchKeys: readonly MatchKeySpec[];
  /** Of each identifier, the fields that show it: the first group with a value counts, its fields joined by spaces. */
  readonly identifiers: Readonly<Record<keyof Identifiers, readonly (readonly string[])[]>>;
  /** The option `contacts.filter`: what it may say. */
  readonly filter: z.ZodType<ContactFilter>;
  readonly hasAutomations: boolean;
  /** What can be mirrored by a feed, by name. Empty: nothing. */
  readonly collections: ReadonlyMap<string, CollectionSpec>;
  /** What can be sent from an outbox, by name. Empty: nothing. */
  readonly messages: ReadonlyMap<MessageKind, MessageSpec>;
}

/** `both`; `to_sheet`: the CRM's value is shown; `to_crm`: the sheet's value is sent, and never read back. */
export type Direction = 'both' | 'to_sheet' | 'to_crm';

export interface ContactFieldSpec {
  readonly name: string;
  /** What values are and how they compare (V1, V2). Fields that are only written are text. */
  readonly kind: Kind;
  /** What a column of it may do, the default first. */
  readonly directions: readonly [Direction, ...Direction[]];
  /** Two fields with the same are one thing as soon as one is written: only one of them can be mapped (M8). */
  readonly writtenAs: string;
  readonly description?: string;
}

/** What a column stands for. A custom field is text, and is never read. */
export type FieldTarget =
  | { readonly kind: 'field'; readonly field: ContactFieldSpec }
  | { readonly kind: 'custom_field'; readonly name: string };

export interface MatchKeySpec {
  /** As it is written in the configuration. */
  readonly name: string;
  /** Of each part of the key, the fields of which one has to be mapped. */
  readonly parts: Readonly<Record<string, readonly string[]>>;
}

/** As `CrmDescription.filter` lets it pass. Only the driver knows what it means. */
export type ContactFilter = Readonly<Record<string, unknown>>;

export interface ContactsSpec {
  /** In the order of `ContactReading.values`. */
  readonly fields: readonly { readonly key: string; readonly target: FieldTarget }[];
  /** Which contacts of a list belong. Left out: all. */
  readonly filter?: ContactFilter;
}

/** A contact as read. */
export interface ContactReading {
  readonly uuid: string;
  /**
   * In the order of `ContactsSpec.fields`, as the service has them: text, number, flag, list or structure. null is no
   * value; undefined is not told. What a value means is read from it once, by the kind of its field (`readCrm`).
   */
  readonly values: readonly unknown[];
  /** When it was last edited, epoch milliseconds, if the service tells. */
  readonly updatedAt?: number | undefined;
}

/** One that was asked for by name, or was just written. */
export interface Contact extends ContactReading {
  /** null: in no list; undefined: not told. */
  readonly list: string | null | undefined;
  /** False only where the filter surely does not let it pass. */
  readonly passesFilter: boolean;
  /** Epoch milliseconds, if the service tells. */
  readonly createdAt?: number | undefined;
}

/** By what a person is found, in the words of the configuration. Each is text that is not blank. */
export interface Identifiers {
  readonly network_id?: string;
  readonly email?: string;
  /** Counts together with `company_name` alone. */
  readonly name?: string;
  readonly company_name?: string;
}

/** One field with the value that it is to have; null empties it. */
export interface FieldWrite {
  readonly field: string;
  readonly after: Value;
}

/** What the service did not take, in words for people. The same again will not be taken either. */
export interface Refused {
  readonly kind: 'refused';
  readonly message: string;
}

/** Contacts of one mapping. Those that were deleted through it a short while ago are in no scan and no answer but `getNow`. */
export interface Contacts {
  /** Every contact of a list that passes the filter, or those that changed since a cursor. Asks as it is iterated. */
  scan<Kept>(options: ScanOptions<Kept>): ContactScan<Kept>;
  /** How many a scan would show; undefined where the service does not tell. Shows that it takes the filter. */
  count(list: string, call: CrmCall): Promise<number | undefined>;
  /** By uuid; one that is missing does not exist. Many at a time: an answer may be half a minute behind the writes of others. */
  get(uuids: readonly string[], call: CrmCall): Promise<ReadonlyMap<string, Contact>>;
  /** As it is at this moment. Throws NotFoundError. */
  getNow(uuid: string, call: CrmCall): Promise<Contact>;
  /**
   * In whatever list. One identifier after the other is tried, the strongest first, until one finds somebody; undefined:
   * none does. Throws InvalidInputError where there is none to go by.
   */
  findByIdentifiers(identifiers: Identifiers, call: CrmCall): Promise<Contact | undefined>;
  /** Whether the service could tell by these values whom a create is about. */
  isIdentifiedBy(fields: readonly FieldWrite[]): boolean;
  /**
   * Makes a contact. One with the same identifiers is answered as it is, not moved and not written over; some services
   * throw ValidationError then. Never repeated: a lost answer is an OutcomeUnknownError.
   */
  create(given: NewContact, call: CrmCall): Promise<Contact>;
  /** The contact with these identifiers comes into the list. Of `fields` only custom ones are written. Not repeated. */
  moveToList(given: NewContact & { readonly identifiers: Identifiers }, call: CrmCall): Promise<Contact>;
  /** There where `Crm.automations` is: makes a contact and enrols it in one call. Never repeated. */
  createEnrolled?(given: NewContact & EnrolledBy, call: CrmCall): Promise<CreatedEnrolled>;
  /** Fields that are not named stay as they are; custom fields go by `setCustomFields`. A repeat is harmless. */
  update(uuid: string, fields: readonly FieldWrite[], call: CrmCall): Promise<Contact>;
  /** Custom fields of a contact of the list. A service may know it by its identifiers alone. A repeat is harmless. */
  setCustomFields(given: CustomFieldsWrite, call: CrmCall): Promise<Contact | Refused>;
  /** Gone is what is wanted, whoever did it. A repeat is harmless. */
  remove(uuid: string, call: CrmCall): Promise<void>;
  /** Deletions that the service may not show yet, to be kept over a restart: uuid -> epoch milliseconds on our clock. */
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
  /** Uuid of the automation, and the part of it where a new contact begins. */
  readonly automation: string;
  readonly segment: number;
  /** Whether a contact that turns out to exist comes into the list. */
  readonly movesToList: boolean;
}

export type CreatedEnrolled =
  /** `contact` is left out where the service does not show it. */
  | { readonly outcome: 'added'; readonly contact?: Contact }
  /** It exists already, and was not enrolled. */
  | { readonly outcome: 'skipped' }
  /** The answer says neither; a person has to look. */
  | { readonly outcome: 'unknown' };

export interface CustomFieldsWrite extends NewContact {
  readonly uuid: string;
  readonly identifiers: Identifiers;
}

export interface ScanOptions<Kept> {
  /** Uuid of the list. */
  readonly list: string;
  /**
   * What is kept of a contact; asked once for each as it comes. The reading serves the next contact too: what is needed
   * has to be taken out of it at once.
   */
  readonly keep: (contact: ContactReading) => Kept;
  /** `ScanReport.cursor` of an earlier scan: only what changed since. Left out: everything. */
  readonly since?: string;
  readonly signal?: AbortSignal;
}

/** Contacts as they come, by the page, in no order. Iterated once; the report is true when the iteration has ended by itself. */
export interface ContactScan<Kept> extends AsyncIterable<readonly Kept[]> {
  report(): ScanReport;
}

export interface ScanReport {
  /** What it became: a driver that cannot ask for changes reads everything. */
  readonly mode: 'full' | 'incremental';
  /** Every contact (or every changed one) was surely seen. Only then does an absence mean anything. */
  readonly whole: boolean;
  /** Why it is not whole, in words; empty when it is. */
  readonly reasons: readonly string[];
  /**
   * What kept it from being whole. `drift`: contacts came and went meanwhile. `short`: the service gave less than it
   * promised. `unreadable`: some of what it gave was no contact. `limit`: no question gives more, and the next scan will
   * not either. Left out: it is whole, or was not read to its end.
   */
  readonly lack?: 'drift' | 'short' | 'unreadable' | 'limit';
  /** How many the service says there are; undefined where it does not tell. */
  readonly expected: number | undefined;
  readonly contacts: number;
  /** To be given as `since` next time. */
  readonly cursor: string;
}

export interface Lists {
  /** Those of exactly this name. `notice`: why there may be others, for people. */
  named(
    name: string,
    call: CrmCall,
  ): Promise<{ readonly lists: readonly { readonly uuid: string }[]; readonly notice?: string }>;
  /** Never repeated; after a lost answer the list is found by its name. */
  create(name: string, call: CrmCall): Promise<{ readonly uuid: string }>;
  /** Throws NotFoundError. The name is undefined where it cannot be read. */
  get(uuid: string, call: CrmCall): Promise<{ readonly name: string | undefined }>;
}

/** Enrolments cannot be read back, so that each of these calls is made from a ledger (E3). */
export interface Automations {
  /** All there are. `notice`: not all could be listed, in words for people; then the list is of no use. */
  list(call: CrmCall): Promise<{ readonly automations: readonly AutomationRecord[]; readonly notice?: string }>;
  /** `already`: it was enrolled before; not every service says so. Never repeated. */
  enrol(contact: string, automation: string, call: CrmCall): Promise<'added' | 'already'>;
  /** Out of one automation, or of all (null). The effect comes later. A repeat is harmless. */
  cancel(contact: string, automation: string | null, call: CrmCall): Promise<void>;
}

export interface AutomationRecord {
  readonly uuid: string;
  readonly name: string;
  readonly status: string;
}

export interface MessageSpec {
  /** What a cell can fill, by name. */
  readonly fields: ReadonlyMap<string, PayloadField>;
  /** One of each group has to be mapped. */
  readonly needed: readonly (readonly string[])[];
}

export interface PayloadField {
  readonly name: string;
  /** In characters; undefined: no limit. */
  readonly lengthMax?: number;
  /** Several values, which a cell holds with commas or line breaks between. */
  readonly isList: boolean;
}

export interface Messages {
  /** All there are. `notice`: not all could be listed, in words for people. */
  senders(call: CrmCall): Promise<{ readonly senders: readonly MessageSender[]; readonly notice?: string }>;
  /** By uuid; one that is missing does not exist. */
  recipients(uuids: readonly string[], call: CrmCall): Promise<ReadonlyMap<string, Recipient>>;
  /** Whom the service finds; the caller makes sure that the address is among theirs (L9). */
  recipientByEmail(email: string, call: CrmCall): Promise<Recipient | undefined>;
  /** Queued, not delivered. Never repeated. */
  send(
    kind: MessageKind,
    payload: Readonly<Record<string, unknown>>,
    call: CrmCall,
  ): Promise<{ readonly uuid: string; readonly delivery?: string }>;
  /** What was sent, the latest first, by the page, at least back to `since` (epoch milliseconds) unless it says why not. */
  deliveries(kind: MessageKind, since: number, call: CrmCall): AsyncIterable<DeliveryPage>;
}

export interface MessageSender {
  readonly uuid: string;
  /** What people may call it; the first one is for people. */
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
  /** There where the listing ends with this page and not as it should: why, for people. */
  readonly missing?: string;
}

export interface Delivery {
  readonly uuid: string;
  /** Uuid of the contact. */
  readonly contact?: string;
  /** When it was queued, epoch milliseconds. */
  readonly at?: number;
  readonly status?: string;
  /** Fields of the payload, by name. */
  readonly content: Readonly<Record<string, unknown>>;
}

export interface CollectionSpec {
  /** Fields of a record, by name: `uuid` is among them. */
  readonly fields: ReadonlyMap<string, { readonly kind: Kind }>;
  /** What the listing filters by, and whether it takes comparisons besides a value. */
  readonly filters: ReadonlyMap<string, { readonly takesRange: boolean }>;
  /** What the listing sorts by. */
  readonly orders: readonly string[];
  /** The field of which `on` and `off` can be set (`Collections.control`). */
  readonly controlled?: string;
}

/** `name` is a name of `CrmDescription.collections`. */
export interface Collections {
  list(name: string, query: CollectionQuery, call: CrmCall): Promise<CollectionReading>;
  /** Undefined where the service does not tell. Shows that it takes filter and order. */
  count(name: string, query: CollectionQuery, call: CrmCall): Promise<number | undefined>;
  /** Switches a record on or off; answers it as it is then. A repeat is harmless. */
  control(name: string, uuid: string, isOn: boolean, call: CrmCall): Promise<CollectionRecord>;
}

export interface CollectionQuery {
  readonly filter: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly order: { readonly field: string; readonly type: 'asc' | 'desc' };
  /** Only so many, the first in the order. Left out: all. */
  readonly recordsMax?: number;
}

/** Fields by name; null is no value, a missing one is not told. */
export type CollectionRecord = { readonly uuid: string } & Readonly<Record<string, unknown>>;

export interface CollectionReading {
  /** Each once, in the order of the query. */
  readonly records: readonly CollectionRecord[];
  /** `newest`: `recordsMax` were read and there are more. `partial`: nothing can be concluded about records not in it. */
  readonly coverage: 'whole' | 'newest' | 'partial';
  /** Records came or went meanwhile, so that one may have been missed. */
  readonly isDrifted: boolean;
  /** Why it is partial, for people: how many of how many. */
  readonly notice?: string;
}
