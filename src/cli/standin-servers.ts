// Serves both stand-ins on ports until the process is stopped.
import { once } from 'node:events';
import { addDemoSpreadsheet } from '../standin/demo-sheet.ts';
import { PortTaken, serve } from '../standin/serve.ts';
import { addDemoData } from '../standin/service/demo.ts';
import { createRandom } from '../standin/service/random.ts';
import { Snapshot, SnapshotDamaged } from '../standin/service/snapshot.ts';
import { createServiceStandin } from '../standin/service/standin.ts';
import type { ServiceStandin } from '../standin/service/standin.ts';
import { createSheetsStandin } from '../standin/sheets/standin.ts';
import { CommandFailed } from './errors.ts';
import type { CliWorld } from './world.ts';

export interface StandinOptions {
  readonly servicePort: number;
  readonly sheetsPort: number;
  readonly seed: string;
  readonly empty?: boolean;
  readonly snapshot?: string;
}

/** The token of a trial; the stand-ins listen on loopback only. */
export const token = 'standin';

/** Ends when `world.stop` aborts. Throws CommandFailed if a port is taken or a snapshot cannot be read. */
export async function runStandins(options: StandinOptions, world: CliWorld): Promise<void> {
  try {
    await serveBoth(options, world);
  } catch (error) {
    const isExpected = error instanceof PortTaken || error instanceof SnapshotDamaged;
    throw isExpected ? new CommandFailed(error.message, { cause: error }) : error;
  }
}

async function serveBoth(options: StandinOptions, { now, stdout, stop }: CliWorld): Promise<void> {
  const seed = seedNumber(options.seed);
  let changed = () => {};
  const service = createServiceStandin({ now, seed, acceptedTokens: [token], onChange: () => changed() });
  await using snapshot =
    options.snapshot === undefined ? undefined : new Snapshot(options.snapshot, service.model, service.world);
  const isRestored = (await snapshot?.load()) ?? false;
  if (!isRestored && !options.empty) addDemoData(service.model, service.world);
  if (snapshot) {
    changed = () => snapshot.touch();
    // Saves the demo data too, so that the next start has the same.
    changed();
  }
  const random = createRandom(seed);
  const sheets = createSheetsStandin({ now, random: () => random.integer(0, 2 ** 31 - 1) / 2 ** 31, access: 'open' });
  if (!options.empty) addDemoSpreadsheet(sheets, service.model);

  await using serviceServer = await serve(service.app, options.servicePort);
  await using sheetsServer = await serve(sheets.app, options.sheetsPort);
  stdout.write(greeting({ service, serviceUrl: serviceServer.url, sheetsUrl: sheetsServer.url, options }));
  if (!stop.aborted) await once(stop, 'abort');
  stdout.write('The stand-ins have ended.\n');
}

interface Greeted {
  readonly service: ServiceStandin;
  readonly serviceUrl: string;
  readonly sheetsUrl: string;
  readonly options: StandinOptions;
}

/** The addresses, and examples to try. */
function greeting({ service: { model }, serviceUrl, sheetsUrl, options }: Greeted): string {
  const data =
    `${model.contacts.size} contacts in ${model.lists.table.size} lists, ` +
    `${model.automations.table.size} automations, ${model.senderProfiles.table.size} sender profiles, ` +
    `${model.inbox.messages.size} messages, ${model.inbox.emails.size} e-mails`;
  const kept = options.snapshot === undefined ? 'forgotten at the end' : `kept in ${options.snapshot}`;
  return `The stand-in of the outreach service listens on ${serviceUrl}
  ${data}; ${kept}
The stand-in of Google Sheets listens on ${sheetsUrl}
  open it in a browser to look at the cells and type into them; forgotten at the end

In another terminal:
  export OUTREACH_BASE_URL=${serviceUrl} OUTREACH_TOKEN=${token}
  npm run leadsheet -- api contacts.search --limit 1
  curl ${serviceUrl}/_standin/switches/help

Ctrl-C ends it.
`;
}

/** FNV-1a: turns any word into a seed. */
function seedNumber(word: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(word)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
