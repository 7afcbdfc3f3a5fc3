// Runs both stand-ins and the daemon in one process, and prints the addresses and examples to try.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import delay from 'delay';
import { readConfigFile } from '../app-config.ts';
import { type RunningDaemon, startDaemon } from '../daemon.ts';
import { guideSteps, type Trial, type TrialBegun } from '../operator/guide.ts';
import { addDemoSpreadsheet, demoSpreadsheetId } from '../standin/demo-sheet.ts';
import { PortTaken, serve } from '../standin/serve.ts';
import { addDemoData } from '../standin/service/demo.ts';
import { createServiceStandin } from '../standin/service/standin.ts';
import { createSheetsStandin } from '../standin/sheets/standin.ts';
import { CommandFailed } from './errors.ts';
import { token } from './standin-servers.ts';
import { prepareTrialFolder, sheetCallsPerMinute } from './trial-folder.ts';
import type { TrialOptions } from './trial.ts';
import type { CliWorld } from './world.ts';

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
  const command = world.env['npm_lifecycle_event'] === 'start' ? 'npm run -s leadsheet --' : 'leadsheet';
  let begun: TrialBegun | undefined;
  const trial: Trial = { begun: () => begun };
  const running = await startDaemon(config, {
    ...world,
    out: lines.out,
    trial,
    people: { nameOf, isShown: lines.isShown },
  });
  stdout.write(greeting({ ...places, url: running.url!, ...count() }));
  lines.begin();
  await untilEqual(running, stop);
  lines.showChanges();
  if (!stop.aborted) {
    const [first] = service.model.contacts.all();
    const { uuid, name } = first!.record;
    begun = { ...places, token, command, contact: { uuid, name: name ?? uuid }, at: now() };
    stdout.write(suggestions({ ...places, begun, url: running.url!, ...count() }));
    await once(stop, 'abort');
  }
  await running.end();
  stdout.write('The trial has ended.\n');

  function nameOf(uuid: string): string | undefined {
    return (
      service.model.contacts.find(uuid)?.record.name ?? service.model.automations.table.find(uuid)?.name ?? undefined
    );
  }

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
    else stdout.write(line);
  };
  return {
    out: { write, ...(stdout.isTTY !== undefined && { isTTY: stdout.isTTY }) },
    begin() {
      const early = held ?? [];
      held = undefined;
      for (const line of early) write(line);
    },
    isShown: (message: string) => areChangesShown || message !== 'change done',
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

  Open the console in a browser: ${url}
  It shows what runs and what is to try, and has the buttons for what you decide.

  the sheet      ${sheetsUrl}   ${rowCount} rows; open it in a browser, too
  the service    ${serviceUrl}   ${contactCount} contacts in its list
  configuration  ${configFile}

Now each side is carried over to the other, which takes some ten seconds:

`;
}

function suggestions(places: Places & { readonly begun: TrialBegun; readonly url: string }): string {
  const { begun, url, configFile, contactCount, rowCount } = places;
  const steps = guideSteps(begun).map(({ text, commands }, index) => {
    const lines = wrap(text, widthMax - indent.length).map((line, at) =>
      at === 0 ? `  ${index + 1}. ${line}` : `${indent}${line}`,
    );
    return [...lines, ...commands.map((command) => `${indent}  ${command}`)].join('\n');
  });
  return `
Both sides are equal: ${contactCount} contacts, ${rowCount} rows. Change one, and watch the lines that follow, or the console:

${steps.join('\n')}

  The console:     ${url}   it ticks off what you have tried
  How it stands:   ${begun.command} status --config ${configFile}
  What was done:   ${begun.command} log --config ${configFile}
  Ctrl-C ends it.

`;
}

/** A usual terminal shows lines of this length whole, if it is a little wider than 80. */
const widthMax = 120;
const indent = '     ';

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
