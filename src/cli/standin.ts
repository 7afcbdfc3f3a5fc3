import { once } from 'node:events';
import type { Command } from 'commander';
import { addDemoData } from '../standin/service/demo.ts';
import { Snapshot } from '../standin/service/snapshot.ts';
import { createServiceStandin } from '../standin/service/standin.ts';
import { serve } from '../standin/serve.ts';
import { UsageError } from './errors.ts';
import type { CliWorld } from './world.ts';

interface StandinOptions {
  readonly servicePort: number;
  readonly seed: string;
  readonly empty?: boolean;
  readonly snapshot?: string;
}

/** The token a trial uses; the stand-in listens on loopback alone. */
const token = 'standin';

export function standinCommand(program: Command, world: CliWorld): void {
  program
    .command('standin')
    .summary('a local service to try things on')
    .description('Serves a stand-in of the outreach service on this machine, with demo data, until it is stopped.')
    .option('--service-port <port>', 'where it listens on 127.0.0.1; 0 takes any free port', port, 4010)
    .option('--seed <word>', 'the same word gives the same demo data', 'DEMO')
    .option('--empty', 'start without demo data')
    .option('--snapshot <file>', 'keep the data in this file, so that it survives a restart')
    .action((options: StandinOptions) => runStandin(options, world));
}

async function runStandin(options: StandinOptions, { now, stdout, stop }: CliWorld): Promise<void> {
  let changed = () => {};
  const standin = createServiceStandin({
    now,
    seed: seedNumber(options.seed),
    acceptedTokens: [token],
    onChange: () => changed(),
  });
  await using snapshot =
    options.snapshot === undefined ? undefined : new Snapshot(options.snapshot, standin.model, standin.world);
  const isRestored = (await snapshot?.load()) ?? false;
  if (!isRestored && !options.empty) addDemoData(standin.model, standin.world);
  if (snapshot) {
    changed = () => snapshot.touch();
    // Also the demo data, so that the next start finds the same.
    changed();
  }

  await using server = await serve(standin.app, options.servicePort);
  const { model } = standin;
  const data =
    `${model.contacts.size} contacts in ${model.lists.table.size} lists, ` +
    `${model.automations.table.size} automations, ${model.senderProfiles.table.size} sender profiles, ` +
    `${model.inbox.messages.size} messages, ${model.inbox.emails.size} e-mails`;
  const kept = options.snapshot === undefined ? 'forgotten at the end' : `kept in ${options.snapshot}`;
  stdout.write(`The stand-in of the outreach service listens on ${server.url}
  ${data}; ${kept}

In another terminal:
  export OUTREACH_BASE_URL=${server.url} OUTREACH_TOKEN=${token}
  npm run leadsheet -- api contacts.search --limit 1
  curl ${server.url}/_standin/switches/help

Ctrl-C ends it.
`);
  if (!stop.aborted) await once(stop, 'abort');
  stdout.write('The stand-in has ended.\n');
}

/** FNV-1a: any word as a seed. */
function seedNumber(word: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(word)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

function port(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
  throw new UsageError(`a port is a number from 0 to 65535, not "${text}"`);
}
