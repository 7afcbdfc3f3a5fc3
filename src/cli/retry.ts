import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { enrolmentIdToKey } from '../sync/record/ledger.ts';
import { readLedgerKey } from '../sync/record/ledger.ts';
import { readStanding, type Standing } from '../engine/standing.ts';
import type { Store } from '../state/port.ts';
import type { ProblemKind } from '../sync/change.ts';
import { type Decision, recordDecisions } from './decide.ts';
import { didYouMean, UsageError } from './errors.ts';
import type { GlobalOptions } from './globals.ts';
import { openState } from './open.ts';
import { selectDeciding } from './select.ts';
import type { CliWorld } from './world.ts';

interface RetryOptions extends GlobalOptions {
  readonly sync?: string;
  readonly yes?: true;
}

interface Known {
  readonly sync: string;
  readonly standing: Standing;
  readonly isOutbox: boolean;
}

/** What is tried again where nothing is named. Deleted rows come back only one by one: somebody deleted them. */
const retriedKinds: ReadonlySet<ProblemKind> = new Set(['quarantined', 'parked', 'refused']);

export function retryCommand(program: Command, world: CliWorld): void {
  program
    .command('retry')
    .summary('try quarantined, parked or ignored records again')
    .description(
      'Has the next run try again what earlier ones gave up. Without an ID: everything quarantined, parked or refused.\n' +
        'A contact whose row was deleted gets a row again when it is named.',
    )
    .argument('[id...]', 'as leadsheet status shows it, a uuid, an e-mail address, or row:17')
    .option('--sync <name>', 'of one sync: row:17 is another row in each')
    .option('--yes', 'also an enrolment or a message that was made or may have been: you looked, and want it again')
    .action(async (ids: string[], _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<RetryOptions>();
      const { config, store } = openState(globals, world);
      const known = await readKnown(config, store, globals.sync);
      const decisions =
        ids.length === 0 ? retryAll(known) : ids.flatMap((id) => retryOne(id, known, globals.yes === true));
      await recordDecisions(decisions, store, globals, world);
      if (decisions.length === 0 && !globals.json) world.stdout.write('nothing is quarantined, parked or refused\n');
    });
}

async function readKnown(config: Config, store: Store, sync: string | undefined): Promise<readonly Known[]> {
  const names = selectDeciding(config, sync === undefined ? [] : [sync]);
  const outboxes = new Set(config.outboxes.map(({ name }) => name));
  return Promise.all(
    names.map(async (name) => {
      const standing = await readStanding(store.sync(name));
      return { sync: name, standing, isOutbox: outboxes.has(name) };
    }),
  );
}

function retryAll(known: readonly Known[]): readonly Decision[] {
  return known.flatMap((each) => {
    const { sync, standing } = each;
    const problems = standing.lastRun?.problems ?? [];
    const ids = new Set(problems.filter(({ kind }) => retriedKinds.has(kind)).map(({ id }) => id));
    // One by one, and with --yes: real people get real messages.
    for (const id of ids) if (doubtOf(each, id)) ids.delete(id);
    return [...ids].map((id) => toDecision(sync, id));
  });
}

function retryOne(given: string, known: readonly Known[], isSure: boolean): readonly Decision[] {
  const id = /^(row:\d+|[0-9A-F-]{36}(\/.*)?)$/i.test(given)
    ? given.replace(/^[^/]*/, (part) => part.toLowerCase())
    : given;
  const doubtful = known.flatMap((each) => namesOf(each, id).flatMap((name) => doubtOf(each, name) ?? []));
  if (doubtful.length > 0 && !isSure) throw new UsageError(doubtful[0]);
  const hits = known.flatMap((each) => namesOf(each, id).map((found) => toDecision(each.sync, found, isSure)));
  const syncs = new Set(hits.map(({ sync }) => sync));
  if (id.startsWith('row:') && syncs.size > 1) {
    throw new UsageError(`${id} is a row of ${[...syncs].join(' and ')}: say which with --sync`);
  }
  if (hits.length > 0) return hits;
  const ids = known.flatMap(({ standing }) => standing.lastRun?.problems.map((problem) => problem.id) ?? []);
  // Another row is no slip of the finger.
  const hint = id.startsWith('row:') ? '' : didYouMean(given, ids);
  throw new UsageError(`nothing is known of ${given}${hint || '; leadsheet status shows what is open'}`);
}

