// Declares the command `completion`, and the hidden one that its scripts call while a person types.
import { Argument, type Command } from 'commander';
import { completionScripts, type Shell, shells } from '../completion/scripts.ts';
import type { CliWorld } from '../world.ts';

export function completionCommand(program: Command, world: CliWorld): void {
  program
    .command('completion')
    .summary('the completion of command lines for a shell')
    .description(
      'Prints a script that completes commands, options, jobs, fields, runs and operations of the service.\n' +
        'bash: source <(leadsheet completion bash) in ~/.bashrc\n' +
        'zsh:  source <(leadsheet completion zsh) in ~/.zshrc, after compinit\n' +
        'fish: leadsheet completion fish > ~/.config/fish/completions/leadsheet.fish',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action((shell: Shell) => {
      world.stdout.write(completionScripts[shell]);
    });
  program
    .command('complete-line', { hidden: true })
    .argument('[word...]', 'after --: the words of the command line up to the cursor')
    .action(async (words: string[]) => {
      const { runCompleteLine } = await import('../completion/completion.ts');
      await runCompleteLine(program, words, world);
    });
}
