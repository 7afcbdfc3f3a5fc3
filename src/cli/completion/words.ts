// Works out which words can stand at the cursor, from the commands and options that the program has.
import type { Argument, Command, Option } from 'commander';

/** Words that the command line itself does not know. Each may ask the configuration or the state. */
export type NameKind = 'accounts' | 'jobs' | 'syncs' | 'runs' | 'fields' | 'operations';

export interface Candidate {
  readonly word: string;
  readonly description: string;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** The name of a file can stand here. */
  readonly wantsFiles: boolean;
}

export interface CompletionDep {
  readonly namesOf: (kind: NameKind, globals: Readonly<Record<string, unknown>>) => Promise<readonly string[]>;
  /** The parameters of an operation of the service: `--uuid`. */
  readonly parametersOf: (operation: string) => Promise<readonly string[]>;
}

/** The names of options and arguments whose values are known elsewhere, in every command alike. */
const kindByName: Readonly<Record<string, NameKind | 'files' | readonly string[]>> = {
  account: 'accounts',
  name: 'jobs',
  sync: 'syncs',
  run: 'runs',
  field: 'fields',
  operation: 'operations',
  use: ['crm', 'sheet'],
  file: 'files',
  config: 'files',
  out: 'files',
  show: 'files',
  tokenFile: 'files',
  capture: 'files',
  folder: 'files',
};

/** `words`: those after the program, up to the cursor; the last is the one at the cursor, perhaps blank. */
export async function complete(program: Command, words: readonly string[], dep: CompletionDep): Promise<Completion> {
  // bash makes words of their own of = and of what follows it.
  const isApart = words.at(-1) === '=' || words.at(-2) === '=';
  const current = words.at(-1) === '=' ? '' : (words.at(-1) ?? '');
  const typed = words.slice(0, -1).filter((word) => word !== '=');
  if (words.at(-1) === '=' && typed.length === 0) return none;
  const place = walk(program, typed);
  const globals = place.globals;
  if (place.pending) return valuesOf(place.pending, current, '', { dep, globals });
  if (isApart) return none;
  const [, name, value] = place.isOptionsEnd ? [] : (/^(--[\w-]+)=(.*)$/s.exec(current) ?? []);
  if (name !== undefined) {
    const option = optionsOf(place.command).find(({ long }) => long === name);
    return option ? valuesOf(option, value ?? '', `${name}=`, { dep, globals }) : none;
  }
  if (current.startsWith('-') && !place.isOptionsEnd) return optionsAt(place, current, dep);
  const commands = place.positionals.length === 0 ? visibleCommands(place.command) : [];
  const argument = argumentAt(place.command, place.positionals.length);
  const more = argument ? await valuesOf(argument, current, '', { dep, globals }) : none;
  return { ...more, candidates: [...startingWith(current, commands), ...more.candidates] };
}

const none: Completion = { candidates: [], wantsFiles: false };

interface Place {
  readonly command: Command;
  readonly positionals: readonly string[];
  /** The option whose value stands at the cursor. */
  readonly pending: Option | undefined;
  readonly used: ReadonlySet<string>;
  /** After `--` every word is an argument. */
  readonly isOptionsEnd: boolean;
  /** Values of options of the program, by attribute: the file of the configuration. */
  readonly globals: Readonly<Record<string, unknown>>;
}

function walk(program: Command, words: readonly string[]): Place {
  let command = program;
  let pending: Option | undefined;
  let isOptionsEnd = false;
  const positionals: string[] = [];
  const used = new Set<string>();
  const globals: Record<string, unknown> = {};
  for (const word of words) {
    if (pending) {
      globals[pending.attributeName()] = word;
      pending = undefined;
    } else if (isOptionsEnd) positionals.push(word);
    else if (word === '--') isOptionsEnd = true;
    else if (word.startsWith('-')) {
      const [name = '', value] = word.split(/=(.*)/s);
      used.add(name);
      const option = optionsOf(command).find(({ short, long }) => name === short || name === long);
      if (!option?.required) continue;
      if (value === undefined) pending = option;
      else globals[option.attributeName()] = value;
    } else {
      const next = positionals.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (next) command = next;
      else positionals.push(word);
    }
  }
  return { command, positionals, pending, used, isOptionsEnd, globals };
}

/** Its own, then those of the commands above it. */
function optionsOf(command: Command): readonly Option[] {
  const own = command.options.filter(({ hidden }) => !hidden);
  return command.parent ? [...own, ...optionsOf(command.parent)] : own;
}

function visibleCommands(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ word: each.name(), description: each.summary() || each.description() }));
}

async function optionsAt(
  { command, used, positionals }: Place,
  current: string,
  dep: CompletionDep,
): Promise<Completion> {
  const known = optionsOf(command).flatMap(({ short, long, description }) =>
    long === undefined || used.has(long) || (short !== undefined && used.has(short))
      ? []
      : [{ word: long, description }],
  );
  const [operation] = positionals;
  const ofOperation = command.name() === 'api' && operation !== undefined ? await dep.parametersOf(operation) : [];
  const parameters = ofOperation.filter((word) => !used.has(word)).map((word) => ({ word, description: '' }));
  const help = { word: '--help', description: 'display help for command' };
  return { candidates: startingWith(current, [...parameters, ...known, help]), wantsFiles: false };
}

function argumentAt(command: Command, index: number): Argument | undefined {
  const { registeredArguments: all } = command;
  const last = all.at(-1);
  return all[index] ?? (last?.variadic === true ? last : undefined);
}

async function valuesOf(
  taker: Option | Argument,
  current: string,
  prefix: string,
  { dep, globals }: { readonly dep: CompletionDep; readonly globals: Place['globals'] },
): Promise<Completion> {
  const kind = taker.argChoices ?? kindByName['attributeName' in taker ? taker.attributeName() : taker.name()];
  if (kind === undefined) return none;
  if (kind === 'files') return { candidates: [], wantsFiles: true };
  const names = typeof kind === 'string' ? await dep.namesOf(kind, globals) : kind;
  const found = startingWith(
    current,
    names.map((word) => ({ word, description: '' })),
  );
  return { candidates: found.map((each) => ({ ...each, word: `${prefix}${each.word}` })), wantsFiles: false };
}

function startingWith(current: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(({ word }) => word.startsWith(current));
}
