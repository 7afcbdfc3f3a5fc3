// The command `conflicts`: lists the open conflicts.
import type { Command } from 'commander';
import { readConflicts } from '../operator/conflicts.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { conflictsText } from './print/conflicts.ts';
import { printAnswer } from './print/lines.ts';
import type { CliWorld } from './world.ts';

interface ConflictsOptions extends GlobalOptions {
  readonly field?: string;
  readonly contact?: string;
}

export function conflictsCommand(program: Command, world: CliWorld): void {
  program
    .command('conflicts')
    .summary('fields that both sides changed, for somebody to decide')
    .description('Lists every open conflict with what both sides last agreed on and what each holds now.')
    .argument('[name...]', 'syncs; all if none is named')
    .option('--field <name>', 'of one field, as it is named in the service')
    .option('--contact <contact>', 'of one contact: its uuid, e-mail address, name, or row:17')
    .action(async (names: string[], _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<ConflictsOptions>();
      const { operator } = openOperator(globals, world);
      const { field, contact } = globals;
      const conflicts = await readConflicts(operator, { syncs: names, field, contact });
      printAnswer({ conflicts }, conflictsText, globals, world);
    });
}
