// Declares the command `api`: calls one operation of the service.
import type { Command } from 'commander';
import type { ApiOptions } from '../api.ts';
import { UsageError } from '../errors.ts';
import type { CliWorld } from '../world.ts';

export function apiCommand(program: Command, world: CliWorld): void {
  program
    .command('api')
    .summary('any operation of the service, by name')
    .description(
      'Calls any operation of the service and prints its answer as JSON.\n\n' +
        'Parameters are named as the service names them: --uuid X, --order_type desc, --lead.email X.\n' +
        'A value that is JSON is read as JSON where the operation wants more than a text.\n' +
        'leadsheet api OPERATION --help shows what one takes. What deletes or sends is confirmed first.\n\n' +
        'The account is that of --base-url or OUTREACH_BASE_URL, else that of the configuration. Of several, --account names one.',
    )
    .argument('[operation]', 'its name, as --list shows it')
    .argument('[parameters...]', 'of the operation: --name value')
    .option('--list', 'the operations, with method, path and parameters')
    .option('--openapi', 'the service as an OpenAPI 3.1 document')
    .option('--body <json>', 'the input as JSON; @file reads it from a file, @- from standard input')
    .helpOption(false)
    .option('-h, --help', 'this help, or that of the operation')
    .option('--yes', 'do not ask before a call that deletes or sends')
    .option('--account <name>', 'one of `accounts` of the configuration; else `default`')
    .option('--base-url <url>', 'the service; else OUTREACH_BASE_URL, else crm.base_url of the configuration')
    .option('--token-file <file>', 'holds the token; else OUTREACH_TOKEN or OUTREACH_TOKEN_FILE, else crm.token')
    .option('--timeout-secs <seconds>', 'for one request', positiveNumber)
    .option('--allow-unknown', 'send fields that the operation is not known to have')
    .option('--capture <file>', 'append every answer, whole, to a file as JSON lines')
    .allowUnknownOption()
    .action(async (name: string | undefined, parameters: string[], _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<ApiOptions>();
      if (options.help && name === undefined) {
        command.outputHelp();
        return;
      }
      const { runApi } = await import('../api.ts');
      await runApi(name, parameters, options, world);
    });
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new UsageError(`--timeout-secs must be a number of seconds, not "${text}"`);
}
