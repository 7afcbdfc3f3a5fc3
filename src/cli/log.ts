import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { readStanding } from '../engine/standing.ts';
import type { HistoryLine, HistoryQuery, Store } from '../state/port.ts';
import { enrolmentToAnswer, historyToAnswer } from './answers.ts';
import { CommandFailed, UsageError } from './errors.ts';
import type { GlobalOptions } from './globals.ts';
import { openState } from './open.ts';
import { enrolmentText, historyText } from './print/history.ts';
import { selectAll, selectSyncs } from './select.ts';
import type { CliWorld } from './world.ts';

interface LogOptions extends GlobalOptions {
  readonly sync?: string;
  readonly run?: string;
  readonly contact?: string;
  readonly since?: string;
  readonly follow?: true;
  readonly enrolments?: true;
}

export function logCommand(program: Command, world: CliWorld, serve: () => void): void {
  program
    .command('log')
    .summary('the history of changes')
    .description('Shows what runs changed, field by field, oldest first. With --json one object a line.')
    .option('--sync <name>', 'of one sync')
    .option('--run <id>', 'of one run')
    .option('--contact <contact>', 'of one contact: its uuid, or its e-mail address while it is linked')
    .option('--since <time>', 'from then on: 2026-11-21, 2026-11-21T09:00Z, or 30m, 12h, 7d before now')
    .option('--enrolments', 'the ledger instead: who was put into which automation, when, by which run')
    .option('--follow', 'go on with changes as they are made, until it is stopped')
    .action(async (_options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<LogOptions>();
      if (globals.follow) serve();
      const { config, store } = openState(globals, world);
      const [sync] = globals.sync === undefined ? [] : selectAll(config, [globals.sync]);
      const contacts = await findContacts(globals, config, store);
      const since = globals.since === undefined ? undefined : readSince(globals.since, world.now());
      if (globals.enrolments) {
        const names = selectSyncs(config, sync === undefined ? [] : [sync]);
        for (const name of names) await printEnrolments(name, store, { ...globals, contacts, since }, world);
        return;
      }
      const query: HistoryQuery = {
        ...(sync !== undefined && { sync }),
        ...(globals.run !== undefined && { run: globals.run }),
        ...(contacts?.length === 1 && { contact: contacts[0]! }),
        ...(since !== undefined && { since }),
        ...(globals.follow && { follow: true }),
        signal: world.stop,
      };
      for await (const line of store.history(query)) {
        if (contacts && !contacts.includes(line.contact ?? '')) continue;
        world.stdout.write(globals.json ? jsonLine(line) : historyText(line));
      }
    });
}

interface EnrolmentFilter extends Pick<LogOptions, 'json' | 'run'> {
  readonly contacts: readonly string[] | undefined;
  readonly since: number | undefined;
}

/** The ledger, oldest first: what is there of it now, not how it came to be. */
async function printEnrolments(
  sync: string,
  store: Store,
  { json, run, contacts, since = 0 }: EnrolmentFilter,
  { stdout }: CliWorld,
): Promise<void> {
  const { ledger } = await readStanding(store.sync(sync));
  const lines = [...ledger]
    .filter(([, entry]) => entry.at >= since && (run === undefined || entry.run === run))
    .toSorted(([, a], [, b]) => a.at - b.at)
    .map(([key, entry]) => enrolmentToAnswer(sync, key, entry))
    .filter(({ contact }) => contacts?.includes(contact) ?? true);
  for (const line of lines) stdout.write(json ? `${JSON.stringify(line)}\n` : enrolmentText(line));
}

function jsonLine(line: HistoryLine): string {
  return `${JSON.stringify(historyToAnswer(line))}\n`;
}

/** The history knows contacts by uuid; which uuid an address belongs to, only links tell. */
async function findContacts(
  { contact, sync }: LogOptions,
  { syncs }: Config,
  store: Store,
): Promise<readonly string[] | undefined> {
  if (contact === undefined) return undefined;
  if (!contact.includes('@')) return [contact.toLowerCase()];
  const found = new Set<string>();
  for (const { name } of syncs) {
    if (sync !== undefined && sync !== name) continue;
    for (const uuid of (await readStanding(store.sync(name))).uuidsByEmail(contact)) found.add(uuid);
  }
  if (found.size === 0) {
    throw new CommandFailed('no linked contact has this e-mail address; the history knows others by their uuid');
  }
  return [...found];
}

const unitsMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function readSince(text: string, now: number): number {
  const [, amount, unit] = /^(\d+)([mhd])$/.exec(text) ?? [];
  if (amount !== undefined) return now - Number(amount) * unitsMs[unit as keyof typeof unitsMs];
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new UsageError(`--since ${text} is no time: write 2026-11-21, 2026-11-21T09:00Z, or 30m, 12h, 7d`);
  }
  return time;
}
