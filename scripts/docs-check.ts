// npm run docs:check: broken links, pages and pictures that nothing leads to, and code that does not hold.
//
// Configuration is read by the reader of the program, and commands are parsed by its command line; nothing is run. Shells and
// scripts are parsed. Every picture is one that a script of ours takes.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { readConfigFile } from '../src/app-config.ts';
import { ConfigError } from '../src/config/problems.ts';
import { fileOf, navigation } from '../docs/.vitepress/navigation.ts';
import { configFile } from '../src/config/schema/file.ts';
import { outreachDescription } from '../src/crm/outreach/description.ts';
import { silentProgram } from './commands-reference.ts';
import { faultsOfScript, faultsOfShell, unknownCalls } from './docs-check/code.ts';
import { madePictures } from './screenshots/pictures.ts';
import { slugOf } from './slug.ts';

type Texts = ReadonlyMap<string, string>;

/** The pages by their path in the repository. */
export function readPages(root: string): Texts {
  const names = globSync(['*.md', '.github/*.md', 'docs/*.md'], { cwd: root }).map((name) =>
    name.replaceAll('\\', '/'),
  );
  return new Map(names.toSorted().map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

/** What is wrong, a line each: `docs/setup.md:12: ...`. `isThere`: whether the repository has a file or folder. */
export async function checkPages(pages: Texts, isThere: (path: string) => boolean): Promise<readonly string[]> {
  const anchors = new Map([...pages].map(([name, text]) => [name, anchorsIn(text)]));
  const found: string[] = [];
  for (const [name, text] of pages) {
    const say = (index: number, what: string) => found.push(`${name}:${lineAt(text, index)}: ${what}`);
    for (const { target, index } of linksIn(text)) {
      const [path = '', anchor] = target.split('#');
      const to = path === '' ? name : normalize(join(dirname(name), decodeURIComponent(path)));
      if (!isThere(to)) say(index, `links to ${to}, which is not there`);
      else if (anchor !== undefined && anchors.get(to)?.has(anchor) === false)
        say(index, `${to} has no heading #${anchor}`);
    }
    for (const { language, code, index } of blocksIn(text)) {
      for (const fault of await faultsIn(language, code)) say(index, fault);
    }
    for (const call of unknownCalls(text)) say(0, call);
    for (const [index, what] of wrongCounts(text)) say(index, what);
    for (const [whole, command = ''] of withoutBlocks(text).matchAll(/`leadsheet ([a-z][^`\n]*)`/g)) {
      // Messages of the log.
      if (['started', 'ended'].includes(command)) continue;
      const fault = unknownIn(command.split(/\s+/));
      if (fault !== undefined) say(text.indexOf(whole), `${whole}: ${fault}`);
    }
  }
  return found;
}

/** Pages of docs/ and pictures that no page leads to. */
export function findOrphans(pages: Texts, pictures: readonly string[]): readonly string[] {
  const linked = new Set(
    [...pages].flatMap(([name, text]) =>
      linksIn(text).map(({ target }) => normalize(join(dirname(name), target.split('#')[0]!))),
    ),
  );
  const all = [...[...pages.keys()].filter((name) => name.startsWith('docs/')), ...pictures];
  return all.filter((name) => !linked.has(name)).map((name) => `${name}: no page links to it`);
}

/** Pictures that no script takes: they would show what leadsheet was once. Pictures that were not taken. */
export function checkPictures(pictures: readonly string[], made: readonly string[] = madePictures): readonly string[] {
  return [
    ...pictures.filter((each) => !made.includes(each)).map((each) => `${each}: no script takes this picture`),
    ...made.filter((each) => !pictures.includes(each)).map((each) => `${each}: this picture was not taken`),
  ];
}

/** Pages that the site does not lead to, and names of the site that are no pages. */
export function checkNavigation(
  pages: Texts,
  links = navigation.flatMap(({ items }) => items.map(({ link }) => link)),
) {
  const named = new Set(links.map(fileOf));
  const missing = [...pages.keys()].filter((name) => !name.startsWith('.github/') && !named.has(name));
  return [
    ...missing.map((name) => `${name}: docs/.vitepress/navigation.ts does not have it`),
    ...[...named]
      .filter((name) => !pages.has(name))
      .map((name) => `docs/.vitepress/navigation.ts: there is no ${name}`),
  ];
}

function linksIn(text: string): readonly { readonly target: string; readonly index: number }[] {
  const links = withoutBlocks(text).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g);
  return [...links].map((link) => ({ target: link[1]!, index: link.index }));
}

/** The same length, so that places stay. */
function withoutBlocks(text: string): string {
  return text.replaceAll(/^( *)```.*?^\1```$/gms, (block) => block.replaceAll(/[^\n]/g, ' '));
}

function anchorsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, heading = ''] of withoutBlocks(text).matchAll(/^#{1,6} +(.+)$/gm)) {
    const slug = slugOf(heading);
    let own = slug;
    for (let count = 1; found.has(own); count += 1) own = `${slug}-${count}`;
    found.add(own);
  }
  return found;
}

/** Entries of a list of contents that say how many headings of the third level a part has, and are wrong. */
function wrongCounts(text: string): readonly (readonly [index: number, what: string])[] {
  const parts = withoutBlocks(text).split(/^## +/m);
  return [...text.matchAll(/^- \[([^\]]+)\]\(#[^)]+\) \((\d+)\)$/gm)].flatMap(({ 1: name = '', 2: said, index }) => {
    const part = parts.find((each) => each.startsWith(`${name}\n`)) ?? '';
    const count = [...part.matchAll(/^### /gm)].length;
    return count === Number(said) ? [] : [[index, `"${name}" has ${count} entries, and not ${said}`] as const];
  });
}

interface Block {
  readonly language: string;
  readonly code: string;
  readonly index: number;
}

function blocksIn(text: string): readonly Block[] {
  return [...text.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].map((block) => {
    const [, indent = '', language = '', code = ''] = block;
    return { language, code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), index: block.index };
  });
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

async function faultsIn(language: string, code: string): Promise<readonly string[]> {
  if (language === 'json') return isJson(code) ? [] : ['this is no JSON'];
  if (language === 'yaml') return faultsOfYaml(code);
  if (language === 'js' || language === 'ts') return faultsOfScript(language, code);
  if (!['', 'sh', 'bash', 'text', 'console'].includes(language)) return [];
  const faults = language === 'sh' || language === 'bash' ? [...faultsOfShell(code)] : [];
  for (const line of code.split('\n')) {
    // Text is the output of commands; a prompt tells them apart.
    if (language === 'text' && !line.startsWith('$ ')) continue;
    const [, command] = /^(?:\$ )?(?:npx )?(?:npm run -s leadsheet --|leadsheet) (.+)$/.exec(line.trim()) ?? [];
    // A line of output begins with "leadsheet:"; a synopsis has brackets and dots.
    if (command === undefined || /[[\]<>]|\.\.\./.test(command)) continue;
    const fault = await faultOfCommand(command);
    if (fault !== undefined) faults.push(`leadsheet ${command}: ${fault}`);
  }
  return faults;
}

/** An example is one object, or an object a line, as in the log. */
function isJson(code: string): boolean {
  const texts = [[code], code.trim().split('\n')];
  return texts.some((all) => {
    try {
      return all.every((text) => JSON.parse(text) !== undefined);
    } catch {
      return false;
    }
  });
}

/** A whole configuration that parts are laid over. */
const base = {
  crm: { base_url: 'https://crm.example.com', token: 'a-token-of-nobody' },
  google: { credentials_file: 'config/google.json' },
  syncs: {
    prospects: {
      contacts: { list: 'Prospects' },
      sheet: { spreadsheet: '1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdef', tab: 'A tab of this check' },
      match: ['email'],
      columns: { Email: 'email', Company: 'company_name', Status: { field: 'status', direction: 'to_sheet' } },
    },
  },
};

/** A configuration, or a part of one with its sections, holds; any other YAML is YAML. */
function faultsOfYaml(code: string): readonly string[] {
  let value: unknown;
  try {
    value = parse(code);
  } catch (error) {
    return [`this is no YAML: ${String(error)}`];
  }
  if (!isMapping(value)) return [];
  const options = Object.keys(configFile(outreachDescription).shape);
  if (!Object.keys(value).every((name) => options.includes(name))) return [];
  const secrets = new Set([...code.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name!));
  const env = Object.fromEntries([...secrets].map((name) => [name, valueFor(name)]));
  // The files that it includes are examples as well.
  const { include: _include, ...own } = value;
  const whole = 'syncs' in own && 'crm' in own;
  const text = JSON.stringify(whole ? own : laidOver(base, own));
  const readFile = (path: string) => (path === 'page' ? text : 'a-secret-of-fifteen-characters-and-more');
  try {
    readConfigFile('page', { env, readFile });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n').map((line) => `no configuration: ${line}`);
    throw error;
  }
}

function valueFor(name: string): string {
  return /URL|WEBHOOK/.test(name) ? 'https://crm.example.com' : 'a-value-of-the-environment-0123';
}

type Mapping = Readonly<Record<string, unknown>>;

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A job of the page is laid over the whole one, so that a part may name what it is about and no more. */
function laidOver(under: Mapping, over: Mapping): Mapping {
  const both = Object.entries(over).map(([name, value]) => {
    const below = under[name] ?? (name === 'syncs' ? undefined : under['prospects']);
    return [name, isMapping(value) && isMapping(below) ? laidOver(below, value) : value];
  });
  return { ...under, ...Object.fromEntries(both) };
}

/** The command line of the program, whose commands do nothing. */
function openProgram(): Command {
  const program = silentProgram();
  const still = (command: Command): void => {
    if (command.commands.length === 0 || command.registeredArguments.length > 0) command.action(() => {});
    command.commands.forEach(still);
  };
  program.commands.forEach(still);
  return program;
}

async function faultOfCommand(command: string): Promise<string | undefined> {
  const words = wordsOf(command);
  // An operation of the service brings options of its own.
  if (words[0] === 'api') return unknownIn(['api']);
  try {
    await openProgram().parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    return error instanceof Error && 'exitCode' in error && error.exitCode === 0 ? undefined : String(error);
  }
}

/** Up to a pipe or a comment, as a shell has it. */
function wordsOf(command: string): string[] {
  const words = command.match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? [];
  const end = words.findIndex((word) => /^([|>#]|&&|\|\|)/.test(word));
  return (end === -1 ? words : words.slice(0, end)).map((word) => word.replaceAll(/^['"]|['"]$/g, ''));
}

/** Of a command in a sentence, whose arguments may be left out: its name and options alone. */
function unknownIn([name = '', ...words]: readonly string[]): string | undefined {
  const program = openProgram();
  const named = program.commands.find((each) => each.name() === name || each.aliases().includes(name));
  if (!named) return `there is no command ${name}`;
  if (name === 'api') return undefined;
  const own = named.commands.find((each) => each.name() === words[0]);
  const taken = [program, named, ...(own ? [own] : [])].flatMap(({ options }) => options);
  const known = new Set(taken.flatMap(({ long, short }) => [long, short]));
  const unknown = words
    .map((word) => /^\[?(--?[a-z][\w-]*)/.exec(word)?.[1])
    .filter((word) => word !== undefined && word !== '--help' && word !== '-h' && !known.has(word));
  return unknown.length === 0 ? undefined : `it has no ${unknown.join(', ')}`;
}

if (import.meta.main) {
  const root = join(import.meta.dirname.replaceAll('\\', '/'), '..');
  const pages = readPages(root);
  const pictures = globSync('docs/**/*.{png,svg,gif,webp,jpg}', {
    cwd: root,
    exclude: ['docs/node_modules/**', 'docs/.vitepress/**'],
  }).map((path) => path.replaceAll('\\', '/'));
  const found = [
    ...(await checkPages(pages, (path) => existsSync(join(root, path)))),
    ...findOrphans(pages, pictures),
    ...checkPictures(pictures),
    ...checkNavigation(pages),
  ];
  for (const each of found) process.stderr.write(`${each}\n`);
  process.stdout.write(`${pages.size} pages, ${found.length} faults.\n`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
