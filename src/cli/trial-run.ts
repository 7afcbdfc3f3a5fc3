// Runs both stand-ins and the daemon in one process, and prints the addresses and examples to try.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import delay from 'delay';
import { readConfigFile } from '../app-config.ts';
import { type RunningDaemon, startDaemon } from '../daemon.ts';
import { addDemoSpreadsheet, demoSpreadsheetId } from '../standin/demo-sheet.ts';
import { PortTaken, serve } from '../standin/serve.ts';
import { addDemoData } from '../standin/service/demo.ts';
import { createServiceStandin } from '../standin/service/standin.ts';
import type { ContactRecord } from '../standin/service/stored.ts';
import { createSheetsStandin } from '../standin/sheets/standin.ts';
import { CommandFailed } from './errors.ts';
import { token } from './standin-servers.ts';
import { prepareTrialFolder, sheetCallsPerMinute } from './trial-folder.ts';
import type { CliWorld } from './world.ts';

export interface TrialOptions {
  readonly servicePort: number;
  readonly sheetsPort: number;
  readonly port: number;
  readonly folder: string;
}

const seed = 1;

/** Ends when `world.stop` aborts. Throws CommandFailed if a port is taken, or if the folder is not a trial's. */
export async function runTrial(options: TrialOptions, world: CliWorld): Promise<void> {
  try {
    await serveAndRun(options, world);
  } catch (error) {
    throw error instanceof PortTaken ? new CommandFailed(error.message, { cause: error }) : error;
  }
}

async function serveAndRun(options: TrialOptions, world: CliWorld): Promise<void> {
  const { now, random, stdout, stop } = world;
  const service = createServiceStandin({
    now,
    seed,
    acceptedTokens: [token],
    switches: { rateLimits: [{ calls: 3300, windowMs: 60_000 }] },
  });
  addDemoData(service.model, service.world);
  const perMinute = { read: sheetCallsPerMinute, write: sheetCallsPerMinute };
  const quotas = { perUser: perMinute, perProject: perMinute };
  const sheets = createSheetsStandin({ now, random, access: 'open', quotas });
  addDemoSpreadsheet(sheets, service.model);
  const [list] = service.model.lists.table.all();

  await using serviceServer = await serve(service.app, options.servicePort);
  await using sheetsServer = await serve(sheets.app, options.sheetsPort);
  const configFile = prepareTrialFolder(options.folder, {
    serviceUrl: serviceServer.url,
    sheetsUrl: sheetsServer.url,
    token,
    list: list!.name,
    spreadsheetId: demoSpreadsheetId,
    port: options.port,
  });
  const config = readConfigFile(configFile, { env: {}, readFile: (file) => readFileSync(file, 'utf8') });

  const places = { serviceUrl: serviceServer.url, sheetsUrl: sheetsServer.url, configFile };
  const lines = createLines(world.logOutput);
  const running = await startDaemon(config, { ...world, out: lines.out, isTrial: true });
  stdout.write(greeting({ ...places, url: running.url!, ...count() }));
  lines.begin();
  await untilEqual(running, stop);
  lines.showChanges();
  if (!stop.aborted) {
    const command = world.env['npm_lifecycle_event'] === 'start' ? 'npm run -s leadsheet --' : 'leadsheet';
    const [first] = service.model.contacts.all();
    stdout.write(suggestions({ ...places, command, contact: first!.record, ...count() }));
    await once(stop, 'abort');
  }
  await running.end();
  stdout.write('The trial has ended.\n');

  function count() {
    const inList = service.model.contacts.all().filter(({ record }) => record.list_uuid === list!.uuid);
    const rows = sheets.person(demoSpreadsheetId).read('Prospects');
    return { contactCount: inList.toArray().length, rowCount: rows.length - 1 };
  }
}

/**
 * The log of the daemon for the terminal. It begins after the greeting. The hundreds of changes of the first runs are left
 * out, so that the few later ones are visible.
 */
function createLines(stdout: CliWorld['logOutput']) {
  let held: string[] | undefined = [];
  let areChangesShown = false;
  const write = (line: string): void => {
    if (held) held.push(line);
    else if (areChangesShown || !line.includes('change done')) stdout.write(line);
  };
  return {
    out: { write, ...(stdout.isTTY !== undefined && { isTTY: stdout.isTTY }) },
    begin() {
      const early = held ?? [];
      held = undefined;
      for (const line of early) write(line);
    },
    showChanges: () => void (areChangesShown = true),
  };
}

/** The first run carries over what it finds. Typed cells must settle first and go with a later run. */
async function untilEqual({ daemon }: RunningDaemon, stop: AbortSignal): Promise<void> {
  const isEqual = () =>
    daemon.status().every(({ lastRun }) => lastRun?.status === 'succeeded' && lastRun.counts.waiting === 0);
  while (!stop.aborted && !isEqual()) await delay(100, { signal: stop }).catch(() => undefined);
}

interface Places {
  readonly serviceUrl: string;
  readonly sheetsUrl: string;
  readonly configFile: string;
  readonly contactCount: number;
  readonly rowCount: number;
}

function greeting(places: Places & { readonly url: string }): string {
  const { serviceUrl, sheetsUrl, url, configFile, contactCount, rowCount } = places;
  return `A trial of leadsheet. Everything is on this machine, and begins anew with the next trial.

  the sheet      ${sheetsUrl}   ${rowCount} rows; open it in a browser
  the service    ${serviceUrl}   ${contactCount} contacts in its list
  leadsheet      ${url}   its console: jobs, runs, conflicts, problems and the log
  configuration  ${configFile}

Now each side is carried over to the other, which takes some ten seconds:

`;
}

function suggestions(places: Places & { readonly command: string; readonly contact: ContactRecord }): string {
  const { serviceUrl, command, configFile, contact, contactCount, rowCount } = places;
  return `
Both sides are equal: ${contactCount} contacts, ${rowCount} rows. Change one, and watch the lines that follow:

  1. Type another position into a cell of the sheet. It goes to the service.
  2. Change ${contact.name} in the service, in another terminal. It goes to the sheet.
       export OUTREACH_BASE_URL=${serviceUrl} OUTREACH_TOKEN=${token}
       ${command} api contacts.update --uuid ${contact.uuid} --position Captain
  3. Delete a row of the sheet. It comes back, since nobody deleted the contact.
  4. Type "Welcome sequence" into an Automation cell. The contact is put into that automation, once; the Enrolment cell
     says so. A new person with one, below the last row, is created and put into it by one call. Type "Welcome", or the
     name into a row whose Status is failed_validation: nothing is sent, and the cell says why. Empty the cell to cancel.
  5. In the tab Automations, type "off" into the Status of Welcome sequence: it stops. "on" for Spring campaign, which is
     archived, is refused. Write notes beside the rows, and sort them: they stay together.
  6. The tab Emails has the last 20 e-mails of the service. What you type over them is put back.

  How it stands:   ${command} status --config ${configFile}
  What was done:   ${command} log --config ${configFile}
  Ctrl-C ends it.

`;
}
