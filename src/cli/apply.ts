// The command `apply`: carries out a saved plan.
import { jobsIn } from '../config/jobs.ts';
import { kinds } from '../engine/kinds.ts';
import type { RunReport } from '../engine/report.ts';
import type { SavedPlan } from '../engine/saved-plan.ts';
import { commandText } from '../operator/explain/commands.ts';
import { readPlanFile } from '../operator/plan-file.ts';
import { runToAnswer } from '../operator/reports.ts';
import { undoSaved } from '../operator/undo.ts';
import { CommandFailed } from './errors.ts';
import type { GlobalOptions } from './globals.ts';
import { readConfig } from './read-config.ts';
import { openApp, openOperator } from './open.ts';
import { withoutPaused } from './pause.ts';
import { jsonText } from './print/lines.ts';
import { runText } from './print/run.ts';
import { fromPlanFile } from './saved-plans.ts';
import { tellStopped } from './stopped.ts';
import { worstOf } from './sync.ts';
import type { CliWorld, Finish } from './world.ts';

export async function runApply(
  file: string,
  globals: GlobalOptions & { readonly evenIfPaused?: true },
  world: CliWorld,
  finish: Finish,
): Promise<void> {
  const config = readConfig(globals, world);
  const plans = fromPlanFile(file, (text) => readPlanFile(text, file));
  for (const { sync } of plans) {
    if (jobsIn(config).some(({ kind, name }) => name === sync && kinds[kind].isSaved)) continue;
    throw new CommandFailed(`${file} is a plan of sync ${sync}, which ${config.path} does not have`);
  }
  const free = { areNamed: true, isForced: globals.evenIfPaused === true };
  const names = plans.map(({ sync }) => sync);
  await withoutPaused(openOperator(globals, world, config).operator, names, free, world);
  using app = await openApp(config, globals, world, { names });
  const reports: RunReport[] = [];
  for (const plan of plans) {
    if (world.stop.aborted) break;
    const report = await applyOne(plan);
    reports.push(report);
    if (!globals.json) world.stdout.write(runText(report));
  }
  if (globals.json) world.stdout.write(jsonText({ syncs: reports.map(runToAnswer) }));
  finish(worstOf(reports.map(({ status }) => status)));
  const unbegun = plans.slice(reports.length).map(({ sync }) => sync);
  const goOn = (left: readonly string[]) =>
    `${commandText('plan', ...left, '--out', file)}, and ${commandText('apply', file)}`;
  tellStopped(world, { reports, unbegun, goOn });

  /** S8: the plan of an undo is planned afresh from the history. */
  function applyOne(plan: SavedPlan): Promise<RunReport> {
    const { undoes } = plan;
    if (undoes === undefined) {
      const request = { isFull: plan.isFull, isAsked: true, signal: world.stop };
      return app.jobOf(plan.sync).apply!(plan, request);
    }
    const operator = { config, store: app.store, now: world.now, jobs: app.jobs };
    return undoSaved(operator, { by: world.account, through: 'cli' }, { ...plan, undoes }, world.stop);
  }
}
