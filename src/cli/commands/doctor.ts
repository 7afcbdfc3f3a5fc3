// Declares the command `doctor`: tells how the installation stands, for a report of a bug.
import type { Command } from 'commander';
import type { CliWorld } from '../world.ts';

export function doctorCommand(program: Command, world: CliWorld): void {
  program
    .command('doctor')
    .summary('how the installation stands, for a report of a bug')
    .description(
      'Shows versions, the configuration with masks, the health of the state and of the daemon, and the last errors. It ' +
        'works also where the configuration, the state or the daemon is broken, and asks neither side. It shows no secret, ' +
        'no value of a contact and no e-mail address. Look it over all the same before you make it public.',
    )
    .action(async (_options: unknown, command: Command) => {
      const { runDoctor } = await import('../doctor.ts');
      await runDoctor(command.optsWithGlobals(), world);
    });
}
