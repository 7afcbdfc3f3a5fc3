// Declares the command `standin`: serves the stand-ins.
import type { Command } from 'commander';
import { port } from '../port-option.ts';
import type { StandinOptions } from '../standin-servers.ts';
import type { CliWorld } from '../world.ts';

export function standinCommand(program: Command, world: CliWorld, serve: () => void): void {
  program
    .command('standin')
    .summary('a local service and a local Google Sheets to try things on')
    .description(
      'Serves stand-ins of the outreach service and of Google Sheets on this machine, with demo data, until it is stopped.',
    )
    .option('--service-port <port>', 'where the service listens on 127.0.0.1; 0 takes any free port', port, 4010)
    .option('--sheets-port <port>', 'where Google Sheets listens on 127.0.0.1; 0 takes any free port', port, 4020)
    .option('--seed <word>', 'the same word gives the same demo data', 'DEMO')
    .option('--empty', 'start without demo data')
    .option('--snapshot <file>', 'keep the data of the service in this file, so that it survives a restart')
    .action(async (options: StandinOptions) => {
      serve();
      const { runStandins } = await import('../standin-servers.ts');
      await runStandins(options, world);
    });
}
