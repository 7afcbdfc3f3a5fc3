// Declares the command `trial`: leadsheet between two stand-ins.
import type { Command } from 'commander';
import { port } from '../port-option.ts';
import type { TrialOptions } from '../trial-run.ts';
import type { CliWorld } from '../world.ts';

export function trialCommand(program: Command, world: CliWorld, serve: () => void): void {
  program
    .command('trial')
    .summary('the whole thing on this machine, with demo data, to look at and play with')
    .description(
      'Starts stand-ins of the outreach service and of Google Sheets with demo data, and leadsheet between them, until it is ' +
        'stopped. Every trial begins anew; the configuration and the state of the last one stay in its folder.',
    )
    .option('--service-port <port>', 'where the service listens on 127.0.0.1; 0 takes any free port', port, 4010)
    .option('--sheets-port <port>', 'where Google Sheets listens on 127.0.0.1; 0 takes any free port', port, 4020)
    .option('--port <port>', 'where leadsheet listens on 127.0.0.1; 0 takes any free port', port, 4000)
    .option('--folder <folder>', 'where the configuration and the state of the trial are', 'state/trial')
    .action(async (options: TrialOptions) => {
      serve();
      const { runTrial } = await import('../trial-run.ts');
      await runTrial(options, world);
    });
}
