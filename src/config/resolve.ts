// Turns a file that passed every check into the configuration of the program.
import type { SheetAddresses } from '../sheets/port.ts';
import { durationToMs } from '../lib/duration.ts';
import type { CrmDescription } from '../crm/port.ts';
import { parseListen } from './address.ts';
import { isMatchable } from './checks/sync.ts';
import { defaultAccount } from './default-account.ts';
import type {
  AccountConfig,
  AutomationConfig,
  ColumnConfig,
  Config,
  FeedConfig,
  LimitsConfig,
  OutboxConfig,
  ServerConfig,
  StateConfig,
  SyncConfig,
  TabConfig,
  TrustedProxyConfig,
} from './config.ts';
import { parseFieldPath } from './field-path.ts';
import type { ConfigFile, FeedOptions, OutboxOptions, SyncOptions } from './schema/file.ts';
import { textToPercent } from './schema/leaves.ts';
import { textToToken } from './secret-file.ts';
import { Secret } from '../lib/secret.ts';
import { parsePostgresAddress } from '../postgres/address.ts';
import { userKey } from './users.ts';

/** Secrets from files of their own. */
export interface FileSecrets {
  /** By account. */
  readonly tokens: ReadonlyMap<string, Secret>;
  readonly password?: Secret;
  readonly hookSecret?: Secret;
  readonly databasePassword?: Secret;
}

export function resolveConfig(
  description: CrmDescription,
  path: string,
  options: ConfigFile,
  secrets: FileSecrets,
  addresses: SheetAddresses,
): Omit<Config, 'written' | 'included' | 'faults'> {
  const { server, log } = options;
  const postgres = resolvePostgres(options, secrets);
  return {
    path,
    accounts: resolveAccounts(options, secrets),
    ...(options.alerts.webhook_url && { alertWebhookUrl: options.alerts.webhook_url }),
    state: resolveState(options.state, postgres),
    postgres,
    ...(server && { server: resolveServer(server, secrets) }),
    log: { level: log.level, format: log.format, contactDetails: log.contact_details },
    syncs: Object.entries(options.syncs).map(([name, sync]) => resolveSync(description, name, sync, addresses)),
    feeds: Object.entries(options.feeds).map(([name, feed]) => resolveFeed(description, name, feed, addresses)),
    outboxes: Object.entries(options.outbox).map(([name, outbox]) =>
      resolveOutbox(description, name, outbox, addresses),
    ),
    options,
  };
}

type AccountOptions = Pick<NonNullable<ConfigFile['accounts']>[string], 'crm' | 'google' | 'alerts'>;

function resolveAccounts(
  { crm, google, accounts = {}, alerts }: ConfigFile,
  { tokens }: FileSecrets,
): ReadonlyMap<string, AccountConfig> {
  const given = (name: string, path: string, options: AccountOptions) =>
    [name, resolveAccount(name, path, options, tokens.get(name), alerts.webhook_url)] as const;
  return new Map([
    ...(crm && google ? [given(defaultAccount, '', { crm, google })] : []),
    ...Object.entries(accounts).map(([name, account]) => given(name, `accounts.${name}.`, account)),
  ]);
}

/** `path`: of its sections in the file. */
function resolveAccount(
  name: string,
  path: string,
  { crm, google, alerts }: AccountOptions,
  token: Secret | undefined,
  commonWebhookUrl: Secret | undefined,
): AccountConfig {
  const alertWebhookUrl = alerts?.webhook_url ?? commonWebhookUrl;
  return {
    name,
    crm: {
      baseUrl: crm.base_url,
      token: token ?? textToToken(checked(crm.token).reveal(), `${path}crm.token`),
      requestsPerMinute: crm.requests_per_minute,
      concurrency: crm.concurrency,
      timeoutMs: crm.timeout_secs * 1_000,
      ...(Object.keys(crm.headers).length > 0 && { extraHeaders: crm.headers }),
    },
    ...(crm.token_file !== undefined && { tokenFile: crm.token_file }),
    ...(crm.contact_url !== undefined && { contactUrl: crm.contact_url }),
    google: {
      credentialsFile: google.credentials_file,
      ...(google.endpoint !== undefined && { endpoint: google.endpoint }),
      readsPerMinute: google.reads_per_minute,
      writesPerMinute: google.writes_per_minute,
      hints: google.hints,
    },
    ...(alertWebhookUrl && { alertWebhookUrl }),
  };
}

