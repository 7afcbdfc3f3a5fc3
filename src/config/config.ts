// The configuration for the rest of the program: checked, with defaults, references and secret files resolved, in the
// program's own words and units.
// schema/ has the words of the file; resolve.ts turns them into these.
import type { ContactFilter, CrmDescription, Direction, FieldTarget, PayloadField } from '../crm/port.ts';
import type { Kind } from '../sync/value/kinds.ts';
import type { MessageKind } from '../sync/outbox/message.ts';
import type { ListenAddress } from './address.ts';
import type { ConfigFile, FeedOptions, SyncOptions } from './schema/file.ts';
import type { Secret } from '../lib/secret.ts';
import type { PostgresSettings } from '../postgres/pool.ts';
import type { ServiceSettings } from './service-settings.ts';
import type { ConfigFault } from './sound.ts';
import type { Role, SeenAccounts } from './users.ts';

export interface Config {
  /** The file it was read from. */
  readonly path: string;
  /** By name, one at least; `defaultAccount` first, if the file has it at the top. */
  readonly accounts: ReadonlyMap<string, AccountConfig>;
  readonly state: StateConfig;
  /** How databases are used, whether or not the state is in one. */
  readonly postgres: Omit<PostgresSettings, 'url'>;
  /** Undefined: no server. */
  readonly server?: ServerConfig;
  readonly log: LogConfig;
  /** Where faults go that no account can be told of. Undefined: nowhere. */
  readonly alertWebhookUrl?: Secret;
  /** Files that it includes, in the order in which they were read. */
  readonly included: readonly string[];
  /** Accounts, jobs and included files that are left out, since they have faults. */
  readonly faults: readonly ConfigFault[];
  /** In the order of the file. No two of them have the same name, in any case, or write the same tab. */
  readonly syncs: readonly SyncConfig[];
  readonly feeds: readonly FeedConfig[];
  readonly outboxes: readonly OutboxConfig[];
  /** The options in the file's own words, defaults filled in; what `effectiveConfig` shows. */
  readonly options: ConfigFile;
  /** A part of it: some accounts with their jobs. Left out: it is whole. */
  readonly isPart?: true;
  /** The options that the file itself gives; all others have their defaults. */
  readonly written: WrittenOptions;
}

/** A client: its service and its Google account. Jobs of different accounts share nothing but the process and the state. */
export interface AccountConfig {
  readonly name: string;
  readonly crm: ServiceSettings;
  /** As in the file. Undefined: the token is not in a file of its own. */
  readonly tokenFile?: string;
  /** With `{uuid}` once. Undefined: contacts have no page that is known. */
  readonly contactUrl?: string;
  readonly google: GoogleConfig;
  /** Its own, else the one at the top. May hold a key, so the whole is a secret. Undefined: no alerts. */
  readonly alertWebhookUrl?: Secret;
}

/** By option; `true` in the place of a value or a list. */
export type WrittenOptions = true | { readonly [option: string]: WrittenOptions };

export interface GoogleConfig {
  /** As in the file: relative to the working directory. */
  readonly credentialsFile: string;
  /** Undefined: to Google. */
  readonly endpoint?: string;
  readonly readsPerMinute: number;
  readonly writesPerMinute: number;
  readonly hints: 'off' | 'version' | 'changes';
}

export type StateConfig = FileStateConfig | PostgresStateConfig;

/** `folder` is relative to the working directory. */
export interface FileStateConfig {
  readonly kind: 'file';
  readonly folder: string;
}

export interface PostgresStateConfig extends PostgresSettings {
  readonly kind: 'postgres';
}

/** Set whenever other machines can reach the address. */
export interface ServerConfig extends ListenAddress {
  readonly password?: Secret;
  /** Further host names under which it is reached. */
  readonly hosts?: readonly string[];
  /** Undefined: no runs can be triggered over HTTP. */
  readonly hookSecret?: Secret;
  readonly console: NonNullable<ConfigFile['server']>['console'];
  /** No two have the same name, whatever its case. Empty: people log in with the password or through the proxy. */
  readonly users: readonly UserConfig[];
  readonly trustedProxy?: TrustedProxyConfig;
  readonly sessionMs: number;
}

export interface UserConfig {
  readonly name: string;
  readonly role: Role;
  /** The user sees these alone, and decides on these alone. */
  readonly accounts?: SeenAccounts;
  readonly passwordHash: Secret;
}

