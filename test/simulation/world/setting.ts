// The configuration and the service's behaviour that a seed chooses, as plain data for case files.
import type { ContactRecord } from '../../../src/standin/service/stored.ts';
import { stringify } from 'yaml';
import type { Switches } from '../../../src/standin/service/switches.ts';

/** The custom field of the stories, as the state and the history name it. It is only sent: the service never shows it (M4). */
export const segment = 'custom_fields.segment';
export type FieldName =
  | 'first_name'
  | 'last_name'
  | 'company_name'
  | 'position'
  | 'headline'
  | 'email'
  | 'network_id'
  | typeof segment;
export type ConflictPolicy = 'manual' | 'crm' | 'sheet' | 'newest';
export type BlankPolicy = 'sync' | 'ignore';

export type Direction = 'both' | 'to_sheet' | 'to_crm';

/** Of a column whose direction nobody chose. */
export function usualDirection(field: FieldName): Direction {
  return field === segment ? 'to_crm' : 'both';
}

export interface FieldSetting {
  readonly field: FieldName;
  readonly direction: Direction;
  /** Left out: the policy of the sync. */
  readonly conflict?: ConflictPolicy;
  readonly blank?: BlankPolicy;
}

export interface AutomationSetting {
  readonly onClear: 'ignore' | 'cancel';
  readonly cap: number;
  readonly isVetoed: boolean;
}

export interface OutboxSetting {
  /** Left out: network messages. */
  readonly resource?: 'emails';
  /** The e-mails have a column of subjects. */
  readonly hasSubject?: true;
  /** Messages an hour. */
  readonly cap: number;
  readonly settleSecs: number;
}

export interface Setting {
  readonly fields: readonly FieldSetting[];
  /** Left out: the profile, if it is mapped, then the address. */
  readonly match?: readonly FieldName[];
  /** Rows are matched by name and company as well, after the other keys, where these are mapped. */
  readonly matchesNames?: true | undefined;
  readonly conflict: ConflictPolicy;
  readonly blank: BlankPolicy;
  readonly onRowDeleted: 'ignore' | 'restore' | 'cancel_automations' | 'delete_contact';
  readonly onContactDeleted: 'mark' | 'delete_row' | 'ignore';
  /** `default`: the limits of the program, which hold large changes. `tight`: two new contacts hold a run, and more than a fifth of the records. */
  readonly limits: 'wide' | 'default' | 'tight';
  readonly hasStatus: boolean;
  /**
   * The sync has a filter (D4). `status`: contacts who replied are none of its people. `position`: nor are those without one, which
   * both sides edit.
   */
  readonly filter?: 'status' | 'position' | undefined;
  /** So many rows of a title stand above the headers of the tab. */
  readonly titleRows?: 1 | 2 | undefined;
  /** The tab has a column of instants, as real dates. */
  readonly hasDates: boolean;
  /** The tab shows when the contact was changed, and its whole name: both change by calls that do not send them. */
  readonly showsChanges?: true | undefined;
  /** The service stores companies in capitals. */
  readonly isShouting: boolean;
  readonly moveToList: boolean;
  /** Whether the list is missing; then the first run creates it. */
  readonly isListMissing: boolean;
  readonly settleSecs: number;
  readonly automation?: AutomationSetting;
  /** The lists of the service are a feed in a tab of the same spreadsheet. */
  readonly hasFeed?: true;
  /** The tab of the feed has a column of notes, which is not mapped. */
  readonly hasFeedNotes?: true;
  /** Of the feed. Left out: the row of a list that is gone says so. */
  readonly onListGone?: 'delete_row';
  /** Messages are sent from a tab of the same spreadsheet. */
  readonly outbox?: OutboxSetting;
  /** So many more syncs in the same process show the contacts of the same list in tabs of their own. */
  readonly mirrors?: 2 | 3;
  /** A search has its answer at once, and the program gets it so many milliseconds later. */
  readonly searchMs?: number;
  /** Several workers over one database in memory, in place of files. */
  readonly isFleet?: true;
  /** Left out: every run reads the tab. */
  readonly hints?: 'version' | 'changes';
  /** `full_look` with hints. Left out: 3, so that two slots of the schedule go by between two of them. */
  readonly fullLookMins?: number;
  readonly switches: Partial<Switches>;
}

