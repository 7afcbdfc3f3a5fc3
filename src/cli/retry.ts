import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { readStanding, type Standing } from '../engine/standing.ts';
import type { Store } from '../state/port.ts';
import type { ProblemKind } from '../sync/change.ts';
import { type Decision, recordDecisions } from './decide.ts';
import { didYouMean, UsageError } from './errors.ts';
import type { GlobalOptions } from './globals.ts';
import { openState } from './open.ts';
import { selectSyncs } from './select.ts';
import type { CliWorld } from './world.ts';

interface RetryOptions extends GlobalOptions {
  readonly sync?: string;
  readonly yes?: true;
}

interface Known {
  readonly sync: string;
  readonly standing: Standing;
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
    .option('--yes', 'also an enrolment that was made or may have been: you looked, and want it again')
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
  const names = selectSyncs(config, sync === undefined ? [] : [sync]);
  return Promise.all(names.map(async (name) => ({ sync: name, standing: await readStanding(store.sync(name)) })));
}

function retryAll(known: readonly Known[]): readonly Decision[] {
  return known.flatMap(({ sync, standing }) => {
    const problems = standing.lastRun?.problems ?? [];
    const ids = new Set(problems.filter(({ kind }) => retriedKinds.has(kind)).map(({ id }) => id));
    // One by one, and with --yes: real people get real messages.
    for (const id of ids) if (doubtfulEnrolment(standing, id)) ids.delete(id);
    return [...ids].map((id) => toDecision(sync, id));
  });
}

function retryOne(given: string, known: readonly Known[], isSure: boolean): readonly Decision[] {
  const id = /^(row:\d+|[0-9A-F-]{36}(\/.*)?)$/i.test(given)
    ? given.replace(/^[^/]*/, (part) => part.toLowerCase())
    : given;
  const doubtful = known.flatMap(({ standing }) => doubtfulEnrolment(standing, id) ?? []);
  if (doubtful.length > 0 && !isSure) throw new UsageError(doubtful[0]);
  const hits = known.flatMap(({ sync, standing }) => idsOf(standing, id).map((found) => toDecision(sync, found)));
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

/** What the algorithm knows under this name: problems by id, rows, contacts by uuid or e-mail address, enrolments. */
function idsOf(standing: Standing, id: string): readonly string[] {
  const { lastRun, links, uuidsByEmail, enrolments } = standing;
  if (id.includes('@')) return uuidsByEmail(id);
  const isProblem = lastRun?.problems.some((problem) => problem.id === id) ?? false;
  const rowOf = /^row:(\d+)$/.exec(id)?.[1];
  const isRow = rowOf !== undefined && (lastRun?.problems.some(({ row }) => row === Number(rowOf)) ?? false);
  return isProblem || isRow || links.has(id) || enrolments.has(id.replace('/', ' ')) ? [id] : [];
}

/** E1, E3: the question that --yes answers, where a call was made already or may have been; names who, and into what. */
function doubtfulEnrolment({ enrolments, personText }: Standing, id: string): string | undefined {
  const entry = enrolments.get(id.replace('/', ' '));
  if (!entry || entry.state === 'waiting' || entry.state === 'refused') return undefined;
  const [uuid = '', automation = ''] = id.split('/');
  const what = `${personText(uuid)} into ${entry.name ?? automation}`;
  const day = new Date(entry.at).toISOString().slice(0, 10);
  return entry.state === 'unknown' || entry.state === 'intended'
    ? `it is unknown whether ${what} was enrolled (${day}): look in the service and, if not, say --yes; else it happens twice`
    : `${what} was done already (${entry.state} ${day}): say --yes to have it done again`;
}

function toDecision(sync: string, id: string): Decision {
  return { sync, request: { kind: 'retry', id }, text: `${id} is tried again` };
}
