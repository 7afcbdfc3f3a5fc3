// The command `sync`: one run of each named job, by the running daemon if there is one.
import type { Config } from '../config/config.ts';
import type { RunReport, RunStatus } from '../engine/report.ts';
import { lineText } from '../log/printable.ts';
import type { RunAnswer } from '../operator/answers/runs.ts';
import { runToAnswer } from '../operator/reports.ts';
import { selectAll } from '../operator/select.ts';
import type { Contact } from './contact.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { findDaemon, PausedBeforeTurn, runInDaemon, Unfollowed } from './follow.ts';
import type { GlobalOptions } from './globals.ts';
import { readConfig } from './read-config.ts';
import type { Narrator } from './narrate.ts';
import { openApp, openNarrator, openOperator } from './open.ts';
import { withoutPaused } from './pause.ts';
import { codeWithFaults, tellFaults, withoutUnconnected } from './left-out.ts';
import { jsonText } from './print/lines.ts';
import { runAnswerText } from './print/run.ts';
import { tellStopped } from './stopped.ts';
import type { CliWorld, Finish } from './world.ts';

interface SyncOptions extends GlobalOptions {
  readonly evenIfPaused?: true;
  readonly full?: true;
}

export async function runSync(
  names: string[],
  globals: SyncOptions,
  world: CliWorld,
  finish: Finish,
  follow: () => void,
): Promise<void> {
  const config = readConfig(globals, world);
  const areFaults = tellFaults(config, names, world);
  const free = { areNamed: names.length > 0, isForced: globals.evenIfPaused === true };
  const { operator } = openOperator(globals, world, config);
  const selected = await withoutPaused(operator, selectAll(config, names), free, world);
  const narrator = openNarrator(config, globals, world, selected);
  const contact = await findDaemon(config, narrator, world);
  const answers: RunAnswer[] = [];
  let isSomeUnconnected = false;
  let isSomePaused = false;
  /** A person may have paused it since the command began. */
  const isFree = async (name: string) => {
    const [still] = await withoutPaused(operator, [name], { ...free, areNamed: false }, world);
    if (still === undefined) isSomePaused ||= free.areNamed;
    return still !== undefined;
  };
  const tellPaused = ({ message }: PausedBeforeTurn) => {
    isSomePaused ||= free.areNamed;
    world.stderr.write(`leadsheet: ${lineText(message)}\n`);
  };
  const tell = (answer: RunAnswer) => {
    answers.push(answer);
    if (!globals.json) world.stdout.write(runAnswerText(answer));
  };
  const end = () => {
    if (globals.json) world.stdout.write(jsonText({ syncs: answers }));
    const isSomeLeft = isSomeUnconnected || isSomePaused;
    const code = worstOf([...answers.map(({ status }) => status), ...(isSomeLeft ? (['failed'] as const) : [])]);
    finish(codeWithFaults(code, areFaults));
  };
  if (contact) {
    follow();
    await runAllInDaemon(contact, selected, { globals, narrator, world, isFree, tell, tellPaused, end });
  } else {
    const { reports, connected, unbegun } = await runAllHere(config, selected, {
      globals,
      narrator,
      world,
      isFree,
      tell,
    });
    isSomeUnconnected = connected.length < selected.length;
    end();
    tellStopped(world, { reports, unbegun, goOn: (left) => `leadsheet sync ${left.join(' ')}` });
  }
}

interface Running {
  readonly globals: SyncOptions;
  readonly narrator: Narrator;
  readonly world: CliWorld;
  readonly isFree: (name: string) => Promise<boolean>;
  readonly tell: (answer: RunAnswer) => void;
}

async function runAllHere(
  config: Config,
  selected: readonly string[],
  { globals, narrator, world, isFree, tell }: Running,
): Promise<{
  readonly reports: readonly RunReport[];
  readonly connected: readonly string[];
  readonly unbegun: readonly string[];
}> {
  using app = await openApp(config, globals, world, { narrator, names: selected });
  const reports: RunReport[] = [];
  const connected = withoutUnconnected(app, selected, world);
  for (const [index, name] of connected.entries()) {
    if (world.stop.aborted) return { reports, connected, unbegun: connected.slice(index) };
    if (!(await isFree(name))) continue;
    const request = { isFull: globals.full === true, isAsked: true, signal: world.stop };
    const report = await app.jobOf(name).run(request);
    reports.push(report);
    tell(runToAnswer(report));
  }
  return { reports, connected, unbegun: [] };
}

interface FollowedRunning extends Running {
  readonly tellPaused: (paused: PausedBeforeTurn) => void;
  readonly end: () => void;
}

/** One after the other, as without a daemon. Results that came before a failure are printed. */
async function runAllInDaemon(
  contact: Contact,
  selected: readonly string[],
  { globals, narrator, world, isFree, tell, tellPaused, end }: FollowedRunning,
): Promise<void> {
  const followed = {
    narrator,
    stop: world.stop,
    isFull: globals.full === true,
    evenIfPaused: globals.evenIfPaused === true,
    changes: narrator.prints('debug'),
  };
  try {
    for (const [index, name] of selected.entries()) {
      if (!(await isFree(name))) continue;
      try {
        const answer = await runInDaemon(contact, name, followed);
        tell(answer);
        if (answer.stopped)
          world.stderr.write(`leadsheet: ${name}: the daemon was stopped: ${answer.stopped.left} left\n`);
      } catch (error) {
        if (error instanceof PausedBeforeTurn) {
          tellPaused(error);
          continue;
        }
        if (!(error instanceof Unfollowed)) throw error;
        const unasked = selected.slice(index + 1);
        const rest = unasked.length === 0 ? '' : `; not asked for: ${unasked.join(', ')}`;
        world.stderr.write(`leadsheet: no longer followed: ${lineText(error.message)}${rest}\n`);
        return;
      }
    }
  } finally {
    end();
  }
}

/** W12. */
const codes: Readonly<Record<RunStatus, ExitCode>> = {
  succeeded: exitCodes.done,
  partial: exitCodes.personNeeded,
  held: exitCodes.personNeeded,
  failed: exitCodes.failed,
};

/** A failure outweighs problems for a person. */
export function worstOf(statuses: readonly RunStatus[]): ExitCode {
  const all = new Set(statuses.map((status) => codes[status]));
  if (all.has(exitCodes.failed)) return exitCodes.failed;
  return all.has(exitCodes.personNeeded) ? exitCodes.personNeeded : exitCodes.done;
}
