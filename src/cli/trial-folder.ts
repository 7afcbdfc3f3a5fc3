// Writes the files of a trial: the configuration, a service account key for the stand-in, and the state folder.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed } from './errors.ts';

export interface TrialPlaces {
  readonly serviceUrl: string;
  readonly sheetsUrl: string;
  readonly token: string;
  readonly list: string;
  readonly spreadsheetId: string;
  /** The port that leadsheet listens on; 0 for any free one. */
  readonly port: number;
}

/** Calls of each kind, in the configuration and in the stand-in. */
export const sheetCallsPerMinute = 600;

const mark = '# A trial of leadsheet. This folder is made anew whenever one starts.';

/**
 * Prepares the folder for a new trial, and returns its configuration file. Files of an earlier trial are deleted. Throws
 * CommandFailed if the folder holds anything else, and leaves it untouched.
 */
export function prepareTrialFolder(folder: string, places: TrialPlaces): string {
  const configFile = join(folder, 'leadsheet.yaml');
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    const isOurs = existsSync(configFile) && readFileSync(configFile, 'utf8').startsWith(mark);
    if (!isOurs) throw new CommandFailed(`${folder} holds something else than a trial; choose another --folder`);
    rmSync(folder, { recursive: true });
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(configFile, configText(folder, places), { mode: 0o600 });
  writeFileSync(join(folder, 'google.json'), JSON.stringify(key), { mode: 0o600 });
  return configFile;
}

/** The stand-in accepts any key. */
const key = {
  type: 'authorized_user',
  client_id: 'trial',
  client_secret: 'opens-nothing',
  refresh_token: 'opens-nothing',
};

function configText(folder: string, { serviceUrl, sheetsUrl, token, list, spreadsheetId, port }: TrialPlaces): string {
  const inFolder = (name: string) => JSON.stringify(join(folder, name));
  return `${mark}
crm:
  base_url: ${serviceUrl}
  token: ${token}
  requests_per_minute: 3000 # the stand-in allows more than the service, so that a trial need not wait
google:
  credentials_file: ${inFolder('google.json')}
  endpoint: ${sheetsUrl}
  reads_per_minute: ${sheetCallsPerMinute} # Google allows 60 of each; with three tabs a trial would wait for that
  writes_per_minute: ${sheetCallsPerMinute}
state: ${JSON.stringify(`file:${join(folder, 'state')}`)}
server: { listen: 127.0.0.1:${port}, console: write }
log: { format: pretty, contact_details: shown }
syncs:
  prospects:
    schedule: '*/3 * * * * *'
    full_scan: '0 * * * * *'
    contacts: { list: ${list} }
    sheet: { spreadsheet: ${spreadsheetId}, tab: Prospects, status_column: Sync }
    match: [email]
    columns:
      First name: first_name
      Last name: last_name
      Company: company_name
      Email: email
      Position: position
      Status: { field: status, direction: to_sheet }
    settle_secs: 2
    on_row_deleted: restore
    automation:
      column: Automation
      unless: { Status: [failed_validation] }
      on_clear: cancel
      result_column: Enrolment
feeds:
  automations:
    resource: automations
    spreadsheet: ${spreadsheetId}
    tab: Automations
    schedule: '*/3 * * * * *'
    control: true
    columns: { ID: uuid, Name: name, Status: status, Description: description, Hours: schedule.timeblocks, Time zone: schedule.timezone }
  emails:
    resource: emails
    spreadsheet: ${spreadsheetId}
    tab: Emails
    schedule: '*/3 * * * * *'
    limit_rows: 20
    columns: { ID: uuid, Sent: sent_at, From: from_email, To: to_email, Subject: subject, Status: status }
`;
}
