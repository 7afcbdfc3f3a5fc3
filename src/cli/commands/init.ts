// Declares the command `init`: asks for everything that a sync needs, and writes the configuration.
import type { Command } from 'commander';
import type { CliWorld, Finish } from '../world.ts';

export function initCommand(program: Command, world: CliWorld, finish: Finish): void {
  program
    .command('init')
    .summary('ask for everything that a sync needs, and write the configuration')
    .description(
      'Asks for the service, the sheet, the list, the columns and the policies, tests each answer at once, and proposes ' +
        'what it finds. Nothing is written before the end, but the answers so far: an init that was stopped goes on with ' +
        'them. Each question has a flag; a flag that is given is not asked. docs/setup.md describes the questions.',
    )
    .option('--add [name]', 'add a sync to the configuration, which keeps its comments and order')
    .option(
      '--account <name>',
      'with --add: the account of the sync; one that the configuration does not have is added',
    )
    .option('--yes', 'ask nothing: flags, and the safe answer of each other question')
    .option('--overwrite', 'replace a configuration that exists')
    .option('--base-url <url>', 'the address of the service')
    .option('--token-file <file>', 'a file that holds the API key; without it OUTREACH_TOKEN is used, or asked for')
    .option('--key-file <file>', 'the JSON key of a Google service account')
    .option('--google-endpoint <url>', 'where calls go instead of to Google, as for a trial')
    .option('--spreadsheet <address>', 'the address or id of the spreadsheet')
    .option('--tab <tab>', 'the title of the tab, or gid:NUMBER')
    .option('--header-row <number>', 'the row that holds the headers')
    .option('--list <list>', 'the list of the service: its name, uuid or number')
    .option('--create-list', 'a list that is not there is made by the first run')
    .option('--column <header=field>', columnWords, (text: string, before: readonly string[] | undefined) => [
      ...(before ?? []),
      text,
    ])
    .option('--match <keys>', 'by what a row without an ID finds its contact: email,network_id; none')
    .option('--status-column <header>', 'a column in which each row says what waits or was refused; none')
    .option('--conflict <policy>', 'both sides change a field: manual, crm, sheet, newest')
    .option('--blank <policy>', 'a cell or a field is emptied: sync, ignore')
    .option('--row-deleted <policy>', 'a row is deleted: ignore, restore, cancel_automations, delete_contact')
    .option('--contact-deleted <policy>', 'a contact is deleted: mark, delete_row, ignore')
    .option('--name <name>', 'the name of the sync')
    // Not --env-file: Node takes that one for its own, wherever it stands, and ends where there is no such file.
    .option('--dotenv <file>', '.env, where address, API key and the path of the key go; none')
    .option('--service-file <kind>', 'systemd, compose, or none: a file that starts leadsheet')
    .action(async (_options: unknown, command: Command) => {
      const { runInit } = await import('../init/init.ts');
      await runInit(command.optsWithGlobals(), world, finish);
    });
}

const columnWords =
  'one column, such as Firma=company_name; Notes= leaves it alone, Rating=custom:rating is a custom field, and :to_sheet or ' +
  ':to_crm behind the field makes it one-way; can be repeated, the other columns are as proposed';
