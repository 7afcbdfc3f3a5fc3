// The command `console`: asks the running daemon for a link that logs this account into the console.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { html } from 'hono/html';
import { localFolder } from '../app-state.ts';
import type { Config } from '../config/config.ts';
import { askSocket, NoAnswer } from '../lib/socket-http.ts';
import {
  type ConsoleLinkRefused,
  consoleLinkRefused,
  type ConsoleLinkTold,
  consoleLinkTold,
  type ConsoleLinkWanted,
  protocolVersion,
} from '../operator/answers/live.ts';
import { lineText } from '../log/printable.ts';
import { contactDaemon, parsed } from './contact.ts';
import { CommandFailed } from './errors.ts';
import type { GlobalOptions } from './globals.ts';
import { printAnswer } from './print/lines.ts';
import { writePrivateFile } from './private-file.ts';
import { readConfig } from './read-config.ts';
import type { CliWorld } from './world.ts';

interface ConsoleOptions extends GlobalOptions {
  readonly open?: true;
  readonly read?: true;
}

const silentMs = 10_000;

/** Throws CommandFailed: no daemon runs, or it has no console. */
export async function runConsole(globals: ConsoleOptions, world: CliWorld): Promise<void> {
  const config = readConfig(globals, world);
  const path = await findSocket(config, world);
  const link = await askForLink(config, path, world, globals.read ? 'viewer' : 'operator');
  printAnswer(link, linkText, globals, world);
  if (globals.open) await openLink(link, config, world);
}

async function findSocket(config: Config, { stop }: CliWorld): Promise<string> {
  const reply = await contactDaemon(config, { silentMs, signal: stop });
  switch (reply.kind) {
    case 'told':
      return reply.path;
    case 'silent':
      throw new CommandFailed(`the daemon ${reply.why}: restart it with leadsheet run, and ask again`);
    case 'other-version': {
      const which = reply.version === undefined ? 'another version' : `leadsheet ${reply.version}`;
      throw new CommandFailed(`the daemon is of ${which}: restart it with leadsheet run, and ask again`);
    }
    case 'absent':
    case 'refused':
      throw new CommandFailed(
        `no daemon runs on the state of ${config.path}: start it with leadsheet run, and ask again`,
      );
  }
}

async function askForLink(
  config: Config,
  path: string,
  { account: name, stop: signal }: CliWorld,
  role: ConsoleLinkWanted['role'],
): Promise<ConsoleLinkTold> {
  const body: ConsoleLinkWanted = { protocol: protocolVersion, name, role };
  const asked = { path, method: 'POST', target: '/v1/console-links', body, silentMs, signal } as const;
  let text: string;
  try {
    const { lines } = await askSocket(asked);
    text = (await Array.fromAsync(lines)).join('\n');
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new CommandFailed(`the daemon ${error.message}: restart it with leadsheet run, and ask again`);
  }
  const answer = parsed(text);
  const told = consoleLinkTold.safeParse(answer).data;
  if (told) return told;
  throw new CommandFailed(refusalText(consoleLinkRefused.safeParse(answer).data?.why, config.path));
}

function refusalText(why: ConsoleLinkRefused['why'] | undefined, path: string): string {
  switch (why) {
    case 'off':
      return `the daemon serves no console: set server.listen, and server.console to read or write, in ${path}; then restart leadsheet run`;
    case 'starting':
      return 'the daemon is starting: ask again in a few seconds';
    case 'ending':
      return 'the daemon is ending: start it with leadsheet run, and ask again';
    case 'invalid':
    case undefined:
      return 'the daemon is of a version that makes no links: restart it with leadsheet run, and ask again';
  }
}

function linkText({ url, seconds, name, role }: ConsoleLinkTold): string {
  return `${url}\n\nOpen it within ${seconds} s. It logs in ${lineText(name)} as ${role}, once.\n`;
}

const fileName = '.console-link.html';

/**
 * The browser is given a file that leads to the link, not the link: all accounts of a machine see the arguments of each process.
 * The file stays, and its link is of no use after a minute.
 */
async function openLink({ url }: ConsoleLinkTold, config: Config, world: CliWorld): Promise<void> {
  if (!world.openInBrowser) throw new CommandFailed('no browser can be opened here: open the link yourself');
  const path = join(localFolder(config), fileName);
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="referrer" content="no-referrer" />
        <meta http-equiv="refresh" content="0;url=${url}" />
        <title>leadsheet</title>
      </head>
      <body>
        <p><a href="${url}">To the console</a></p>
      </body>
    </html>`;
  writePrivateFile(path, `${page.toString()}\n`, world.randomId);
  try {
    await world.openInBrowser(pathToFileURL(path).href);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailed(`no browser could be opened (${why}): open the link yourself`);
  }
}
