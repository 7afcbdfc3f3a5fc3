// Prints the words that can stand at the cursor of a command line, for the scripts of shells.
import { globSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { lineText } from '../../log/printable.ts';
import { configPathOf, type GlobalOptions } from '../globals.ts';
import type { CliWorld } from '../world.ts';
import { filesWanted } from './scripts.ts';
import { complete, type NameKind } from './words.ts';

/**
 * Prints a line a word, with its description behind a tab. A person types while this runs: a fault means fewer words, and is
 * never told. Each kind of name is read by a module of its own, since a name of a job needs no more than YAML.
 */
export async function runCompleteLine(program: Command, words: readonly string[], world: CliWorld): Promise<void> {
  world.stdout.write(await linesFor(program, words, world));
}

async function linesFor(program: Command, words: readonly string[], world: CliWorld): Promise<string> {
  try {
    const { candidates, wantsFiles } = await complete(program, words, {
      parametersOf: async (operation) => (await import('../api/names.ts')).operationParameters(operation),
      namesOf: (kind, globals) => namesOf(kind, globals, world),
    });
    const lines = candidates.map(({ word, description }) => `${lineText(word)}\t${lineText(description)}\n`);
    return lines.join('') + (wantsFiles ? `${filesWanted}\n` : '');
  } catch {
    return '';
  }
}

async function namesOf(
  kind: NameKind,
  globals: Pick<GlobalOptions, 'config'>,
  world: CliWorld,
): Promise<readonly string[]> {
  if (kind === 'operations') return (await import('../api/names.ts')).operationNames;
  if (kind === 'runs') return (await import('./latest-runs.ts')).latestRuns(globals, world);
  const { namesInConfig } = await import('../../config/names.ts');
  const path = configPathOf(globals, world);
  const included = (pattern: string) =>
    globSync(pattern, { cwd: dirname(path) }).map((file) => readFileSync(resolve(dirname(path), file), 'utf8'));
  return namesInConfig(readFileSync(path, 'utf8'), included)[kind];
}
