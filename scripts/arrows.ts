// Checks which folder may import which (docs/ARCHITECTURE.md). `npm run lint` runs it after oxlint.
//
// One table, since a rule of oxlint would be repeated for each folder: the last override of `no-restricted-imports` that
// matches a file replaces the others. Imports of types and dynamic imports are arrows, too.
import { globSync, readFileSync } from 'node:fs';
// Paths have slashes on every system: the rooms below are named by them.
import { dirname, join, normalize } from 'node:path/posix';
import { parseSync } from 'oxc-parser';

interface Room {
  /** Paths below src, each a file or everything that begins so. `type X`: only types of X. Each room may import itself. */
  readonly may: readonly string[];
  readonly why: string;
}

const ports = [
  'crm/port.ts',
  'crm/errors.ts',
  'sheets/port.ts',
  'sheets/errors.ts',
  'state/port.ts',
  'state/errors.ts',
];
const onlyPorts = 'A driver is known by its port and errors alone; the composition (app.ts) wires it.';
const asksOperator =
  'A face asks src/operator, so that every face gets the same answer; it may name types that it renders.';
const anyUses = 'Any folder may use this one, so it imports nothing of ours.';
const kindsApart = 'Kinds of jobs import nothing of each other: what they share stands at the root of src/engine.';
const driver = 'A driver knows its port, src/limits and src/lib, and no other side.';
const standin =
  'A stand-in plays the other side: it shares the operations table with the client, and none of its mistakes.';