export const fullLookMinsDefault = 3;
export const tabTitle = 'Prospects';
export const otherTab = 'Other';
export const feedTab = 'Lists';
export const feedName = 'lists';
export const outboxTab = 'Outbox';
export const outboxName = 'messages';
/** What people fill of a message. */
export function outboxHeaders({ hasSubject }: Pick<OutboxSetting, 'hasSubject'>): readonly string[] {
  return ['To', 'From', 'Text', 'Send', ...(hasSubject ? ['Subject'] : [])];
}

/** Of the syncs that show the same list. */
export function mirrorNames({ mirrors = 0 }: { readonly mirrors?: number }): readonly string[] {
  return Array.from({ length: mirrors }, (_, index) => `mirror-${index + 1}`);
}

export function mirrorTab(name: string): string {
  return `Tab of ${name}`;
}

/** Names by which a row of the outbox may call the one sender. */
export const senderNames = ['Sales', 'max muster'] as const;
export const spreadsheetId = '1AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_tests';
export const listName = 'Prospects';
export const token = 'the-token-of-the-simulation';
export const serviceUrl = 'http://127.0.0.1:4010';
const sheetsUrl = 'http://127.0.0.1:4020';
export const stateFolder = '/simulation/state';
export const syncName = 'prospects';

export const headerOf: Readonly<Record<FieldName, string>> = {
  first_name: 'First name',
  last_name: 'Last name',
  company_name: 'Company',
  position: 'Position',
  headline: 'Headline',
  email: 'Email',
  network_id: 'Profile',
  [segment]: 'Segment',
};

export const notesHeader = 'Notes';
export const sumHeader = 'Sum';
export const idHeader = 'Contact ID';
export const statusHeader = 'Status';
export const createdHeader = 'Created';
export const changedHeader = 'Changed';
export const wholeNameHeader = 'Whole name';
export const wishHeader = 'Automation';
export const resultHeader = 'Enrolment';
export const automationNames = ['Welcome', 'Nurture'] as const;

export function policyOf(
  setting: Setting,
  name: FieldName,
): Required<Pick<FieldSetting, 'conflict' | 'blank' | 'direction'>> {
  const field = setting.fields.find((each) => each.field === name);
  return {
    conflict: field?.conflict ?? setting.conflict,
    blank: field?.blank ?? setting.blank,
    direction: field?.direction ?? 'both',
  };
}

function matchOf({ fields, match = ['network_id', 'email'] }: Setting): readonly FieldName[] {
  return match.filter((key) => fields.some(({ field }) => field === key));
}

/** The fields of the key of a name. */
export const nameFields = ['first_name', 'last_name', 'company_name'] as const satisfies readonly FieldName[];

export function areNamesKeys({ matchesNames, fields }: Setting): boolean {
  return matchesNames === true && nameFields.every((name) => fields.some(({ field }) => field === name));
}

