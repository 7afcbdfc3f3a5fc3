// Declares the commands that show what jobs keep besides their standing: `outbox`, `enrolments`, `feeds` and `budgets`.
import { type Command, Option } from 'commander';
import { withChoices } from '../choice.ts';
import { countUpTo } from '../count-option.ts';
import type { CliWorld } from '../world.ts';

const shownByDefault = 100;
const shownMax = 100_000;

/**
 * As the schemas of the answers have them, which are not loaded for a declaration (test/cli/ledgers.test.ts compares).
 * @internal
 */
export const messageStates = ['waiting', 'intended', 'sent', 'refused', 'unknown', 'cancelled'] as const;
/** The same. @internal */
export const enrolmentStates = [
  'waiting',
  'intended',
  'enrolled',
  'skipped',
  'refused',
  'unknown',
  'cancelling',
  'cancelled',
] as const;

function withPages(command: Command): Command {
  return command
    .option('-n, --limit <count>', 'at most so many', countUpTo(shownMax), shownByDefault)
    .option('--after <cursor>', 'go on behind `next` of an earlier answer of --json');
}

export function outboxCommand(program: Command, world: CliWorld): void {
  const command = program
    .command('outbox')
    .summary('what outboxes sent, and what waits or is unknown')
    .description(
      'Lists the ledger of outboxes, the latest first: to whom each row was sent or is to be sent, how it was delivered, why it ' +
        'waits or was refused, and what to do; and how much of the cap of an hour is used.',
    )
    .argument('[name]', 'an outbox; all if none is named')
    .addOption(withChoices(new Option('--state <state>', 'only these'), messageStates));
  withPages(command).action(async (name: string | undefined, _options: unknown, ran: Command) => {
    const { runOutbox } = await import('../ledgers.ts');
    await runOutbox(name, ran.optsWithGlobals(), world);
  });
}

export function enrolmentsCommand(program: Command, world: CliWorld): void {
  const command = program
    .command('enrolments')
    .summary('who is in which automation, and who waits')
    .description(
      'Lists the ledger of enrolments, the latest first: who was put into which automation, who waits or was refused and why; the ' +
        'vetoes, and how much of the cap of an hour is used. leadsheet log --enrolments has each step.',
    )
    .argument('[sync]', 'a sync; all if none is named')
    .addOption(withChoices(new Option('--state <state>', 'only these'), enrolmentStates))
    .option('--automation <name>', 'only this one: its name in any case, or its uuid')
    .option('--contact <id>', 'only this one: uuid, e-mail address, name, or row:17');
  withPages(command).action(async (sync: string | undefined, _options: unknown, ran: Command) => {
    const { runEnrolments } = await import('../ledgers.ts');
    await runEnrolments(sync, ran.optsWithGlobals(), world);
  });
}

export function feedsCommand(program: Command, world: CliWorld): void {
  const command = program
    .command('feeds')
    .summary('what feeds show, and how many rows they have')
    .description('Lists the feeds in the order of the file: what each shows, in which tab, and how many rows it has.');
  withPages(command).action(async (_options: unknown, ran: Command) => {
    const { runFeeds } = await import('../ledgers.ts');
    await runFeeds(ran.optsWithGlobals(), world);
  });
}

export function budgetsCommand(program: Command, world: CliWorld): void {
  program
    .command('budgets')
    .summary('calls of the last minute against the limits, and how far jobs are behind')
    .description(
      'Shows the calls of the running daemon in the last minute against the limits, and how far each job is behind. What the daemon ' +
        'measured over hours is in its memory: the console shows it at /budgets.',
    )
    .argument('[name]', 'a job; all if none is named')
    .action(async (name: string | undefined, _options: unknown, ran: Command) => {
      const { runBudgets } = await import('../ledgers.ts');
      await runBudgets(name, ran.optsWithGlobals(), world);
    });
}