/** By the path below src; the longest that a file begins with counts. */
const rooms: Readonly<Record<string, Room>> = {
  'main.ts': { may: [''], why: '' },
  'app-config.ts': {
    may: ['config/', 'crm/outreach/', 'sheets/google/', 'type sheets/port.ts'],
    why: 'It reads the configuration, and no more.',
  },
  'app-state.ts': {
    may: ['config/', 'daemon/queue/postgres/workers.ts', 'engine/found-by.ts', 'lib/', 'postgres/', 'state/'],
    why: 'It opens the state, says by which words records are found, and no more.',
  },
  'app-migrate.ts': {
    may: ['app-state.ts', 'daemon/queue/postgres/', 'limits/', 'postgres/', 'type config/'],
    why: 'It makes the tables of a database, and no more.',
  },
  'app-world.ts': {
    may: ['app-state.ts', 'limits/', 'postgres/', 'type config/', 'type crm/', 'type sheets/', 'type state/'],
    why: 'It says what comes from outside, and shares the budgets.',
  },
  'app-connections.ts': {
    may: ['type app-world.ts', 'type config/', 'crm/', 'lib/', 'limits/', 'sheets/', 'version.ts'],
    why: 'It connects accounts, and no more.',
  },
  'app.ts': {
    may: ['app-', 'config/', 'crm/', 'engine/', 'lib/', 'limits/', 'postgres/', 'sheets/', 'state/', 'version.ts'],
    why: 'The composition is used by faces and by the daemon, never the other way round.',
  },
  'daemon-reload.ts': {
    may: ['type app.ts', 'config/', 'daemon/', 'lib/', 'type operator/answers/'],
    why: 'It takes a changed configuration up, and no more.',
  },
  'daemon-told.ts': {
    may: [
      'type app.ts',
      'app-connections.ts',
      'daemon-reload.ts',
      'config/',
      'daemon/',
      'engine/',
      'lib/',
      'type limits/',
    ],
    why: 'It says what the daemon tells of itself, and no more.',
  },
  'daemon-end.ts': {
    may: ['app-state.ts', 'type daemon/', 'type log/'],
    why: 'It ends the daemon, and no more.',
  },
  'daemon.ts': {
    may: [
      'app.ts',
      'type app-',
      'app-state.ts',
      'daemon-reload.ts',
      'daemon-told.ts',
      'daemon-end.ts',
      'daemon-fleet.ts',
      'daemon-web.ts',
      'config/',
      'daemon/',
      'engine/',
      'lib/',
      'limits/',
      'log/',
      'type operator/',
      'version.ts',
      'web/',
    ],
    why: 'What starts the daemon lies above it.',
  },
  'daemon-web.ts': {
    may: [
      'type app.ts',
      'type app-world.ts',
      'type config/',
      'type daemon/',
      'type log/',
      'type operator/',
      'version.ts',
      'web/',
    ],
    why: 'It puts together what the daemon serves, and no more.',
  },
  'daemon-fleet.ts': {
    may: ['config/', 'daemon/', 'postgres/', 'version.ts'],
    why: 'It is the part of the daemon that joins other workers, and no more.',
  },
  'version.ts': { may: [], why: anyUses },
  'proxy.ts': { may: [], why: anyUses },
  'dot-env.ts': { may: [], why: anyUses },
  'cli/': {
    may: [
      'operator/',
      'config/',
      'lib/',
      'log/printable.ts',
      'app',
      'daemon.ts',
      'type daemon/view.ts',
      'version.ts',
      ...ports,
      // The names of operations, which the shell completes.
      'cli/api/names.ts',
      // Words and errors that every face says alike.
      'engine/errors.ts',
      'web/errors.ts',
      'engine/kinds.ts',
      'engine/rule-words.ts',
      'sync/status.ts',
      'type engine/',
      'type sync/',
    ],
    why: asksOperator,
  },
  'cli/program.ts': {
    may: ['cli/', 'log/', 'lib/', 'config/', 'version.ts'],
    why: 'It lists the commands, and no more.',
  },
  'cli/commands/': {
    may: ['cli/', 'config/users.ts', 'operator/outcomes.ts', 'type operator/'],
    why: 'It declares commands. Their work is imported when they are called, so that a command starts without the others.',
  },
  'cli/api': {
    may: ['cli/', 'app', 'config/', 'crm/', 'lib/', 'log/', 'operator/select-account.ts', 'version.ts'],
    why: 'This command is about the service itself, and knows nothing else.',
  },
  'cli/standin': { may: ['cli/', 'standin/', 'log/', 'lib/'], why: 'It starts the stand-ins, and knows nothing else.' },
  'cli/trial': {
    may: [
      'cli/',
      'app',
      'config/',
      'daemon.ts',
      'lib/',
      'log/',
      'operator/guide.ts',
      'standin/',
      'type engine/',
      'web/',
    ],
    why: 'The trial is both stand-ins and the daemon in one process.',
  },
  'web/': {
    may: ['operator/', 'config/', 'lib/', 'limits/', 'engine/standing.ts', 'type engine/', 'type daemon/'],
    why: asksOperator,
  },
  'operator/': {
    may: [
      'engine/',
      'sync/',
      'config/',
      'daemon/view.ts',
      'type daemon/trends.ts',
      'type daemon/queue/postgres/workers.ts',
      'lib/',
      // What `doctor` tells goes into public reports, masked as the log is.
      'log/mask.ts',
      'log/quotes.ts',
      ...ports,
    ],
    why: `What lies above this folder must not be known here. ${onlyPorts}`,
  },
  'daemon/': {
    may: ['engine/', 'config/', 'lib/', 'type limits/', 'state/port.ts', 'state/errors.ts'],
    why: `The daemon runs jobs, and knows neither their kinds nor who asks. ${onlyPorts}`,
  },
  'daemon/queue/postgres/': {
    may: ['daemon/', 'engine/', 'config/', 'lib/', 'postgres/', 'state/port.ts', 'state/errors.ts'],
    why: 'A driver of the queue knows its port and the pool of PostgreSQL.',
  },
  'log/': {
    may: ['engine/', 'lib/', 'type config/', 'type daemon/', 'type sync/'],
    why: 'The log tells what others report, and asks nobody.',
  },
  'engine/': {
    may: ['engine/stored/', 'sync/', 'config/', 'lib/', 'limits/', ...ports],
    why: `What lies above this folder must not be known here. ${onlyPorts}`,
  },
  'engine/create-job.ts': { may: ['engine/', 'config/jobs.ts'], why: 'It makes jobs of every kind, and no more.' },
  'engine/kinds.ts': { may: ['engine/'], why: 'It lists the kinds of jobs, and no more.' },
  'engine/stored/': {
    may: ['engine/*', 'type engine/enrolment/', 'sync/', 'lib/', ...ports],
    why: 'Stored data is typed and checked here for every kind of job.',
  },
  'engine/sync/': {
    may: ['engine/*', 'engine/stored/', 'engine/enrolment/', 'sync/', 'config/', 'lib/', ...ports],
    why: kindsApart,
  },
  'engine/enrolment/': {
    may: ['engine/*', 'engine/stored/', 'engine/sync/', 'sync/', 'config/', 'lib/', ...ports],
    why: kindsApart,
  },
  'engine/feed/': { may: ['engine/*', 'engine/stored/', 'sync/', 'config/', 'lib/', ...ports], why: kindsApart },
  'engine/outbox/': { may: ['engine/*', 'engine/stored/', 'sync/', 'config/', 'lib/', ...ports], why: kindsApart },
  'sync/': { may: [], why: 'The algorithm imports nothing from outside its folder.' },
  'config/': {
    may: [
      'lib/',
      'postgres/address.ts',
      'postgres/defaults.ts',
      'type postgres/pool.ts',
      'type crm/port.ts',
      'type sheets/port.ts',
      'type sync/',
    ],
    why: 'The configuration is told what drivers can do, as data of their ports.',
  },
  'crm/': { may: ['lib/', 'type sync/'], why: 'A port knows no driver and no other port.' },
  'crm/outreach/': { may: ['crm/', 'lib/', 'limits/', 'type sync/'], why: driver },
  'sheets/': { may: ['lib/', 'type sync/'], why: 'A port knows no driver and no other port.' },
  'sheets/google/': { may: ['sheets/', 'lib/', 'limits/'], why: driver },
  'state/': { may: [], why: 'The store holds plain JSON: it imports nothing of ours, types included.' },
  'postgres/': {
    may: ['lib/', 'state/errors.ts'],
    why: 'The pool is shared by the store, the queue and the budgets, and knows none of them.',
  },
  'state/postgres/': {
    may: ['state/', 'postgres/'],
    why: 'The store holds plain JSON. The one pool of a process is not its own: the queue and the budgets share it.',
  },
  'state/open.ts': { may: ['state/', 'postgres/'], why: 'It chooses the driver of the store, and no more.' },
  'state/file/': { may: ['state/'], why: 'The store holds plain JSON: it imports nothing of ours, types included.' },
  'lib/': { may: [], why: anyUses },
  'limits/': { may: ['lib/'], why: 'Any folder may use this one, so it imports nothing of ours but src/lib.' },
  'standin/': { may: ['crm/outreach/operations/', 'lib/'], why: standin },
  'standin/demo-sheet.ts': { may: ['standin/'], why: standin },
  'standin/sheets/': { may: ['standin/', 'lib/'], why: standin },
  'standin/service/': { may: ['standin/', 'crm/outreach/operations/', 'lib/'], why: standin },
};