/** The configuration file as a person would write it. */
export function settingToYaml(setting: Setting, keyFile: string): string {
  const { automation, fields } = setting;
  return stringify({
    crm: { base_url: serviceUrl, token, requests_per_minute: 6_000 },
    google: {
      credentials_file: keyFile,
      endpoint: sheetsUrl,
      reads_per_minute: 60_000,
      writes_per_minute: 60_000,
      ...(setting.hints && { hints: setting.hints }),
    },
    state: `file:${stateFolder}`,
    server: null,
    log: { level: 'error' },
    ...(setting.hasFeed && {
      feeds: {
        [feedName]: {
          resource: 'lists',
          spreadsheet: spreadsheetId,
          tab: feedTab,
          schedule: '30 * * * * *',
          columns: { ID: 'uuid', Name: 'name' },
          ...(setting.onListGone && { on_gone: setting.onListGone }),
        },
      },
    }),
    ...(setting.outbox && {
      outbox: {
        [outboxName]: {
          resource: setting.outbox.resource ?? 'network_messages',
          spreadsheet: spreadsheetId,
          tab: outboxTab,
          schedule: '20 * * * * *',
          columns: {
            To: 'lead_uuid',
            From: 'sender_profile_uuid',
            Text: setting.outbox.resource === 'emails' ? 'body' : 'text',
            ...(setting.outbox.hasSubject && { Subject: 'subject' }),
          },
          sends_per_hour: setting.outbox.cap,
          settle_secs: setting.outbox.settleSecs,
        },
      },
    }),
    syncs: {
      [syncName]: {
        schedule: '0 * * * * *',
        full_scan: '7 */10 * * * *',
        contacts: {
          list: listName,
          move_to_list: setting.moveToList,
          ...(setting.isListMissing && { create_list: true }),
          ...(setting.filter && { filter: filters[setting.filter].named }),
        },
        sheet: {
          spreadsheet: spreadsheetId,
          tab: tabTitle,
          ...(setting.titleRows && { header_row: setting.titleRows + 1 }),
          ...(setting.hasStatus && { status_column: 'Sync' }),
          ...(setting.hints && { full_look: `${setting.fullLookMins ?? fullLookMinsDefault}m` }),
        },
        match: [...matchOf(setting), ...(areNamesKeys(setting) ? ['name+company_name'] : [])],
        columns: {
          ...Object.fromEntries(
            fields.map(({ field, direction, conflict, blank }) => [
              headerOf[field],
              {
                ...(field === segment ? { custom_field: 'segment' } : { field }),
                ...(direction !== 'both' && { direction }),
                ...(conflict && { conflict }),
                ...(blank && { blank }),
              },
            ]),
          ),
          [statusHeader]: { field: 'status', direction: 'to_sheet' },
          ...(setting.hasDates && { [createdHeader]: { field: 'created_at', direction: 'to_sheet' } }),
          ...(setting.showsChanges && {
            [changedHeader]: { field: 'updated_at', direction: 'to_sheet' },
            [wholeNameHeader]: { field: 'name', direction: 'to_sheet' },
          }),
        },
        conflict: setting.conflict,
        blank: setting.blank,
        settle_secs: setting.settleSecs,
        on_row_deleted: setting.onRowDeleted,
        on_contact_deleted: setting.onContactDeleted,
        ...(setting.limits !== 'default' && { limits: limitsOf[setting.limits] }),
        ...(automation && {
          limits: {
            ...(setting.limits !== 'default' && limitsOf[setting.limits]),
            enrolments_per_hour: automation.cap,
          },
          automation: {
            column: wishHeader,
            on_clear: automation.onClear,
            ...(automation.isVetoed && { unless: { [statusHeader]: ['replied'] } }),
          },
        }),
      },
      ...Object.fromEntries(mirrorNames(setting).map((name) => [name, mirror(setting, name)])),
    },
  });
}

const limitsOf = {
  wide: { deletes: '100%', changes: '100%', blanks: '100%' },
  tight: { deletes: '20%', changes: '20%', blanks: '20%', creates: 1 },
} as const;

/** As the configuration names each, and whom it lets through. A new contact has the status. */
export const filters = {
  status: { named: { status: 'ok' }, passes: ({ status }: ContactRecord) => status === 'ok' },
  position: { named: { position: 'is_not_null' }, passes: ({ position }: ContactRecord) => position !== null },
} as const;

/** The columns of a sync that only shows contacts. */
export function shownFields({ fields }: Setting): readonly FieldName[] {
  return fields.map(({ field }) => field).filter((field) => field !== segment);
}

/** A sync that shows the contacts of the list and reads nothing of its tab. */
function mirror(setting: Setting, name: string) {
  return {
    schedule: '0 * * * * *',
    contacts: { list: listName },
    sheet: { spreadsheet: spreadsheetId, tab: mirrorTab(name) },
    match: ['email'],
    columns: Object.fromEntries(
      shownFields(setting).map((field) => [headerOf[field], { field, direction: 'to_sheet' }]),
    ),
    on_contact_deleted: 'delete_row',
    limits: limitsOf.wide,
  };
}
