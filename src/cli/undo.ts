// The command `undo`: takes back what a run did, as a plan first.
import { commandText } from '../operator/explain/commands.ts';
import { planUndo, undo, type UndoOperator, type UndoPlanned, type UndoRequest } from '../operator/undo.ts';
import { writePlanFile } from '../operator/plan-file.ts';
import { CommandFailed, UsageError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import type { GlobalOptions } from './globals.ts';
import { readConfig } from './read-config.ts';
import { openApp, openOperator } from './open.ts';
import { codeOf, savePlans } from './plan.ts';
import { jsonText } from './print/lines.ts';
import { runText } from './print/run.ts';
import { undoPlanText } from './print/undo.ts';
import { worstOf } from './sync.ts';
import type { CliWorld, Finish } from './world.ts';

interface UndoOptions extends GlobalOptions {
  readonly contact?: string;
  readonly field?: string;
  readonly dryRun?: true;
  readonly out?: string;
  readonly yes?: true;
  readonly deleteCreated?: true;
}

export async function runUndo(run: string, globals: UndoOptions, world: CliWorld, finish: Finish): Promise<void> {
  if (globals.yes && (globals.dryRun || globals.out !== undefined))
    throw new UsageError('--yes carries the plan out at once: leave out --dry-run and --out');
  const config = readConfig(globals, world);
  using app = await openApp(config, globals, world);
  const { decider } = openOperator(globals, world, config);
  const operator: UndoOperator = { config, store: app.store, now: world.now, jobs: app.jobs };
  const request: UndoRequest = {
    run,
    deletesCreated: globals.deleteCreated === true,
    ...(globals.contact !== undefined && { contact: globals.contact }),
    ...(globals.field !== undefined && { field: globals.field }),
  };
  const planned = await planUndo(operator, request, world.stop);
  world.stop.throwIfAborted();
  const headerOf = app.jobOf(planned.report.sync).headerOf;
  const code = codeOf([planned.report]);
  if (!globals.yes || code === exitCodes.failed || planned.report.changes.length === 0) {
    world.stdout.write(globals.json ? jsonText(planned.answer) : undoPlanText(planned, headerOf));
    finish(code);
    if (globals.out !== undefined) saveUndo(globals.out, planned, world);
    else if (!globals.yes && planned.report.changes.length > 0) world.stderr.write(howToGoOn(request, planned));
    return;
  }
  if (!globals.json) world.stdout.write(undoPlanText(planned, headerOf));
  const { digest } = planned.answer;
  const { answer, report } = await undo(operator, decider, request, { digest, signal: world.stop });
  if (answer.outcome === 'another plan') {
    const again = { answer: answer.plan, report: { ...planned.report, ...report } };
    world.stdout.write(globals.json ? jsonText(answer) : undoPlanText(again, headerOf));
    finish(exitCodes.personNeeded);
    world.stderr.write(
      'leadsheet: nothing was done: the plan changed meanwhile; look at it, and give the command again\n',
    );
    return;
  }
  world.stdout.write(globals.json ? jsonText(answer) : runText(report));
  if (report.status === 'held')
    world.stderr.write(`leadsheet: once it is approved, give it again: ${commandOf(request, planned)}\n`);
  finish(worstOf([report.status]));
}

function saveUndo(file: string, { saved }: UndoPlanned, world: CliWorld): void {
  if (!saved) throw new CommandFailed('no plan was saved: this undo is carried out with --yes');
  savePlans(file, writePlanFile([saved], new Date(world.now()).toISOString()), world);
  world.stderr.write(`leadsheet: saved; ${commandText('apply', file)} does exactly this\n`);
}

function howToGoOn(request: UndoRequest, planned: UndoPlanned): string {
  return `leadsheet: nothing was done yet; to do this: ${commandOf(request, planned)}\n`;
}

/** A row may have another contact by the time at which the command is given: the contact of the plan is named by its ID. */
function commandOf({ run, contact, field, deletesCreated }: UndoRequest, { contacts = [] }: UndoPlanned): string {
  const named = contact?.startsWith('row:') && contacts.length === 1 ? contacts[0] : contact;
  const options = [
    ...(named === undefined ? [] : ['--contact', named]),
    ...(field === undefined ? [] : ['--field', field]),
    ...(deletesCreated ? ['--delete-created'] : []),
  ];
  return commandText('undo', run, ...options, '--yes');
}
