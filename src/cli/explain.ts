// The command `explain`: why a record is as it is, and what would change it.
import type { Command } from 'commander';
import { explain } from '../operator/explain.ts';
import type { GlobalOptions } from './globals.ts';
import { openApp, openOperator } from './open.ts';
import { explainText } from './print/explain.ts';
import { printAnswer } from './print/lines.ts';
import type { CliWorld } from './world.ts';

interface ExplainOptions extends GlobalOptions {
  readonly sync?: string;
  readonly live?: true;
}

export function explainCommand(program: Command, world: CliWorld): void {
  program
    .command('explain')
    .summary('why a contact, a row or a cell is as it is')
    .description(
      'Shows what both sides hold of a contact as last seen, where each value came from and what it replaced, what is open\n' +
        'and what ends that, and what the next run would do. Asks neither side, and changes nothing.',
    )
    .argument('<contact>', 'its uuid, e-mail address or name, row:17, or a cell such as Prospects!E5')
    .argument('[field]', 'one field in full: its name in the service, or the header of its column')
    .option('--sync <name>', 'in one sync, feed or outbox')
    .option('--live', 'also ask both sides what they hold now')
    .action(async (reference: string, field: string | undefined, _options: unknown, command: Command) => {
      const globals = command.optsWithGlobals<ExplainOptions>();
      const query = { reference, field, job: globals.sync };
      const { operator } = openOperator(globals, world);
      if (!globals.live) {
        printAnswer(await explain(operator, query), explainText, globals, world);
        return;
      }
      using app = await openApp(operator.config, globals, world);
      const live = { crm: app.crm, sheets: app.sheets, signal: world.stop };
      printAnswer(await explain(operator, { ...query, live }), explainText, globals, world);
    });
}
