// The command `resolve`: decides conflicts.
import type { Command } from 'commander';
import { type Choice, resolve } from '../operator/resolve.ts';
import { UsageError } from './errors.ts';
import type { GlobalOptions } from './globals.ts';
import { openOperator } from './open.ts';
import { requestsText } from './print/decisions.ts';
import { printAnswer } from './print/lines.ts';
import type { CliWorld } from './world.ts';

interface ResolveOptions extends GlobalOptions {
  readonly use?: string;
  readonly value?: string;
  readonly yes?: true;
  readonly sync?: string;
  readonly field?: string;
  readonly contact?: string;
}

export function resolveCommand(program: Command, world: CliWorld): void {
  program
    .command('resolve')
    .summary('decide conflicts; the next run carries it out')
    .description(
      'Says what a field that both sides changed is to be, on both sides. The next run writes it.\n' +
        'Without an ID: every conflict that --sync, --field and --contact leave; leadsheet conflicts shows these with the same options.',
    )
    .argument('[id...]', 'as leadsheet conflicts shows it')
    .option('--use <side>', 'crm (or service), or sheet: what that side holds by then')
    .option('--value <text>', 'the value itself; "" empties the field on both sides, and wants --yes')
    .option('--yes', 'with --value "": yes, empty it')
    .option('--sync <name>', 'conflicts of one sync')
    .option('--field <name>', 'conflicts of one field, as it is named in the service')
    .option('--contact <contact>', 'conflicts of one contact: its uuid, e-mail address, name, or row:17')
    .action(async (ids: string[], _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<ResolveOptions>();
      const { operator, decider } = openOperator(globals, world);
      const { sync, field, contact } = globals;
      const syncs = sync === undefined ? [] : [sync];
      const answer = await resolve(operator, decider, { ids, syncs, field, contact, choice: readChoice(globals) });
      printAnswer(answer, requestsText, globals, world);
    });
}

function readChoice({ use, value, yes }: ResolveOptions): Choice {
  if ((use === undefined) === (value === undefined)) {
    throw new UsageError('resolve needs one of --use crm, --use sheet and --value VALUE');
  }
  if (use === undefined) return { text: value!, ...(yes && { isSure: true }) };
  const side = sideByWord.get(use.trim().toLowerCase());
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
