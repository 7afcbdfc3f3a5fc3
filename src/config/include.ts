// Reads the files that a configuration includes, and joins them with it into one source.
import { dirname, isAbsolute, join, normalize, relative } from 'node:path';
import { isMapping } from './checks/check.ts';
import type { ConfigProblem, Path, Position } from './problems.ts';
import { optionText } from './problems.ts';
import { errorCode, type ReadFile } from './secret-file.ts';
import { type Environment, readSource, type Source } from './source.ts';

/** The sections that an included file may have. All of them hold items by name. */
const includedSections = ['accounts', 'syncs', 'feeds', 'outbox'] as const;

/** The files that a pattern names, in any order. Relative patterns are relative to the folder. */
export type ListFiles = (pattern: string, folder: string) => readonly string[];

/** All files as one. */
export interface JoinedSource extends Source {
  /** The included files, by path, in the order in which they were read. */
  readonly included: readonly string[];
  /** The included file that has the item of this path. Undefined: the file itself, or there is no such item. */
  readonly fileOf: (path: Path) => string | undefined;
}

interface IncludeDep {
  readonly env: Environment;
  readonly readFile: ReadFile;
  readonly listFiles: ListFiles;
}

/**
 * `main`: the source of the file at `path`. A fault of an included file is a problem with the name of that file; the others are
 * read all the same. The text of each file is kept, and not its tree: ten thousand trees are too many.
 */
export function joinIncluded(path: string, main: Source, dep: IncludeDep): JoinedSource {
  const { files, problems } = listIncluded(path, main, dep.listFiles);
  const owner = new Map<string, string>();
  const texts = new Map<string, string>();
  const merged = new Map(includedSections.map((section) => [section, itemsOf(main.value, section)]));
  for (const [section, items] of merged) for (const name of Object.keys(items)) owner.set(itemKey(section, name), '');
  for (const file of files) {
    const text = readText(file, dep.readFile);
    if (text.kind === 'unreadable') {
      problems.push(
        atFile(file, { found: `it cannot be read (${text.code})`, allowed: 'a file this process may read' }),
      );
      continue;
    }
    texts.set(file, text.text);
    const source = readSource(text.text, dep.env, emptyInclude);
    problems.push(...source.problems.map((problem) => inFile(file, problem)), ...checkSections(file, source));
    for (const section of includedSections) {
      const items = merged.get(section)!;
      for (const [name, item] of Object.entries(itemsOf(source.value, section))) {
        const key = itemKey(section, name);
        const first = owner.get(key);
        if (first === undefined) {
          items[name] = item;
          owner.set(key, file);
        } else problems.push(namedTwice(file, source, [section, name], first === '' ? path : first));
      }
    }
  }

  const fileOf = ([section, name]: Path) => owner.get(itemKey(String(section), String(name))) || undefined;
  const sourceOf = lastUsed((file) => readSource(texts.get(file) ?? '', dep.env, emptyInclude));
  const at = (where: Path) => {
    const file = fileOf(where);
    return file === undefined ? { source: main, file } : { source: sourceOf(file), file };
  };
  return {
    ...main,
    value: files.length === 0 ? main.value : joined(main.value, merged),
    problems: [...main.problems, ...problems],
    included: files,
    fileOf,
    locate(where, part): Position {
      const { source, file } = at(where);
      return { ...source.locate(where, part), ...(file !== undefined && { file }) };
    },
    show: (where) => at(where).source.show(where),
  };
}

function listIncluded(path: string, main: Source, listFiles: ListFiles) {
  const folder = dirname(path);
  const files = new Set<string>();
  const problems: ConfigProblem[] = [];
  for (const { where, pattern } of patternsIn(main.value)) {
    const own = normalize(path);
    const found = listFiles(pattern, folder)
      .map((file) => (isAbsolute(file) ? file : join(folder, file)))
      .filter((file) => normalize(file) !== own)
      .toSorted();
    for (const file of found) files.add(file);
    if (found.length > 0) continue;
    const allowed = `a file, or a pattern such as clients/*.yaml that some file has; it is relative to ${relative('.', folder) || '.'}`;
    problems.push({
      position: main.locate(where, 'value'),
      path: where,
      file: pattern,
      option: optionText(where),
      found: `${main.show(where)}, which names no file`,
      allowed,
    });
  }
  return { files: [...files], problems };
}