/** Rows of an outbox have IDs, and move: `row:17` is the one that was there in the last run. */
function namesOf({ standing, isOutbox }: Known, id: string): readonly string[] {
  const { lastRun, messages } = standing;
  if (!isOutbox) return idsOf(standing, id);
  const rowOf = /^row:(\d+)$/.exec(id)?.[1];
  if (rowOf === undefined) return messages.has(id) ? [id] : [];
  const named = lastRun?.problems.filter(({ row, id: name }) => row === Number(rowOf) && messages.has(name)) ?? [];
  return [...new Set(named.map((problem) => problem.id))];
}

function doubtOf({ standing, isOutbox }: Known, id: string): string | undefined {
  return isOutbox ? doubtfulMessage(standing, id) : doubtfulEnrolment(standing, id);
}

/** What the algorithm knows under this name: problems by id, rows, contacts by uuid or e-mail address, enrolments. */
function idsOf(standing: Standing, id: string): readonly string[] {
  const { lastRun, links, feedLinks, uuidsByEmail, ledger } = standing;
  if (id.includes('@')) return uuidsByEmail(id);
  const isProblem = lastRun?.problems.some((problem) => problem.id === id) ?? false;
  const rowOf = /^row:(\d+)$/.exec(id)?.[1];
  const isRow = rowOf !== undefined && (lastRun?.problems.some(({ row }) => row === Number(rowOf)) ?? false);
  return isProblem || isRow || links.has(id) || feedLinks.has(id) || ledger.has(enrolmentIdToKey(id)) ? [id] : [];
}

/** E1, E3: the question that --yes answers, where a call was made already or may have been; names who, and into what. */
function doubtfulEnrolment({ ledger, personText }: Standing, id: string): string | undefined {
  const key = enrolmentIdToKey(id);
  const entry = ledger.get(key);
  if (!entry || entry.state === 'waiting' || entry.state === 'refused') return undefined;
  const { uuid, automation } = readLedgerKey(key);
  const what = `${personText(uuid)} into ${entry.name ?? automation}`;
  const day = new Date(entry.at).toISOString().slice(0, 10);
  return entry.state === 'unknown' || entry.state === 'intended'
    ? `it is unknown whether ${what} was enrolled (${day}): look in the service and, if not, say --yes; else it happens twice`
    : `${what} was done already (${entry.state} ${day}): say --yes to have it done again`;
}

/** P3: the same of messages: names to whom. */
function doubtfulMessage({ messages, lastRun }: Standing, id: string): string | undefined {
  const message = messages.get(id);
  if (!message) return undefined;
  const day = new Date(message.at).toISOString().slice(0, 10);
  const what = `the message to ${message.name ?? 'this contact'}`;
  switch (message.state) {
    case 'unknown':
    case 'intended':
      return `it is unknown whether ${what} was sent (${day}): look in the service and, if not, say --yes; else it is sent twice`;
    case 'sent':
      return `${what} was sent already (${day}): say --yes to have it sent again`;
    case 'waiting':
    case 'refused': {
      const twin = lastRun?.problems.find((problem) => problem.id === id && problem.rule === 'P2');
      return twin && `${what} ${twin.reason.replace(/: change it.*/, '')}: say --yes to have it sent all the same`;
    }
  }
}

function toDecision(sync: string, id: string, isSure = false): Decision {
  const request = { kind: 'retry', id, ...(isSure && { isSure: true as const }) } as const;
  return { sync, request, text: `${id} is tried again` };
}
