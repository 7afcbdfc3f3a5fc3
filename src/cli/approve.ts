// The command `approve`: lets a held plan through, whole or for some of its records.
import type { HeldAnswer } from '../operator/answers/held.ts';
import { approve } from '../operator/approve.ts';
import { readHeld } from '../operator/held.ts';
import { countText, plannedText } from '../operator/words.ts';
import { gaveUp, openAsking } from './ask.ts';
import { CommandFailed, GivenUp, UsageError } from './errors.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { tellPaused } from './pause.ts';
import { approvedUndoText, requestsText } from './print/decisions.ts';
import { printAnswer } from './print/lines.ts';
import type { CliWorld } from './world.ts';

interface ApproveOptions extends GlobalOptions {
  readonly run?: string;
  readonly only?: readonly string[];
  readonly yes?: true;
}

export async function runApprove(name: string, globals: ApproveOptions, world: CliWorld): Promise<void> {
  const { operator, decider } = openOperator(globals, world);
  const { run, only } = globals;
  const isNamed = run !== undefined || only !== undefined || globals.yes === true;
  const held = await readHeld(operator, name, run);
  const digest = isNamed ? undefined : await ask(held, globals, world);
  const answer = await approve(operator, decider, { name, run, only, digest });
  const toText = (given: typeof answer) =>
    held.undoes === null ? requestsText(given) : approvedUndoText(given, held.undoes);
  printAnswer(answer, toText, globals, world);
  // S8: an undo is carried out when it is given again, also while its job is paused.
  if (held.undoes === null) await tellPaused(operator, answer.requests, world);
}

/** Returns the digest of what the person saw. */
async function ask(held: HeldAnswer, globals: ApproveOptions, world: CliWorld): Promise<string> {
  const { name, run, reasons, counts, digest } = held;
  const asking = await openAsking(world, globals);
  if (!asking) {
    throw new UsageError(
      `say which run: leadsheet approve ${name} --run ${run}; or some of its records: --only ID...; or --yes for what is held now`,
    );
  }
  const what = [plannedText(counts), ...reasons, `leadsheet plan ${name} shows all of it`];
  const sure = await asking.confirm(`${name}, held run ${run}\n${what.join('\n')}\nApprove ${heldText(held)}?`);
  const nothing = `nothing was approved; ${name} stays held`;
  if (sure === gaveUp) throw new GivenUp(nothing);
  if (!sure) throw new CommandFailed(nothing);
  return digest;
}

function heldText({ records }: HeldAnswer): string {
  return records === null ? 'all of it' : `all ${countText(records.length, 'record')}`;
}