/** `root`: the folder that holds src. */
export function findForbiddenImports(root: string): readonly string[] {
  return globSync('src/**/*.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .flatMap((path) => {
      const source = readFileSync(join(root, path), 'utf8');
      const from = path.slice('src/'.length);
      const [name, { may, why }] = roomOf(from);
      return importsIn(path, source).flatMap(({ specifier, isType, at }) => {
        if (!specifier.startsWith('.')) return [];
        const to = normalize(join(dirname(from), specifier));
        const isOwn = name.endsWith('/') && to.startsWith(name) && roomOf(to)[0] === name;
        if (isOwn || may.some((allowed) => covers(allowed, to, isType))) return [];
        const line = source.slice(0, at).split('\n').length;
        return [`${path}:${line} imports ${isType ? 'types of ' : ''}src/${to}. ${why}`];
      });
    });
}

function roomOf(path: string): readonly [string, Room] {
  const names = Object.keys(rooms).filter((name) => path.startsWith(name));
  const name = names.toSorted((a, b) => b.length - a.length)[0];
  if (name === undefined) throw new Error(`src/${path} is in no room: add its folder to scripts/arrows.ts`);
  return [name, rooms[name]!];
}

/** `engine/*` is the files of that folder and no folder in it; `crm/` is its files, and a driver has to be named. */
function covers(allowed: string, to: string, isType: boolean): boolean {
  const [, ofTypes, path = ''] = /^(type )?(.*)$/.exec(allowed)!;
  if (ofTypes !== undefined && !isType) return false;
  return path.endsWith('/*') ? dirname(to) === path.slice(0, -'/*'.length) : to.startsWith(path);
}

interface Import {
  readonly specifier: string;
  readonly isType: boolean;
  readonly at: number;
}

function importsIn(path: string, source: string): readonly Import[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(path, source).module;
  return [
    ...staticImports.map(({ moduleRequest, entries, start }) => ({
      specifier: moduleRequest.value,
      isType: entries.length > 0 && entries.every((entry) => entry.isType),
      at: start,
    })),
    ...staticExports.flatMap(({ entries, start }) =>
      entries.flatMap(({ moduleRequest, isType }) =>
        moduleRequest ? [{ specifier: moduleRequest.value, isType, at: start }] : [],
      ),
    ),
    ...dynamicImports.map(({ moduleRequest }) => ({
      specifier: source.slice(moduleRequest.start + 1, moduleRequest.end - 1),
      isType: false,
      at: moduleRequest.start,
    })),
  ];
}

if (import.meta.main) {
  const forbidden = findForbiddenImports(join(import.meta.dirname, '..'));
  for (const each of forbidden) process.stderr.write(`${each}\n`);
  process.stdout.write(`Found ${forbidden.length} forbidden imports.\n`);
  process.exitCode = forbidden.length > 0 ? 1 : 0;
}
