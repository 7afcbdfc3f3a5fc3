// The configuration as the rest of the program sees it: checked, defaults in place, references and secret files read,
// in the program's own words and units. The file's own words are in schema/, and resolve.ts leads from one to the other.
import type { ContactFilter, CrmDescription, Direction, FieldTarget, PayloadField } from '../crm/port.ts';
import type { Kind } from '../sync/value/kinds.ts';
import type { MessageKind } from '../sync/outbox/message.ts';
import type { ListenAddress } from './address.ts';
import type { ConfigFile, FeedOptions, SyncOptions } from './schema/file.ts';
import type { Secret } from '../lib/secret.ts';
import type { ServiceSettings } from './service-settings.ts';

export interface Config {
  /** Where it was read from. */
  readonly path: string;
  readonly crm: ServiceSettings;
  readonly google: GoogleConfig;
  readonly state: StateConfig;
  /** Undefined: no server. */
  readonly server?: ServerConfig;
  readonly log: LogConfig;
  /** May hold a key, so it is a secret as a whole. Undefined: nobody is alerted. */
  readonly alertWebhookUrl?: Secret;
  /** In the order of the file. No two of them have one name, not even in another case, or write one tab. */
  readonly syncs: readonly SyncConfig[];
  readonly feeds: readonly FeedConfig[];
  readonly outboxes: readonly OutboxConfig[];
  /** The options in the file's own words, defaults filled in; what `effectiveConfig` shows. */
  readonly options: ConfigFile;
}

export interface GoogleConfig {
  /** As written: relative to the working directory. */
  readonly credentialsFile: string;
  /** Undefined: to Google. */
  readonly endpoint?: string;
  readonly readsPerMinute: number;
  readonly writesPerMinute: number;
}

/** `folder` is relative to the working directory. */
export interface StateConfig {
  /** The driver; there is one. */
  readonly kind: 'file';
  readonly folder: string;
}

/** A password is always there when others than this machine can reach the address. */
export interface ServerConfig extends ListenAddress {
  readonly password?: Secret;
  /** Names under which it is reached, beside those of this machine. */
  readonly hosts?: readonly string[];
  /** Undefined: nobody can ask for a run over HTTP. */
  readonly hookSecret?: Secret;
}

export interface LogConfig {
  readonly level: ConfigFile['log']['level'];
  readonly format: ConfigFile['log']['format'];
  readonly contactDetails: ConfigFile['log']['contact_details'];
}

export type ConflictPolicy = SyncOptions['conflict'];
export type BlankPolicy = SyncOptions['blank'];

/** The tab of a sync or feed, as `TableSpec` takes it. */
export interface TabConfig {
  /** The id, also where the file has an address. */
  readonly spreadsheetId: string;
  /** Title, or `gid:N`. */
  readonly tab: string;
  /** 1-based. */
  readonly headerRow: number;
}

export interface SyncConfig {
  /** Fit for a folder. */
  readonly name: string;
  readonly schedule: Schedule;
  readonly fullScan: Schedule;
  readonly contacts: ContactsConfig;
  readonly sheet: TabConfig & {
    readonly idHeader: string;
    /** Undefined: no status is written. */
    readonly statusHeader?: string;
  };
  /** Each key as the fields whose values make it, the first key tried first (I2). */
  readonly match: readonly (readonly string[])[];
  /** By which fields the service finds a contact: `CrmDescription.identifiers`. */
  readonly identifiers: CrmDescription['identifiers'];
  /** In the order of the file; one at least. */
  readonly columns: readonly ColumnConfig[];
  readonly settleMs: number;
  readonly onRowDeleted: SyncOptions['on_row_deleted'];
  readonly onContactDeleted: SyncOptions['on_contact_deleted'];
  readonly limits: LimitsConfig;
  /** Undefined: the sync enrols nobody. */
  readonly automation?: AutomationConfig;
}

export interface Schedule {
  /** Five fields, or six with seconds in front. */
  readonly cron: string;
  /** IANA name. */
  readonly timeZone: string;
}

export interface ContactsConfig {
  /** Name or uuid. */
  readonly list: string;
  /** As written. Never names another list. */
  readonly filter?: ContactFilter;
  readonly moveToList: boolean;
  /** Never of a list that is named by uuid. */
  readonly createList: boolean;
}

export interface ColumnConfig {
  /** Names the column for as long as the mapping has it, whatever its header: `email`, `custom_fields.segment`. */
  readonly key: string;
  readonly header: string;
  readonly target: FieldTarget;
  readonly direction: Direction;
  /** Its own, else the sync's. */
  readonly conflict: ConflictPolicy;
  readonly blank: BlankPolicy;
}

/** Percentages are of the links at the start of a run (G2): 20 is 20 %, 100 at most. */
export interface LimitsConfig {
  readonly deletesPercent: number;
  readonly changesPercent: number;
  readonly blanksPercent: number;
  /** In one run. */
  readonly creates: number;
  readonly enrolmentsPerHour: number;
}

export interface AutomationConfig {
  /** Header of the column that names the automation. */
  readonly header: string;
  /** `flow_segment_id` of add-new-lead. */
  readonly segment: number;
  readonly vetoes: readonly Veto[];
  readonly onClear: 'ignore' | 'cancel';
  readonly resultHeader?: string;
}

/** Nobody is enrolled while this column has one of these values (E4). */
export interface Veto {
  readonly columnKey: string;
  readonly values: readonly string[];
}

export interface FeedConfig {
  readonly name: string;
  readonly resource: string;
  readonly schedule: Schedule;
  readonly sheet: TabConfig & { readonly statusHeader: string };
  /** In the order of the file; exactly one is the uuid, by which rows are known; no path is there twice. */
  readonly columns: readonly FeedColumn[];
  /** As the query of the listing takes it. */
  readonly filter: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly order: { readonly field: string; readonly type: 'asc' | 'desc' };
  /** Undefined: all there are. */
  readonly rowsMax?: number;
  /** The field that people may set in its column, if they may (E7). */
  readonly controlled?: string;
  readonly onGone: FeedOptions['on_gone'];
}

export interface FeedColumn {
  /** The path as written: `schedule.timezone`. */
  readonly key: string;
  readonly header: string;
  /** Names of fields and indices of lists; one at least, the first a field of the record. */
  readonly path: readonly (string | number)[];
  /** Of the field; what a path finds in it is of any kind. */
  readonly kind: Kind;
}

export interface OutboxConfig {
  readonly name: string;
  readonly resource: MessageKind;
  readonly schedule: Schedule;
  readonly sheet: TabConfig & { readonly idHeader: string };
  /** Of the columns that are written: what was sent, when, what became of it, and a sentence; and of the one that people say yes in. */
  readonly headers: Readonly<Record<'send' | 'uuid' | 'sentAt' | 'delivery' | 'status', string>>;
  /** In the order of the file; each a field of the payload, once. Sender, contact and text are among them. */
  readonly columns: readonly { readonly field: PayloadField; readonly header: string }[];
  readonly settleMs: number;
  readonly sendsPerHour: number;
}
