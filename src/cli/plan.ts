// The command `plan`: prints what a run would do.
import { kinds } from '../engine/kinds.ts';
import type { PlanReport } from '../engine/report.ts';
import type { SavedPlan } from '../engine/saved-plan.ts';
import { commandText } from '../operator/explain/commands.ts';
import { showPlanFile, writePlanFile } from '../operator/plan-file.ts';
import { errorCode } from '../config/secret-file.ts';
import { isHarmless } from '../sync/status.ts';
import { planFileToAnswer, planToAnswer } from '../operator/reports.ts';
import { selectAll } from '../operator/select.ts';
import { CommandFailed } from './errors.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { GlobalOptions } from './globals.ts';
import { codeWithFaults, tellFaults, withoutUnconnected } from './left-out.ts';
import { readConfig } from './read-config.ts';
import { openApp } from './open.ts';
import { writePrivateFile } from './private-file.ts';
import { jsonText, printAnswer } from './print/lines.ts';
import { plansSummary, planText, savedPlansText } from './print/plan.ts';
import { fromPlanFile } from './saved-plans.ts';
import type { CliWorld, Finish } from './world.ts';

interface PlanOptions extends GlobalOptions {
  readonly out?: string;
  readonly full?: true;
  readonly show?: string;
}

export async function runPlan(names: string[], globals: PlanOptions, world: CliWorld, finish: Finish): Promise<void> {
  const config = readConfig(globals, world);
  if (globals.show !== undefined) {
    const { show } = globals;
    const saved = fromPlanFile(show, (text) => showPlanFile(config, text, show, names));
    printAnswer(planFileToAnswer(saved), () => savedPlansText(saved, show), globals, world);
    return;
  }
  const all = selectAll(config, names);
  const areFaults = tellFaults(config, names, world);
  using app = await openApp(config, globals, world, { names: all });
  const selected = withoutUnconnected(app, all, world);
  const reports: PlanReport[] = [];
  const plans: SavedPlan[] = [];
  let shown = '';
  for (const name of selected) {
    const isFull = globals.full === true;
    const request = { isFull, isAsked: true, signal: world.stop };
    const job = app.jobOf(name);
    const { report, saved } = await job.plan(request);
    // A plan of half a reading would be wrong.
    world.stop.throwIfAborted();
    reports.push(report);
    if (saved) plans.push(saved);
    const text = planText(report, job.headerOf);
    if (!globals.json) world.stdout.write(text);
    shown += text;
  }
  if (!globals.json) world.stdout.write(plansSummary(reports, shown));
  if (globals.json) world.stdout.write(jsonText({ syncs: reports.map(planToAnswer) }));
  const code = selected.length < all.length ? exitCodes.failed : codeOf(reports);
  finish(codeWithFaults(code, areFaults));
  if (globals.out === undefined) return;
  const leftOut = reports.filter(({ kind }) => !kinds[kind].isSaved);
  const many = [...new Set(leftOut.map(({ kind }) => kinds[kind].many))].join(' and ');
  if (plans.length === 0 && leftOut.length > 0) {
    throw new CommandFailed(`no plan was saved: ${many} are not part of one, leadsheet sync carries them out`);
  }
  if (plans.length < reports.length - leftOut.length)
    throw new CommandFailed('no plan was saved: not every sync could be planned');
  savePlans(globals.out, writePlanFile(plans, new Date(world.now()).toISOString()), world);
  const unsaved = leftOut.map(({ sync }) => sync).join(', ');
  const butFor = leftOut.length === 0 ? '' : `, but for ${many} (${unsaved}): leadsheet sync carries those out`;
  world.stderr.write(`leadsheet: saved; ${commandText('apply', globals.out)} does exactly this${butFor}\n`);
}

/** A hold outweighs changes, because a held run makes none. Changes outweigh problems for a person. */
export function codeOf(reports: readonly PlanReport[]): ExitCode {
  if (reports.some(({ status }) => status === 'failed')) return exitCodes.failed;
  if (reports.some(({ status }) => status === 'held')) return exitCodes.personNeeded;
  if (reports.some(({ changes }) => changes.length > 0)) return exitCodes.changes;
  const isPersonNeeded = reports.some(({ problems }) => problems.some(({ kind }) => !isHarmless(kind)));
  return isPersonNeeded ? exitCodes.personNeeded : exitCodes.done;
}

export function savePlans(file: string, text: string, { randomId }: CliWorld): void {
  try {
    writePrivateFile(file, text, randomId);
  } catch (error) {
    throw new CommandFailed(`the plan cannot be written to ${file} (${errorCode(error)})`, { cause: error });
  }
}
