// Builds the program into dist/, or into the given folder: our source and the packages that it uses, in few files.
//
// A command that is called loads its own files and what it shares with others (docs/decisions.md). All files stand beside each
// other. What a module reads beside itself, such as the script of a page, it finds where it stands in src/. The built program
// needs package.json one folder above itself, and no node_modules.
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { licencesOf } from './licences.ts';

const root = join(import.meta.dirname, '..');
const source = join(root, 'src');
const out = resolve(process.argv[2] ?? join(root, 'dist'));

/**
 * Files that many commands load, each by the modules that it begins with; what these import goes with them, unless a file
 * above has it already. The rest is divided by the commands that need it.
 */
const shared = {
  // Loaded before everything large: a signal is heard, and compiled code is kept.
  first: /[/\\]src[/\\]cli[/\\](exit-codes|compile-cache)\.ts$/,
  start: /[/\\]src[/\\](cli[/\\](program|account|pager-process)|proxy|dot-env)\.ts$/,
  yaml: /[/\\]src[/\\]config[/\\]source\.ts$/,
  config: /[/\\]src[/\\](cli[/\\]read-config|config[/\\]digest|web[/\\]errors)\.ts$/,
  state: /[/\\]src[/\\]cli[/\\](open|print[/\\]lines)\.ts$/,
  operator: /[/\\]src[/\\](operator|cli[/\\]print)[/\\]/,
  app: /[/\\]src[/\\]app\.ts$/,
  daemon: /[/\\]src[/\\]daemon\.ts$/,
};

// Files of an earlier build would be packed, too.
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'assets'), { recursive: true });

/** Files of packages that are not code. */
const copied: string[] = [];

const places: Plugin = {
  name: 'places-of-files',
  transform: {
    filter: { id: /[/\\]src[/\\].*\.ts$/, code: 'import.meta.' },
    handler(code, id) {
      const place = relative(source, id).replaceAll('\\', '/').replace(/\.ts$/, '.js');
      return code
        .replaceAll('import.meta.url', urlOf(place))
        .replaceAll(/import\.meta\.resolve\('([^']+)'\)/g, (_, specifier: string) => urlOf(copyOf(specifier)));
    },
  },
};

/** Code for the address of a file, given from `out` on. */
function urlOf(place: string): string {
  return `new URL(${JSON.stringify(`./${place}`)}, import.meta.url).href`;
}

/** Copies a file of a package, and returns its place. */
function copyOf(specifier: string): string {
  const file = fileURLToPath(import.meta.resolve(specifier));
  const place = `assets/${basename(file)}`;
  cpSync(file, join(out, place));
  copied.push(file);
  return place;
}

const bundle = await rolldown({
  input: join(source, 'main.ts'),
  cwd: root,
  platform: 'node',
  tsconfig: false,
  external: /^node:/,
  plugins: [places],
});
const { output } = await bundle.write({
  dir: out,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  comments: { legal: false },
  codeSplitting: {
    groups: Object.entries(shared).map(([name, test], index, all) => ({ name, test, priority: all.length - index })),
  },
});
await bundle.close();

const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
writeFileSync(join(out, 'THIRD-PARTY.txt'), licencesOf([...modules, ...copied]));

for (const asset of globSync('**/*.{js,css,html,svg}', { cwd: source })) cpSync(join(source, asset), join(out, asset));
