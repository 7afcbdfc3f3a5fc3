// The command `sync`: one run of each named job.
import type { Command } from 'commander';
import type { RunReport, RunStatus } from '../engine/report.ts';
import { runToAnswer } from '../operator/reports.ts';
import { selectAll } from '../operator/select.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type GlobalOptions, readConfig } from './globals.ts';
import { openApp, openOperator } from './open.ts';
import { withoutPaused } from './pause.ts';
import { jsonText } from './print/lines.ts';
import { runText } from './print/run.ts';
import { tellStopped } from './stopped.ts';
import type { CliWorld, Finish } from './world.ts';

export function syncCommand(program: Command, world: CliWorld, finish: Finish): void {
  program
    .command('sync')
    .summary('one run of each sync, feed or outbox named, or of all')
    .description(
      'Runs each one named, or all of them, once: makes contacts and rows equal, mirrors feeds, sends what outboxes hold, and\n' +
        'says what it did. Edits are sent at once; they need not stand still first.',
    )
    .argument('[name...]', 'syncs, feeds and outboxes; all if none is named')
    .option('--full', 'read every contact, not only those that changed; only this finds contacts that were deleted')
    .option('--even-if-paused', 'also what a person paused')
    .action(async (names: string[], _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<GlobalOptions & { readonly full?: true; readonly evenIfPaused?: true }>();
      const config = readConfig(globals, world);
      const { operator } = openOperator(globals, world);
      const isForced = globals.evenIfPaused === true;
      const free = { areNamed: names.length > 0, isForced };
      const selected = await withoutPaused(operator, selectAll(config, names), free, world);
      using app = await openApp(config, globals, world);
      const reports: RunReport[] = [];
      for (const name of selected) {
        if (world.stop.aborted) break;
        const request = { isFull: globals.full === true, isAsked: true, signal: world.stop };
        const report = await app.jobs.get(name)!.run(request);
        reports.push(report);
        if (!globals.json) world.stdout.write(runText(report));
      }
      if (globals.json) world.stdout.write(jsonText({ syncs: reports.map(runToAnswer) }));
      finish(worstOf(reports.map(({ status }) => status)));
      const unbegun = selected.slice(reports.length);
      tellStopped(world, { reports, unbegun, goOn: (left) => `leadsheet sync ${left.join(' ')}` });
    });
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
