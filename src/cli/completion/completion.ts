// The command `completion`, and the hidden one that its scripts call while a person types.
import { readFileSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import { type ConfigNames, namesInConfig } from '../../config/names.ts';
import { lineText } from '../../log/printable.ts';
import { readRuns } from '../../operator/runs.ts';
import { operationNames, operationParameters } from '../api/names.ts';
import { configPathOf, type GlobalOptions } from '../globals.ts';
import { openOperator } from '../open.ts';
import type { CliWorld } from '../world.ts';
import { completionScripts, filesWanted, type Shell, shells } from './scripts.ts';
import { complete, type NameKind } from './words.ts';

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
      world.stdout.write(await linesFor(program, words, world));
    });
}

/** A person types while this runs: a fault means fewer words, and is never told. */
async function linesFor(program: Command, words: readonly string[], world: CliWorld): Promise<string> {
  try {
    const { candidates, wantsFiles } = await complete(program, words, {
      parametersOf: operationParameters,
      namesOf: async (kind, globals) => (kind === 'operations' ? operationNames : namesOf(kind, globals, world)),
    });
    const lines = candidates.map(({ word, description }) => `${lineText(word)}\t${lineText(description)}\n`);
    return lines.join('') + (wantsFiles ? `${filesWanted}\n` : '');
  } catch {
    return '';
  }
}

async function namesOf(
  kind: Exclude<NameKind, 'operations'>,
  globals: Pick<GlobalOptions, 'config'>,
  world: CliWorld,
): Promise<readonly string[]> {
  if (kind === 'runs') return latestRuns(globals, world);
  return namesIn(configPathOf(globals, world))[kind];
}

function namesIn(path: string): ConfigNames {
  return namesInConfig(readFileSync(path, 'utf8'));
}

/** Enough to choose from at a prompt. */
const runsShown = 20;

async function latestRuns({ config }: Pick<GlobalOptions, 'config'>, world: CliWorld): Promise<readonly string[]> {
  const silent = { ...world, stderr: { write: () => true } };
  const globals: GlobalOptions = { ...(config !== undefined && { config }), color: 'never', pager: false };
  const { operator } = openOperator(globals, silent);
  const { runs } = await readRuns(operator, { names: [], limit: runsShown });
  return runs.map(({ run }) => run);
}
