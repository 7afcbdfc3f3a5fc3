// Declares the commands of `state`: looks at a state as a whole, moves it, and makes its tables.
import type { Command } from 'commander';
import type { CliWorld, Finish } from '../world.ts';

const placeWords = 'config (that of the configuration), file:FOLDER or postgres://USER@HOST/DATABASE';

export function stateCommand(program: Command, world: CliWorld, finish: Finish): void {
  const state = program
    .command('state')
    .summary('check the state, copy it between files and PostgreSQL, make its tables')
    .description(
      'Works on the state as a whole. A password of a database comes from `postgres:` of the configuration: on a command ' +
        'line other accounts of the machine can read it.',
    );
  state
    .command('check')
    .summary('read everything, count it, name what is damaged')
    .description(
      'Reads each record, line and report of a state, and changes nothing. Exits with 1 if something is damaged.',
    )
    .argument('[place]', placeWords, 'config')
    .action(async (place: string, _options: unknown, command: Command) => {
      const { runStateCheck } = await import('../state.ts');
      await runStateCheck(place, command.optsWithGlobals(), world, finish);
    });
  state
    .command('copy')
    .summary('copy a state to an empty place, and compare')
    .description(
      'Copies each job with its history, reports, decisions and ledger, reads it back and compares. Stop leadsheet before: ' +
        'a job that runs is refused. A job that has other content in TO is refused, too. A repeat goes on where it stopped. ' +
        'Then set `state:` to TO, and never run leadsheet on both.',
    )
    .argument('<from>', placeWords)
    .argument('<to>', placeWords)
    .action(async (from: string, to: string, _options: unknown, command: Command) => {
      const { runStateCopy } = await import('../state.ts');
      await runStateCopy(from, to, command.optsWithGlobals(), world);
    });
  state
    .command('migrate')
    .summary('make the tables of a database, or bring them to this version')
    .description(
      'leadsheet does this by itself when it starts, unless `postgres.migrate` is false. A state in files needs no such step.',
    )
    .argument('[place]', placeWords, 'config')
    .action(async (place: string, _options: unknown, command: Command) => {
      const { runStateMigrate } = await import('../state.ts');
      await runStateMigrate(place, command.optsWithGlobals(), world);
    });
}
