// Turns errors of the schema into problems a person can correct: the place, the found value, the allowed values.
import * as z from 'zod';
import { distance } from 'fastest-levenshtein';
import { nearestWord } from '../lib/nearest.ts';
import type { ConfigProblem } from './problems.ts';
import { anyOf, optionText } from './problems.ts';
import { isSecret, keysOf, schemaAt } from './schema-walk.ts';
import type { Path } from './problems.ts';
import type { Source } from './source.ts';

type Issue = z.core.$ZodIssue;

export function explainIssues(issues: readonly Issue[], source: Source, schema: z.core.$ZodType): ConfigProblem[] {
  const misspelt = new Set(
    issues
      .flatMap((issue) => unknownKeys(issue, source, schema))
      .map(({ option, nearest }) => sibling(option, nearest)),
  );
  return (
    mostTelling(issues)
      .flatMap((issue) => explain(issue, [], source, schema))
      // An option that is missing because it was misspelt is reported already.
      .filter(({ found, option }) => found !== 'nothing' || !misspelt.has(option))
  );
}

/** Words for errors without words in the schema: `error` of a parse. */
export function allowedWords(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeWords[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return anyOf(issue.values.map(String));
    case 'too_small':
      return `${String(issue.minimum)} or more`;
    case 'too_big':
      return `${String(issue.maximum)} or less`;
    default:
      return issue.message ?? 'something else';
  }
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping (key: value)',
  record: 'a mapping (key: value)',
  array: 'a list',
};

function explain(issue: Issue, base: Path, source: Source, schema: z.core.$ZodType): ConfigProblem[] {
  const path = [...base, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return unknownKeys({ ...issue, path }, source, schema);
    case 'invalid_key':
      return [keyProblem(path, issue.issues[0]?.message ?? 'another name', source)];
    case 'invalid_union': {
      const meant = issue.errors.find((branch) => !branch.some(isOfTheWrongKind));
      if (meant) return mostTelling(meant).flatMap((inner) => explain(inner, path, source, schema));
      return [valueProblem(issue, path, source, schema)];
    }
    default:
      return [valueProblem(issue, path, source, schema)];
  }
}

/** An unknown key may be the cause of the error for the whole mapping, and is reported already. */
function mostTelling(issues: readonly Issue[]): readonly Issue[] {
  const withUnknownKeys = new Set(
    issues.filter(({ code }) => code === 'unrecognized_keys').map(({ path }) => optionText(path)),
  );
  return issues.filter(({ code, path }) => code !== 'custom' || !withUnknownKeys.has(optionText(path)));
}

/** A number or a switch, which would be a text in quotes. */
function isPlain(shown: string): boolean {
  return /^[-\d.]|^(true|false)$/.test(shown);
}

function isOfTheWrongKind({ code, path }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

function unknownKeys(issue: Issue, source: Source, schema: z.core.$ZodType): ConfigProblem[] {
  if (issue.code !== 'unrecognized_keys') return [];
  const known = keysOf(schemaAt(schema, issue.path)) ?? [];
  return issue.keys.map((key) => {
    const path = [...issue.path, key];
    const nearest = nearestWord(key, known);
    // A slip in punctuation can turn a value, even a password, into a key. Options are words.
    const isWord = nearest !== undefined || /^(<<|[A-Za-z_-]{1,30})$/.test(key);
    return withNearest(
      {
        position: source.locate(path, 'key'),
        path,
        option: optionText(isWord ? path : issue.path),
        found: isWord ? 'an unknown option' : 'an unknown option, which is not shown',
        allowed: choiceWords(known, key),
      },
      nearest,
    );
  });
}

function keyProblem(path: Path, allowed: string, source: Source): ConfigProblem {
  const found = JSON.stringify(String(path.at(-1)));
  return { position: source.locate(path, 'key'), path, option: optionText(path), found, allowed };
}

function valueProblem(issue: Issue, path: Path, source: Source, schema: z.core.$ZodType): ConfigProblem {
  const shown = source.show(path);
  const isText = shown.startsWith('"');
  const choices = choicesOf(issue);
  const word = isText ? (JSON.parse(/^"(?:[^"\\]|\\.)*"/.exec(shown)?.[0] ?? '""') as string) : '';
  const here = schemaAt(schema, path);
  const isHidden = isSecret(here) && shown !== 'nothing';
  const isUnquoted = !isHidden && isPlain(shown) && here !== undefined && z.safeParse(here, shown).success;
  return withNearest(
    {
      position: source.locate(path, 'value'),
      path,
      option: optionText(path),
      found: isHidden ? 'a value that is not shown' : shown,
      allowed:
        (choices && choiceWords(choices.words, word, choices.other)) ??
        (isUnquoted ? `${issue.message} (in quotes: "${shown}")` : sectionWords(issue, here)),
    },
    isText ? nearestWord(word, choices?.words ?? candidatesOf(issue)) : undefined,
  );
}

/** The fixed choices of an issue, and other allowed values. */
function choicesOf(issue: Issue): { words: readonly string[]; other?: string } | undefined {
  if (issue.code === 'invalid_value') return { words: issue.values.map(String) };
  if (issue.code !== 'invalid_union') return undefined;
  const branches = issue.errors.flat();
  const words = branches.flatMap((inner) => (inner.code === 'invalid_value' ? inner.values.map(String) : []));
  const others = branches.flatMap((inner) => (inner.code === 'invalid_value' ? [] : [inner.message]));
  return { words, other: anyOf([...new Set(others)]) };
}

function candidatesOf(issue: Issue): readonly string[] {
  const candidates: unknown = issue.code === 'custom' ? issue.params?.['candidates'] : undefined;
  return typeof candidates === 'function' ? (candidates as () => readonly string[])() : [];
}

function sectionWords(issue: Issue, schema: z.core.$ZodType | undefined): string {
  const keys = issue.code === 'invalid_type' && issue.expected === 'object' ? keysOf(schema) : undefined;
  return keys === undefined ? issue.message : `a mapping with ${keys.join(', ')}`;
}

/** A message lists at most this many words: the reference page has all of them. */
const wordsMax = 16;

/** The choices as a sentence; if there are many, those nearest to the found word. */
export function choiceWords(words: readonly string[], found: string, other?: string): string {
  const alternatives = other === undefined || other === '' ? [] : [other];
  if (words.length <= wordsMax) return anyOf([...words, ...alternatives]);
  const some = words
    .toSorted((a, b) => distance(a, found) - distance(b, found))
    .slice(0, 8)
    .join(', ');
  return anyOf([`${some} ... (all ${words.length} are in docs/configuration.md)`, ...alternatives]);
}

function withNearest(problem: ConfigProblem, nearest: string | undefined): ConfigProblem {
  return nearest === undefined ? problem : { ...problem, nearest };
}

function sibling(option: string, name: string | undefined): string {
  return [...option.split('.').slice(0, -1), name ?? ''].join('.');
}
