// The command `resolve`: decides conflicts.
import type { ConflictAnswer } from '../operator/answers/conflicts.ts';
import { type ConflictFilter, readConflicts } from '../operator/conflicts.ts';
import type { Operator } from '../operator/operator.ts';
import { type Choice, findConflict, resolve } from '../operator/resolve.ts';
import { countText } from '../operator/words.ts';
import { openAsking } from './ask.ts';
import { CommandFailed, UsageError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { tellPaused } from './pause.ts';
import { requestsText } from './print/decisions.ts';
import { printAnswer } from './print/lines.ts';
import { type Asked, resolveAtOnce, resolveOneByOne } from './resolve-asking.ts';
import type { CliWorld, Finish } from './world.ts';

interface ResolveOptions extends GlobalOptions {
  readonly use?: string;
  readonly value?: string;
  readonly yes?: true;
  readonly sync?: string;
  readonly field?: string;
  readonly contact?: string;
}

export async function runResolve(
  ids: string[],
  globals: ResolveOptions,
  world: CliWorld,
  finish: Finish,
): Promise<void> {
  const { operator, decider } = openOperator(globals, world);
  const { sync, field, contact } = globals;
  const filter = { syncs: sync === undefined ? [] : [sync], field, contact };
  const choice = readChoice(globals);
  // Whoever names each conflict, and what it is to be, has said it all.
  const isSaid = choice !== undefined && (ids.length > 0 || globals.yes === true);
  const asking = isSaid ? undefined : await openAsking(world, globals);
  if (asking) {
    const deciding = { operator, decider, asking };
    const asked = await askAbout(deciding, await readOpen(operator, filter, ids), choice);
    world.stdout.write(askedText(asked));
    await tellPaused(operator, asked.decided.requests, world);
    if (asked.end === 'gave up') finish(exitCodes.interrupted);
    return;
  }
  if (choice === undefined) throw new UsageError(needed);
  const answer = await resolve(operator, decider, { ids, ...filter, choice });
  printAnswer(answer, requestsText, globals, world);
  await tellPaused(operator, answer.requests, world);
}

const needed =
  'resolve needs one of --use crm, --use sheet and --value VALUE, and the id of a conflict, or --sync, --field or ' +
  '--contact; leadsheet conflicts lists what is open; on a terminal, leadsheet resolve alone asks about each';

/** The conflicts to ask about: open, and not decided yet. */
async function readOpen(operator: Operator, filter: ConflictFilter, ids: readonly string[]) {
  const open = await readConflicts(operator, filter);
  const meant = ids.length === 0 ? open : ids.map((id) => findConflict(id, open));
  return meant.filter(({ decision }) => decision === null);
}

function askAbout(
  deciding: Parameters<typeof resolveOneByOne>[0],
  conflicts: readonly ConflictAnswer[],
  choice: Choice | undefined,
): Promise<Asked> {
  if (conflicts.length === 0) throw new CommandFailed('no conflict of these is open and undecided');
  return choice ? resolveAtOnce(deciding, conflicts, choice) : resolveOneByOne(deciding, conflicts);
}

function askedText({ decided, left, closed, end }: Asked): string {
  const { requests } = decided;
  const gone = closed > 0 ? `; ${closed} not open any more` : '';
  const rest = `${gone}${left > 0 ? `; ${left} left open: leadsheet conflicts` : ''}`;
  const stopped = end === 'gave up' ? 'stopped, nothing further is recorded; ' : '';
  return `${requestsText(decided)}${stopped}${countText(requests.length, 'conflict')} decided${rest}\n`;
}

/** Undefined: neither is given. */
function readChoice({ use, value, yes }: ResolveOptions): Choice | undefined {
  if (use === undefined && value === undefined) return undefined;
  if (use !== undefined && value !== undefined) throw new UsageError(needed);
  if (use === undefined) return { text: value!, ...(yes && { isSure: true }) };
  const side = sideByWord.get(use.trim().toLowerCase());
  if (use.trim() === '') {
    throw new UsageError(
      "--use is blank: write --use crm or --use sheet; to empty the field on both sides, --value ''",
    );
  }
  if (side === undefined) {
    throw new UsageError(
      `--use ${use} is no side: write --use crm or --use sheet; to have the text itself, --value ${JSON.stringify(use)}`,
    );
  }
  return { use: side };
}

/** A value goes by `--value` alone: a slip of the finger in the name of a side must not become what both sides hold. */
const sideByWord: ReadonlyMap<string, 'crm' | 'sheet'> = new Map([
  ['crm', 'crm'],
  ['service', 'crm'],
  ['sheet', 'sheet'],
]);