export interface TrustedProxyConfig {
  /** Addresses and ranges. */
  readonly from: readonly string[];
  /** Undefined: the proxy knows nobody, and only forwards. */
  readonly identity?: {
    /** In lower case. */
    readonly header: string;
    /** Of everybody else; undefined: only those in `roleByKey` may enter. */
    readonly role?: Role;
    /** By `userKey` of the name. */
    readonly roleByKey: Readonly<Record<string, Role>>;
    /** By `userKey` of the name: those who do not see all accounts. */
    readonly accountsByKey: Readonly<Record<string, readonly string[]>>;
  };
}

export interface LogConfig {
  readonly level: ConfigFile['log']['level'];
  readonly format: ConfigFile['log']['format'];
  readonly contactDetails: ConfigFile['log']['contact_details'];
}

export type ConflictPolicy = SyncOptions['conflict'];
export type BlankPolicy = SyncOptions['blank'];

/** The tab of a sync or feed, for `TableSpec`. */
export interface TabConfig {
  /** The id, also if the file has an address. */
  readonly spreadsheetId: string;
  /** Title, or `gid:N`. */
  readonly tab: string;
  /** 1-based. */
  readonly headerRow: number;
}

export interface SyncConfig {
  /** Valid as the name of a folder. */
  readonly name: string;
  /** One of `Config.accounts`. */
  readonly account: string;
  readonly schedule: Schedule;
  readonly fullScan: Schedule;
  readonly contacts: ContactsConfig;
  readonly sheet: TabConfig & {
    readonly idHeader: string;
    /** Undefined: no status is written. */
    readonly statusHeader?: string;
    /** How long it may go unread while hints are on. */
    readonly fullLookMs: number;
  };
  /** Each key as the fields that make it, the first key tried first (I2). */
  readonly match: readonly (readonly string[])[];
  /** The fields by which the service finds a contact: `CrmDescription.identifiers`. */
  readonly identifiers: CrmDescription['identifiers'];
  /** In the order of the file; one at least. */
  readonly columns: readonly ColumnConfig[];
  readonly settleMs: number;
  readonly onRowDeleted: SyncOptions['on_row_deleted'];
  readonly onContactDeleted: SyncOptions['on_contact_deleted'];
  readonly limits: LimitsConfig;
  /** Undefined: the sync makes no enrolments. */
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
  /** As in the file. Never names another list. */
  readonly filter?: ContactFilter;
  readonly moveToList: boolean;
  /** Never set for a list that is named by uuid. */
  readonly createList: boolean;
}

export interface ColumnConfig {
  /** Identifies the column as long as the mapping has it, under any header: `email`, `custom_fields.segment`. */
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

/** A contact with one of these values in this column is not enrolled (E4). */
export interface Veto {
  readonly columnKey: string;
  readonly values: readonly string[];
}

export interface FeedConfig {
  readonly name: string;
  /** One of `Config.accounts`. */
  readonly account: string;
  readonly resource: string;
  readonly schedule: Schedule;
  readonly sheet: TabConfig & { readonly statusHeader: string; readonly fullLookMs: number };
  /** In the order of the file; exactly one is the uuid, which identifies rows; no path occurs twice. */
  readonly columns: readonly FeedColumn[];
  /** In the form of the listing's query. */
  readonly filter: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly order: { readonly field: string; readonly type: 'asc' | 'desc' };
  /** Undefined: all records. */
  readonly rowsMax?: number;
  /** The field that people may set in its column, if any (E7). */
  readonly controlled?: string;
  readonly onGone: FeedOptions['on_gone'];
}

export interface FeedColumn {
  /** The path in the file: `schedule.timezone`. */
  readonly key: string;
  readonly header: string;
  /** Names of fields and indices of lists; one at least, the first a field of the record. */
  readonly path: readonly (string | number)[];
  /** The kind of the field; the value at a path may have any kind. */
  readonly kind: Kind;
}

export interface OutboxConfig {
  readonly name: string;
  /** One of `Config.accounts`. */
  readonly account: string;
  readonly resource: MessageKind;
  readonly schedule: Schedule;
  readonly sheet: TabConfig & { readonly idHeader: string };
  /**
   * Headers of the columns that are written: uuid, time, status and a sentence; and of the column in which people
   * confirm.
   */
  readonly headers: Readonly<Record<'send' | 'uuid' | 'sentAt' | 'delivery' | 'status', string>>;
  /** In the order of the file; each a field of the payload, once. Sender, contact and text are among them. */
  readonly columns: readonly { readonly field: PayloadField; readonly header: string }[];
  readonly settleMs: number;
  readonly sendsPerHour: number;
}
