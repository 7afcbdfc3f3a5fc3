// Reads the text of a configuration file: YAML with references to the environment, and the place of every value.
import { isAlias, isMap, isPair, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { Document, Node, YAMLMap } from 'yaml';
import { optionText } from './problems.ts';
import type { ConfigProblem, Path, Position } from './problems.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Source {
  /** The plain data, with references replaced by the values of the environment. */
  readonly value: unknown;
  /** The errors of the text itself: YAML, repeated keys, variables that are not set. */
  readonly problems: readonly ConfigProblem[];
  /** Whether `value` is worth checking despite the problems. */
  readonly isReadable: boolean;
  /** The place of an option: its key or its value; for a missing one, the beginning of its mapping. */
  readonly locate: (path: Path, part: 'key' | 'value') => Position;
  /**
   * A value for an error message: short, as in the file, without resolving references and without passwords in
   * addresses.
   */
  readonly show: (path: Path) => string;
}

/**
 * `${NAME}` in values (never in keys) is replaced by the value of the variable. It is always a text and is not read as
 * YAML again. `$${NAME}` is the text `${NAME}`. Unset and empty variables are problems. `atLeast`: what a file has to have.
 */
export function readSource(text: string, env: Environment, atLeast = fileAtLeast): Source {
  const lines = new LineCounter();
  const document = parseDocument(markReferences(text), { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const locate = (path: Path, part: 'key' | 'value') => at(offsetOf(document, path, part));
  const source = (value: unknown, problems: readonly ConfigProblem[], rest: Partial<Source> = {}): Source => ({
    value,
    problems,
    isReadable: value !== undefined,
    locate,
    show: (path) => show(find(document, path)?.value),
    ...rest,
  });

  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) return source(undefined, yamlProblems(broken, at));
  if (document.contents === null) return source(undefined, [emptyFile(atLeast)]);
  const written = new Map<unknown, string>();
  const problems: ConfigProblem[] = [];
  const dangling: ConfigProblem[] = [];
  visit(document, {
    Scalar(key, node, ancestors) {
      if (typeof node.value !== 'string') return;
      if (key === 'key') {
        node.value = unmarkReferences(node.value);
        return;
      }
      const { value, faults } = expand(node.value, env);
      if (value !== node.value) written.set(node, unmarkReferences(node.value));
      node.value = value;
      const position = at(node.range?.[0] ?? 0);
      if (faults.length === 0) return;
      const path = pathOf(ancestors);
      problems.push(...faults.map((fault) => ({ position, path, option: optionText(path), ...fault })));
    },
    Alias(_key, node, ancestors) {
      if (node.resolve(document) !== undefined) return;
      const position = at(node.range?.[0] ?? 0);
      dangling.push({ position, option: optionText(pathOf(ancestors)), ...danglingAlias });
    },
    Map(_key, node, ancestors) {
      problems.push(...keysGivenTwice(node, pathOf(ancestors), at));
    },
  });
  if (dangling.length > 0) return source(undefined, [...problems, ...dangling]);
  const value = toPlain(document);
  if (value === undefined) return source(undefined, [...problems, boundless]);
  return source(value, problems, {
    show: (path) => {
      const node = find(document, path)?.value;
      const reference = written.get(node);
      return reference === undefined ? show(node) : `${quote(reference)} (its value is not shown here)`;
    },
  });
}

const fileAtLeast = 'crm, google and syncs, feeds or outbox at least; config/example.yaml shows every option';

const emptyFile = (allowed: string): ConfigProblem => ({
  position: { line: 1, column: 1 },
  option: '',
  found: 'nothing but comments',
  allowed,
});

/** Its value is not quoted: a password may begin with *. */
const danglingAlias = {
  found: 'an alias (*) of nothing',
  allowed: 'the name of an anchor (&) above; a text that begins with * goes in quotes',
};

/** Undefined for nested aliases that would grow too large; the limit is the parser's own. */
function toPlain(document: Document): unknown {
  try {
    return document.toJS() as unknown;
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

const boundless: ConfigProblem = {
  position: { line: 1, column: 1 },
  option: '',
  found: 'aliases (*) of aliases in great number',
  allowed: 'aliases of options',
};

function yamlProblems(
  faults: Document.Parsed['errors'] | Document.Parsed['warnings'],
  at: (offset: number) => Position,
): readonly ConfigProblem[] {
  const byLine = new Map<number, ConfigProblem>();
  for (const { code, message: whole, pos } of faults) {
    // After a colon the parser quotes the text, which may be a secret; after a semicolon it advises programmers.
    const [message = ''] = whole.split(/[:;]/);
    const position = at(pos[0]);
    const found = `text that is no YAML (${message})`;
    const allowed =
      code === 'TAB_AS_INDENT'
        ? 'spaces in front of a line, no tabs'
        : 'YAML; a text with special signs goes in quotes';
    // Further errors on a line mostly follow from its first.
    if (!byLine.has(position.line)) byLine.set(position.line, { position, option: '', found, allowed });
  }
  return [...byLine.values()];
}

function keysGivenTwice(map: YAMLMap, path: Path, at: (offset: number) => Position): readonly ConfigProblem[] {
  const lineByKey = new Map<string, number>();
  return map.items.flatMap(({ key }) => {
    const name = keyText(key);
    const position = at(startOf(key));
    const first = lineByKey.get(name);
    lineByKey.set(name, first ?? position.line);
    if (name === '__proto__')
      return [{ position, path, option: optionText(path), found: name, allowed: 'another name' }];
    if (first === undefined) return [];
    const found = `it a second time, the first is on line ${first}`;
    const where = [...path, name];
    return [{ position, path: where, option: optionText(where), found, allowed: 'each key once' }];
  });
}

// In flow collections braces belong to YAML: `{ url: ${X} }` would not parse. So references are replaced before
// parsing, character by character, which keeps every line and column. The replacements are noncharacters, which no text
// has.
const reference = /(?<!\$)\$\{([A-Za-z_]\w*)\}/g;
const disguised = /\uFDD0\uFDD1(\w+)\uFDD2/g;

export function markReferences(text: string): string {
  return text.replace(reference, '\uFDD0\uFDD1$1\uFDD2');
}

export function unmarkReferences(text: string): string {
  return text.replace(disguised, '$${$1}');
}

type Fault = Pick<ConfigProblem, 'found' | 'allowed'>;

function expand(text: string, env: Environment): { value: string; faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const plain = text.replaceAll('$${', '');
  if (plain.includes('${')) {
    const allowed = '${NAME} with letters, digits and _ only, or $${ for a text that begins so';
    faults.push({ found: '${ that begins no name of a variable', allowed });
  }
  const value = text.replaceAll('$${', '${').replace(disguised, (_whole, name: string) => {
    const held = env[name] ?? '';
    if (held === '') {
      const state = env[name] === undefined ? 'is not set' : 'is empty';
      faults.push({ found: `\${${name}}, which ${state} in the environment`, allowed: 'a variable that is set' });
    }
    return held;
  });
  return faults.length === 0 ? { value, faults } : { value: unmarkReferences(text), faults };
}

interface Found {
  readonly key?: unknown;
  readonly value: unknown;
}

/** The node at a path; undefined: there is none. */
function find(document: Document, path: Path): Found | undefined {
  let found: Found = { value: document.contents };
  for (const segment of path) {
    const next = step(deref(found.value, document), segment);
    if (next === undefined) return undefined;
    found = next;
  }
  return { ...found, value: deref(found.value, document) };
}

function step(node: unknown, segment: PropertyKey): Found | undefined {
  if (isMap(node)) return node.items.findLast(({ key }) => keyText(key) === String(segment));
  if (isSeq(node)) return { value: node.items[Number(segment)] };
  return undefined;
}

function deref(node: unknown, document: Document): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function offsetOf(document: Document, path: Path, part: 'key' | 'value'): number {
  const found = find(document, path);
  if (found === undefined) return offsetOf(document, path.slice(0, -1), 'key');
  return startOf(part === 'key' || startOf(found.value) === 0 ? (found.key ?? found.value) : found.value);
}

function startOf(node: unknown): number {
  return (node as Node | null | undefined)?.range?.[0] ?? 0;
}

function keyText(key: unknown): string {
  return isScalar(key) ? unmarkReferences(String((key.value as Plain) ?? '')) : String(key);
}

function pathOf(ancestors: readonly unknown[]): Path {
  return ancestors.flatMap((node, index): string[] => {
    if (isPair(node)) return [keyText(node.key)];
    const item = isSeq(node) ? node.items.indexOf(ancestors[index + 1]) : -1;
    return item === -1 ? [] : [String(item)];
  });
}

/** The scalar values of YAML's core schema. */
type Plain = string | number | bigint | boolean | null;

/** Longer values are cut: a message is one line. */
const shownMax = 60;

function show(node: unknown): string {
  if (isMap(node)) return node.items.length === 0 ? 'an empty mapping' : 'a mapping';
  if (isSeq(node)) return node.items.length === 0 ? 'an empty list' : 'a list';
  if (!isScalar(node)) return 'nothing';
  const value = node.value as Plain;
  if (value === null) return 'nothing';
  return typeof value === 'string' ? quote(value) : String(value);
}

function quote(text: string): string {
  const safe = text.replace(/\S*:\S*@/, '...@');
  return JSON.stringify(safe.length > shownMax ? `${safe.slice(0, shownMax)}...` : safe);
}
