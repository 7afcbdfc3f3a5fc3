// The problems of a configuration file, and the error that holds them.
import { SettingsError } from './settings-error.ts';

/** One problem of a configuration file. */
export interface ConfigProblem {
  /** From 1; undefined: the file as a whole. */
  readonly position?: Position;
  /** The place of the option. Left out: the text itself is wrong, or a file as a whole. */
  readonly path?: Path;
  /** Items that are as wrong as the one at `path`, such as the other job of a tab. */
  readonly also?: readonly Path[];
  /** An included file that is wrong as a whole, or a pattern that names none. */
  readonly file?: string;
  /** The option, such as `syncs.prospects.sheet.tab`; empty for the file itself. */
  readonly option: string;
  /** The found value. Never a secret, and never a value from the environment. */
  readonly found: string;
  /** The allowed values, or the correction. */
  readonly allowed: string;
  /** The known word that was probably intended. */
  readonly nearest?: string;
}

export interface Position {
  /** An included file. Left out: the file itself. */
  readonly file?: string;
  readonly line: number;
  readonly column: number;
}

export type Path = readonly PropertyKey[];

/** All problems of a file; the message has one line for each, in the order of the file, then of the included files. */
export class ConfigError extends SettingsError {
  override readonly name = 'ConfigError';
  readonly file: string;
  readonly problems: readonly ConfigProblem[];

  constructor(file: string, problems: readonly ConfigProblem[]) {
    const sorted = problems.toSorted(inOrder);
    super(sorted.map((problem) => problemToText(file, problem)).join('\n'));
    this.file = file;
    this.problems = sorted;
  }
}

/** `config/leadsheet.yaml:12:5: syncs.a.conflict: found "crn"; allowed: manual, crm, sheet or newest; did you mean crm?` */
export function problemToText(file: string, { position, option, found, allowed, nearest }: ConfigProblem): string {
  const place = position === undefined ? file : `${position.file ?? file}:${position.line}:${position.column}`;
  const what = option === '' ? place : `${place}: ${option}`;
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return `${what}: found ${found}; allowed: ${allowed}${hint}`;
}

function inOrder({ position: a }: ConfigProblem, { position: b }: ConfigProblem): number {
  const [fileA, fileB] = [a?.file ?? '', b?.file ?? ''];
  if (fileA !== fileB) return fileA < fileB ? -1 : 1;
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
}

/** `syncs.prospects.columns."First name"` */
export function optionText(path: readonly PropertyKey[]): string {
  return path.map((name) => (/^[\w-]+$/.test(String(name)) ? String(name) : JSON.stringify(String(name)))).join('.');
}

/** 'a', 'a or b', 'a, b or c'. */
export function anyOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
