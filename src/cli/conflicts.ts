// The command `conflicts`: lists the open conflicts.
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

export async function runConflicts(names: string[], globals: ConflictsOptions, world: CliWorld): Promise<void> {
  const { operator } = openOperator(globals, world);
  const { field, contact } = globals;
  const conflicts = await readConflicts(operator, { syncs: names, field, contact });
  printAnswer({ conflicts }, conflictsText, globals, world);
}
