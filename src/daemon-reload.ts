// Takes a changed configuration up while the daemon runs: all of it, or nothing.
import PQueue from 'p-queue';
import type { App } from './app.ts';
import { accountOfJob } from './config/accounts.ts';
import type { Config } from './config/config.ts';
import { ConfigError, problemToText } from './config/problems.ts';
import { Secret } from './lib/secret.ts';
import type { Daemon } from './daemon/daemon.ts';
import { findLeftOut, type LeftOut } from './config/left-out.ts';
import type { ReloadAnswer } from './operator/answers/reload.ts';

export interface ReloadDep {
  readonly app: App;
  readonly daemon: Pick<Daemon, 'change' | 'left' | 'isDraining'>;
  /** Reads the file anew. Throws ConfigError if the whole is wrong. */
  readonly reread: () => Config;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Names of jobs that no further run can help before something changes. They are tried again. */
  readonly stopped: () => readonly string[];
  /** Names of jobs whose last run ended since the service refused the token of their account. */
  readonly refusedByService: () => readonly string[];
  /** The configuration is in force from now on. */
  readonly onTaken: (config: Config) => void;
}

export interface Reloader {
  /** One after the other. Never rejects. */
  reload(): Promise<ReloadAnswer>;
  /** The last file that was not taken up, unless a later one was. */
  refused(): { readonly at: number; readonly problems: readonly string[] } | undefined;
}

export function createReloader({ app, daemon, reread, now, stopped, refusedByService, onTaken }: ReloadDep): Reloader {
  const turns = new PQueue({ concurrency: 1 });
  let refused: ReturnType<Reloader['refused']>;
  let underWay = 0;

  function refuse(problems: readonly string[]): ReloadAnswer {
    refused = { at: now(), problems };
    return { ...nothing, outcome: 'refused', problems: [...problems] };
  }

  async function reload(): Promise<ReloadAnswer> {
    if (daemon.isDraining()) return refuse(['the daemon is ending']);
    let read: Config;
    try {
      read = reread();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return refuse(error.message.split('\n'));
    }
    const before = app.config;
    const restart = needsRestart(before, read);
    // Options that need a restart stay as they are until then.
    const { server: _server, ...rest } = read;
    const next: Config = {
      ...rest,
      state: before.state,
      log: before.log,
      ...(before.server && { server: before.server }),
    };
    const retried = new Set(stopped());
    const sameToken = accountsWithSameToken(before, next, refusedByService());
    const prepared = await app.prepare(next, retried);
    const lost = losses(app, next, prepared.unconnected);
    if (lost.length > 0) return refuse(lost);
    if (daemon.isDraining()) return refuse(['the daemon is ending']);
    prepared.take();
    daemon.change({ jobs: prepared.changed, removed: prepared.removed, order: [...app.jobs.keys()] });
    refused = undefined;
    onTaken(next);
    const names = [...prepared.changed.keys()];
    return {
      outcome: 'taken up',
      added: names.filter((name) => !prepared.known.has(name)),
      changed: names.filter((name) => prepared.known.has(name)),
      removed: [...prepared.removed],
      unchanged: app.jobs.size - names.length,
      same_token: [...sameToken],
      restart: [...restart],
      left_out: findLeftOut(next, prepared.unconnected).map(toAnswer),
      problems: [],
    };
  }

  /** A fault of the program must not end the daemon: the old configuration works. */
  async function reloadOrRefuse(): Promise<ReloadAnswer> {
    try {
      return await reload();
    } catch (error) {
      return refuse([`a fault of leadsheet itself: ${error instanceof Error ? error.message : String(error)}`]);
    }
  }

  /** While another reload is under way, nothing is closed: its new clients are in no configuration yet. It calls this at its own end. */
  async function closeUnused(): Promise<void> {
    await daemon.left();
    if (underWay === 0) app.closeUnused();
  }

  return {
    async reload() {
      underWay += 1;
      try {
        return await turns.add(reloadOrRefuse);
      } finally {
        underWay -= 1;
        void closeUnused();
      }
    },
    refused: () => refused,
  };
}

const nothing = { added: [], changed: [], removed: [], unchanged: 0, same_token: [], restart: [], left_out: [] };

export function toAnswer({ kind, name, reason, jobs }: LeftOut): ReloadAnswer['left_out'][number] {
  return { kind, name, reason, jobs: [...jobs] };
}

/**
 * Faults that would take a running job away, a line each. Faults of what does not run anyway are no reason to keep the old
 * file: the fault of one client does not hold up the changes of the others.
 */
function losses(app: App, next: Config, unconnected: ReadonlyMap<string, Error>): readonly string[] {
  const { path, faults } = next;
  const known = new Set(app.config.faults.flatMap(({ kind, name }) => (kind === 'file' ? [name] : [])));
  const isLoss = ({ kind, name }: Config['faults'][number]) =>
    // The jobs of a file that cannot be read are not known.
    kind === 'file' ? !known.has(name) : kind === 'job' && app.jobs.has(name);
  const lines = faults
    .filter(isLoss)
    .flatMap(({ problems }) => problems.map((problem) => problemToText(path, problem)));
  const running = new Set(app.connections.keys());
  const accounts = [...unconnected].flatMap(([name, { message }]) =>
    running.has(name) ? [`account ${name}: ${message}`] : [],
  );
  return [...new Set([...lines, ...accounts])];
}

/**
 * The environment of a process stays as it was at its start, as in a container whose `.env` was edited. Without this a person
 * reads "taken up" and waits.
 */
function accountsWithSameToken(before: Config, next: Config, refused: readonly string[]): readonly string[] {
  const names = new Set(refused.map((job) => accountOfJob(before, job)?.name));
  return [...next.accounts.values()].flatMap(({ name, crm }) =>
    names.has(name) && before.accounts.get(name)?.crm.token.reveal() === crm.token.reveal() ? [name] : [],
  );
}

/** Sections that hold from the start of the process to its end. */
const lasting = { server: 'server', state: 'state', log: 'log' } as const;

function needsRestart(before: Config, next: Config): readonly string[] {
  return Object.entries(lasting).flatMap(([key, section]) => {
    const of = (config: Config) => revealed(withoutUsers(config)[key as keyof typeof lasting]);
    return of(before) === of(next) ? [] : [section];
  });
}

/** The server reads its users anew by itself, unless it began without any login: the first user needs a start. */
function withoutUsers({ server, state, log }: Config) {
  if (!server) return { server, state, log };
  const { password, users, trustedProxy } = server;
  const asksWho = password !== undefined || users.length > 0 || trustedProxy?.identity !== undefined;
  return { server: { ...server, users: [], asksWho }, state, log };
}

/** Kept in memory alone, and compared. */
function revealed(value: unknown): string {
  return JSON.stringify({ value }, function reveal(this: Record<string, unknown>, key, inner: unknown) {
    const raw = this[key];
    return raw instanceof Secret ? raw.reveal() : inner;
  });
}