function patternsIn(value: unknown): readonly { readonly where: Path; readonly pattern: string }[] {
  const include = isMapping(value) ? value['include'] : undefined;
  if (typeof include === 'string' && include.trim() !== '') return [{ where: ['include'], pattern: include.trim() }];
  if (!Array.isArray(include)) return [];
  return include.flatMap((pattern: unknown, index) =>
    typeof pattern === 'string' && pattern.trim() !== ''
      ? [{ where: ['include', index], pattern: pattern.trim() }]
      : [],
  );
}

function readText(
  file: string,
  readFile: ReadFile,
): { readonly kind: 'read'; readonly text: string } | { readonly kind: 'unreadable'; readonly code: string } {
  try {
    return { kind: 'read', text: readFile(file) };
  } catch (error) {
    return { kind: 'unreadable', code: errorCode(error) };
  }
}

/** A file with a section of its own that it may not have could mean to change the whole. */
function checkSections(file: string, source: Source): readonly ConfigProblem[] {
  if (!source.isReadable) return [];
  const allowed = `${includedSections.slice(0, -1).join(', ')} and ${includedSections.at(-1)} in an included file`;
  if (!isMapping(source.value)) return [atFile(file, { found: source.show([]), allowed: `a mapping with ${allowed}` })];
  const { value } = source;
  return Object.keys(value).flatMap((section): ConfigProblem[] => {
    const where = [section];
    const about = { position: { ...source.locate(where, 'key'), file }, file } as const;
    const option = /^[A-Za-z_-]{1,30}$/.test(section) ? section : '';
    if (section === 'include') {
      return [{ ...about, option, found: 'an include of an include', allowed: 'include in the first file alone' }];
    }
    if (!includedSections.some((each) => each === section)) {
      return [{ ...about, option, found: 'an option of the first file', allowed: `only ${allowed}` }];
    }
    if (value[section] === null || isMapping(value[section])) return [];
    return [{ ...about, option, found: source.show(where), allowed: 'a mapping (key: value)' }];
  });
}

function namedTwice(file: string, source: Source, path: readonly string[], first: string): ConfigProblem {
  const [section] = path;
  const what = section === 'accounts' ? 'account' : 'sync, feed and outbox';
  return {
    position: { ...source.locate(path, 'key'), file },
    path,
    option: optionText(path),
    found: `the name of one in ${first} again`,
    allowed: `a name of its own for each ${what}, over all files`,
  };
}

function inFile(file: string, problem: ConfigProblem): ConfigProblem {
  const { position = { line: 1, column: 1 }, path = [] } = problem;
  // A problem of no item is one of the whole file.
  return { ...problem, position: { ...position, file }, ...(path.length < 2 && { file }) };
}

function atFile(file: string, { found, allowed }: Pick<ConfigProblem, 'found' | 'allowed'>): ConfigProblem {
  return { position: { line: 1, column: 1, file }, file, option: '', found, allowed };
}

const emptyInclude = 'accounts, syncs, feeds or outbox at least';

function itemKey(section: string, name: string): string {
  return `${section} ${name}`;
}

function itemsOf(value: unknown, section: string): Record<string, unknown> {
  const items = isMapping(value) ? value[section] : undefined;
  return isMapping(items) ? { ...items } : {};
}

/** A section that is no mapping stays as it is: it is reported as that. */
function joined(value: unknown, merged: ReadonlyMap<string, Readonly<Record<string, unknown>>>): unknown {
  if (!isMapping(value)) return value;
  const sections = [...merged].filter(
    ([section, items]) =>
      Object.keys(items).length > 0 &&
      (value[section] === undefined || value[section] === null || isMapping(value[section])),
  );
  return { ...value, ...Object.fromEntries(sections) };
}

/** Faults are told file by file, so the last one is asked again. */
function lastUsed<Made>(make: (key: string) => Made): (key: string) => Made {
  let last: { readonly key: string; readonly made: Made } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, made: make(key) };
    return last.made;
  };
}
