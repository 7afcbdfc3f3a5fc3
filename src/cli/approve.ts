import type { Command } from 'commander';
import { readStanding } from '../engine/standing.ts';
import { recordDecisions } from './decide.ts';
import { CommandFailed, UsageError } from './errors.ts';
import type { GlobalOptions } from './globals.ts';
import { openState } from './open.ts';
import { selectAll } from './select.ts';
import { countText } from './print/lines.ts';
import type { CliWorld } from './world.ts';

interface ApproveOptions extends GlobalOptions {
  readonly run: string;
}

export function approveCommand(program: Command, world: CliWorld): void {
  program
    .command('approve')
    .summary('let a held run through, once')
    .description(
      'Lets what a held run planned through, once and for the counts it named. Look at leadsheet plan first.\n' +
        'The next run carries it out; if it would change more than was approved, it is held again.',
    )
    .argument('<name>', 'the sync, feed or outbox')
    .requiredOption('--run <id>', 'the held run, as leadsheet status shows it')
    .action(async (name: string, _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<ApproveOptions>();
      const { config, store } = openState(globals, world);
      const [sync = name] = selectAll(config, [name]);
      const { held, lastRun } = await readStanding(store.sync(sync));
      if (!held) {
        const last = lastRun ? `; its last run is ${lastRun.run}, ${lastRun.status}` : '';
        throw new CommandFailed(`nothing of ${sync} is held${last}`);
      }
      if (held.run !== globals.run) {
        throw new UsageError(`the held run of ${sync} is ${held.run}, not ${globals.run}: look at it again`);
      }
      const request = { kind: 'approve', run: held.run, counts: held.planned } as const;
      const counts = Object.entries(held.planned).flatMap(([what, count]) =>
        count > 0 ? [plannedText(count, what)] : [],
      );
      const text = `approved for ${counts.join(', ')}`;
      await recordDecisions([{ sync, request, text }], store, globals, world);
    });
}

function plannedText(count: number, what: string): string {
  return what === 'missing' ? `${count} missing` : countText(count, what.replace(/s$/, ''));
}