function resolvePostgres({ postgres }: ConfigFile, { databasePassword }: FileSecrets): Config['postgres'] {
  const password = databasePassword ?? postgres.password;
  return {
    ...(password && { password }),
    schema: postgres.schema,
    poolMax: postgres.pool_size,
    ...(postgres.ca_file !== undefined && { caFile: postgres.ca_file }),
    connectTimeoutMs: postgres.connect_timeout_secs * 1_000,
    statementTimeoutMs: postgres.statement_timeout_secs * 1_000,
    migrates: postgres.migrate,
  };
}

/** `state`: `file:FOLDER` or an address of a database, which has been checked. The password in an address comes first. */
export function resolveState(state: string | Secret, postgres: Config['postgres']): StateConfig {
  if (!(state instanceof Secret)) return { kind: 'file', folder: state.replace(/^file:/, '') };
  const address = parsePostgresAddress(state.reveal());
  const password = ('fault' in address ? undefined : address.password) ?? postgres.password;
  return { kind: 'postgres', ...postgres, url: state, ...(password && { password }) };
}

type ServerOptions = NonNullable<ConfigFile['server']>;

function resolveServer(
  {
    listen,
    hosts,
    password: givenPassword,
    hook_secret: givenHookSecret,
    console,
    users = [],
    trusted_proxy: proxy,
    session_hours: sessionHours,
  }: ServerOptions,
  { password = givenPassword, hookSecret = givenHookSecret }: FileSecrets,
): ServerConfig {
  return {
    ...checked(parseListen(listen)),
    ...(hosts && { hosts }),
    ...(password && { password }),
    ...(hookSecret && { hookSecret }),
    console,
    users: users.map(({ name, role, accounts, password_hash: passwordHash }) => ({
      name,
      role,
      ...(accounts && { accounts }),
      passwordHash,
    })),
    ...(proxy && { trustedProxy: resolveProxy(proxy) }),
    sessionMs: sessionHours * 3_600_000,
  };
}

function resolveProxy({
  from,
  header,
  role,
  roles = {},
  accounts = {},
}: NonNullable<ServerOptions['trusted_proxy']>): TrustedProxyConfig {
  if (header === undefined) return { from };
  const byKey = <Value>(given: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(given).map(([name, each]) => [userKey(name), each]));
  return {
    from,
    identity: {
      header: header.toLowerCase(),
      ...(role && { role }),
      roleByKey: byKey(roles),
      accountsByKey: byKey(accounts),
    },
  };
}

function resolveSync(
  description: CrmDescription,
  name: string,
  options: SyncOptions,
  addresses: SheetAddresses,
): SyncConfig {
  const { schedule, full_scan, timezone: timeZone, contacts, sheet, automation } = options;
  const columns = Object.entries(options.columns).map(([header, column]) =>
    resolveColumn(description, header, column, options),
  );
  return {
    name,
    account: options.account ?? defaultAccount,
    schedule: { cron: schedule, timeZone },
    fullScan: { cron: full_scan, timeZone },
    contacts: {
      list: contacts.list.trim(),
      ...(contacts.filter && { filter: contacts.filter }),
      moveToList: contacts.move_to_list,
      createList: contacts.create_list,
    },
    sheet: {
      ...resolveTab(sheet, addresses),
      idHeader: sheet.id_column.trim(),
      ...(sheet.status_column !== null && { statusHeader: sheet.status_column.trim() }),
      fullLookMs: checked(durationToMs(sheet.full_look)),
    },
    match: (options.match ?? defaultMatch(description, columns)).map((key) => key.split('+')),
    identifiers: description.identifiers,
    columns,
    settleMs: options.settle_secs * 1_000,
    onRowDeleted: options.on_row_deleted,
    onContactDeleted: options.on_contact_deleted,
    limits: resolveLimits(options.limits),
    ...(automation && { automation: resolveAutomation(automation, columns) }),
  };
}

/** A name and a company are no default: two people can have both (docs/service.md). */
function defaultMatch({ matchKeys }: CrmDescription, columns: readonly ColumnConfig[]): readonly string[] {
  const fields = new Set(columns.map(({ target }) => (target.kind === 'field' ? target.field.name : undefined)));
  const alone = matchKeys.filter(({ parts }) => Object.keys(parts).length === 1);
  return alone.flatMap((key) => (isMatchable(key, fields) ? [key.name] : []));
}

