// The configuration file: every option with its type, default, check and description.
// Types, validation, the reference page, the JSON Schema and the check of the example are made from this.
import * as z from 'zod';
import type { CrmDescription } from '../../crm/port.ts';
import { addressFault, isContactAddress, isHostName, parseListen } from '../address.ts';
import { headerNameWords, headerValueWords, isExtraHeaderName, isHeaderValue, repeatedHeader } from '../headers.ts';
import { hookSecretCharsMin, hookSecretWords, isHookSecret, isInQuotes, isToken } from '../secret-file.ts';
import { serviceDefaults } from '../service-settings.ts';
import { accessOptions } from './access.ts';
import { feed } from './feed.ts';
import { oneOf, secret, section, seconds, text, textThat, wholeNumber } from './leaves.ts';
import { outbox } from './outbox.ts';
import { postgres, state } from './state.ts';
import { sync } from './sync.ts';

const addressWords =
  'an https address such as https://host, without user, query or fragment (plain http only to this machine: 127.0.0.1, localhost)';
const address = () => textThat(addressWords, (value) => addressFault(value) === undefined);

export const crm = section({
  base_url: address().describe('The address of the service.'),
  token: secret(
    'The API key of the service. This or `token_file`.',
    'the API key, one word without quotes around it',
    (value) => isToken(value.trim()) && !isInQuotes(value.trim()),
  ).optional(),
  token_file: text('the path of a file').optional().describe('A file that holds the API key and nothing else.'),
  requests_per_minute: wholeNumber(1)
    .default(serviceDefaults.requestsPerMinute)
    .describe(
      'The budget of the token, shared by all syncs and all processes of the machine. The service refuses more than 300 a minute.',
    ),
  concurrency: wholeNumber(1, 20)
    .default(serviceDefaults.concurrency)
    .describe('Calls under way at once. Two keep the budget busy; more only strain the service.'),
  timeout_secs: seconds(1, 600)
    .default(serviceDefaults.timeoutSecs)
    .describe('The time that one call may take, its whole answer included.'),
  headers: z
    .record(
      textThat(headerNameWords, isExtraHeaderName),
      secret('What the header says. Shown by nothing.', headerValueWords, isHeaderValue),
    )
    .refine((headers) => repeatedHeader(Object.keys(headers)) === undefined, {
      error: 'each header once, whatever the case of its name',
    })
    .meta({
      writeOnly: true,
      description:
        'Headers to send with each request beside those of leadsheet, such as `Team-ID: "5"`. Their values are shown by nothing.',
    })
    .default({}),
  contact_url: textThat(
    'an https address with {uuid} once behind the host, such as https://app.example.com/contacts/{uuid} (plain http only to this machine)',
    isContactAddress,
  )
    .optional()
    .describe(
      'The address of a contact in the web pages of the service, with `{uuid}` for its uuid. The console links to it. Left out: no links.',
    ),
}).describe('The outreach service: its address, and how often it may be called.');

export const google = section({
  credentials_file: text('the path of a credentials file').describe(
    'The JSON file of a service account, an authorized user or an external account.',
  ),
  endpoint: address()
    .optional()
    .describe(
      'The address of the stand-in: calls go there instead of to Google, tokens included. Left out: to Google.',
    ),
  reads_per_minute: wholeNumber(1)
    .default(60)
    .describe(
      'Google lets one user of one project read 60 times a minute (https://developers.google.com/workspace/sheets/api/limits).',
    ),
  writes_per_minute: wholeNumber(1)
    .default(60)
    .describe('Google lets one user of one project write 60 times a minute.'),
  hints: oneOf(['off', 'version', 'changes'])
    .default('off')
    .describe(
      'Whether Google Drive is asked if a spreadsheet may have changed, in place of reading its tab each time (docs/spreadsheet.md). ' +
        '`version`: one call for each spreadsheet. `changes`: one call for all spreadsheets of the account. Both need the Drive API and ' +
        'the scope drive.metadata.readonly. `off`: every run reads the tab.',
    ),
}).describe('Google Sheets: the account of leadsheet, and how often it may call.');

const server = section({
  listen: textThat('host:port, such as 127.0.0.1:4000 or [::1]:4000', (value) => parseListen(value) !== undefined)
    .default('127.0.0.1:4000')
    .describe(
      'Host and port of the server. Beyond this machine it wants a password, users or a proxy that knows people.',
    ),
  hosts: z
    .array(textThat('the name of a host without its port, such as status.example.com', isHostName))
    .optional()
    .describe(
      'Names under which others reach the server, such as that of a reverse proxy. Without a login, with `trusted_proxy.header`, ' +
        'or with names given here, a request for any other name is refused; localhost, IP addresses and the host of `listen` are always answered, and hooks under any name.',
    ),
  password: secret(
    'The password of the server, of 15 characters or more beyond this machine. This or `password_file`.',
    'a password',
  ).optional(),
  password_file: text('the path of a file').optional().describe('A file that holds the password.'),
  hook_secret: secret(
    'The secret that a request to `/hooks/NAME` must have; a run of that sync or feed begins at once. This or ' +
      '`hook_secret_file`. Left out: there are no hooks.',
    hookSecretWords,
    (value) => isHookSecret(value, hookSecretCharsMin),
  ).optional(),
  hook_secret_file: text('the path of a file').optional().describe('A file that holds the secret of the hooks.'),
  console: z
    .enum(['off', 'read', 'write'])
    .default('read')
    .describe(
      'The pages that show jobs, runs, conflicts, problems and the log. `read`: they change nothing. `write`: decisions are ' +
        'made on them, too. Without a login they hide contact details. `off`: there are none.',
    ),
  ...accessOptions,
}).describe('Health, metrics, hooks and the console over HTTP. `null`: none.');

const log = section({
  level: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
    .default('info')
    .describe('The least important lines to print.'),
  format: z
    .enum(['json', 'pretty'])
    .default('json')
    .describe('One JSON object a line, or a sentence a line for people.'),
  contact_details: z
    .enum(['hidden', 'shown'])
    .default('hidden')
    .describe('Names, addresses and the like in the log: `hidden` or `shown`. Ids are always shown.'),
}).describe('The log of the daemon.');

const alerts = section({
  webhook_url: secret(
    'Where one message goes for each change of state, and one on recovery.',
    'an https address (plain http only to this machine)',
    (value) => [undefined, 'extras'].includes(addressFault(value)),
  ).optional(),
}).describe(
  'The address that is told when something changes for the worse, or is well again. Left out: nobody is told.',
);

const account = section({
  crm,
  google,
  alerts: alerts
    .optional()
    .describe('The address that is told of the jobs of this account. Left out: that of `alerts` at the top.'),
}).describe('The service and the Google account of one client.');

const fileOf = (description: CrmDescription) =>
  section({
    crm: crm.optional(),
    google: google.optional(),
    accounts: z
      .record(z.string(), account)
      .optional()
      .describe(
        'Further accounts by name, each with `crm` and `google` of its own, for jobs that name one with `account`. ' +
          '`crm` and `google` at the top are the account `default`.',
      ),
    include: z
      .union([text('the path of a file, or a pattern'), z.array(text('the path of a file, or a pattern'))], {
        error: 'the path of a file, or a pattern such as clients/*.yaml, or a list of them',
      })
      .optional()
      .describe(
        'Files with further `accounts`, `syncs`, `feeds` and `outbox`, such as `clients/*.yaml`: a path or pattern, or a list, relative to ' +
          'this file.',
      ),
    state,
    postgres: postgres.prefault({}),
    server: server.nullable().prefault({}),
    log: log.prefault({}),
    alerts: alerts.prefault({}),
    syncs: z
      .record(z.string(), sync(description))
      .default({})
      .describe('The syncs by name. The name is also the folder of its state.'),
    feeds: z
      .record(z.string(), feed(description))
      .default({})
      .describe('One-way tabs: a collection of the service mirrored to a sheet.'),
    outbox: z
      .record(z.string(), outbox(description))
      .default({})
      .describe('Tabs whose rows are messages or e-mails to send. Left out: nothing is ever sent.'),
  });

type FileSchema = ReturnType<typeof fileOf>;

const schemaByDescription = new WeakMap<CrmDescription, FileSchema>();

/**
 * The schema of the file for a CRM with these capabilities. Made once for each: making it takes longer than checking a
 * file.
 */
export function configFile(description: CrmDescription): FileSchema {
  const known = schemaByDescription.get(description) ?? fileOf(description);
  schemaByDescription.set(description, known);
  return known;
}

/** A valid file, in its own words, with every default and with secrets wrapped. */
export type ConfigFile = z.output<FileSchema>;
export type SyncOptions = ConfigFile['syncs'][string];
export type FeedOptions = ConfigFile['feeds'][string];
export type OutboxOptions = ConfigFile['outbox'][string];