function resolveTab(
  { spreadsheet, tab, header_row }: Pick<FeedOptions, 'spreadsheet' | 'tab' | 'header_row'>,
  addresses: SheetAddresses,
): TabConfig {
  return { spreadsheetId: checked(addresses.spreadsheetId(spreadsheet)), tab: tab.trim(), headerRow: header_row };
}

function resolveColumn(
  { fields }: CrmDescription,
  header: string,
  column: SyncOptions['columns'][string],
  sync: SyncOptions,
): ColumnConfig {
  const {
    field,
    custom_field,
    direction,
    conflict = sync.conflict,
    blank = sync.blank,
  } = typeof column === 'string' ? { field: column } : column;
  const common = { header: header.trim(), conflict, blank };
  if (field === undefined) {
    const name = checked(custom_field);
    return {
      ...common,
      key: `custom_fields.${name}`,
      target: { kind: 'custom_field', name },
      direction: direction ?? 'to_crm',
    };
  }
  const spec = checked(fields.get(field));
  return { ...common, key: field, target: { kind: 'field', field: spec }, direction: direction ?? spec.directions[0] };
}

function resolveLimits({
  deletes,
  changes,
  blanks,
  creates,
  enrolments_per_hour,
}: SyncOptions['limits']): LimitsConfig {
  return {
    deletesPercent: checked(textToPercent(deletes)),
    changesPercent: checked(textToPercent(changes)),
    blanksPercent: checked(textToPercent(blanks)),
    creates,
    enrolmentsPerHour: enrolments_per_hour,
  };
}

function resolveAutomation(
  options: NonNullable<SyncOptions['automation']>,
  columns: readonly ColumnConfig[],
): AutomationConfig {
  const keyByHeader = new Map(columns.map(({ header, key }) => [header, key]));
  return {
    header: options.column.trim(),
    segment: options.segment,
    vetoes: Object.entries(options.unless).map(([header, values]) => ({
      columnKey: checked(keyByHeader.get(header.trim())),
      values: [values].flat(),
    })),
    onClear: options.on_clear,
    ...(options.result_column !== null && { resultHeader: options.result_column.trim() }),
  };
}

function resolveFeed(
  { collections }: CrmDescription,
  name: string,
  options: FeedOptions,
  addresses: SheetAddresses,
): FeedConfig {
  const { fields, controlled } = checked(collections.get(options.resource));
  return {
    name,
    account: options.account ?? defaultAccount,
    resource: options.resource,
    schedule: { cron: options.schedule, timeZone: options.timezone },
    sheet: {
      ...resolveTab(options, addresses),
      statusHeader: options.status_column.trim(),
      fullLookMs: checked(durationToMs(options.full_look)),
    },
    columns: Object.entries(options.columns).map(([header, key]) => {
      const path = checked(parseFieldPath(key));
      return { key, header: header.trim(), path, kind: checked(fields.get(String(path[0]))).kind };
    }),
    filter: Object.fromEntries(
      Object.entries(options.filter ?? {}).map(([field, wanted]) => [
        field,
        typeof wanted === 'object' ? wanted : String(wanted),
      ]),
    ),
    order: options.order ?? { field: 'created_at', type: options.limit_rows === undefined ? 'asc' : 'desc' },
    ...(options.limit_rows !== undefined && { rowsMax: options.limit_rows }),
    ...(options.control && controlled !== undefined && { controlled }),
    onGone: options.on_gone,
  };
}

function resolveOutbox(
  { messages }: CrmDescription,
  name: string,
  options: OutboxOptions,
  addresses: SheetAddresses,
): OutboxConfig {
  const { fields } = checked(messages.get(options.resource));
  return {
    name,
    account: options.account ?? defaultAccount,
    resource: options.resource,
    schedule: { cron: options.schedule, timeZone: options.timezone },
    sheet: { ...resolveTab(options, addresses), idHeader: options.id_column.trim() },
    headers: {
      send: options.send_column.trim(),
      uuid: options.uuid_column.trim(),
      sentAt: options.sent_column.trim(),
      delivery: options.delivery_column.trim(),
      status: options.status_column.trim(),
    },
    columns: Object.entries(options.columns).map(([header, key]) => ({
      field: checked(fields.get(key.trim())),
      header: header.trim(),
    })),
    settleMs: options.settle_secs * 1_000,
    sendsPerHour: options.sends_per_hour,
  };
}

/** The checks have ensured this; anything else is a fault in them, and ends the program. */
function checked<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the configuration passed its checks and does not hold what they promise');
  return value;
}
