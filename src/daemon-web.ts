// Composes what the daemon serves over HTTP: health, readiness, metrics, hooks, and the console where it is on.
import type { App } from './app.ts';
import type { AppWorld } from './app-world.ts';
import type { Config, UserConfig } from './config/config.ts';
import type { Daemon } from './daemon/daemon.ts';
import type { TriggerAnswer } from './daemon/queue/port.ts';
import type { Trends } from './daemon/trends.ts';
import type { DaemonLookout } from './daemon/view.ts';
import type { Lines } from './log/lines.ts';
import type { Log } from './log/logger.ts';
import type { Trial } from './operator/guide.ts';
import type { Operator } from './operator/operator.ts';
import { version } from './version.ts';
import { createWeb } from './web/app.ts';
import { createLoginAccess } from './web/console/access/by-login.ts';
import { openLoginBook } from './web/console/access/login-book.ts';
import type { LoginLinks } from './web/console/access/login-links.ts';
import type { Access } from './web/console/access/viewer.ts';
import { createConsole } from './web/console/console.ts';
import type { PageFeed } from './web/console/live/feed.ts';
import type { Metrics } from './web/metrics.ts';

export interface DaemonWebDep {
  readonly app: App;
  /** At the start of the process: the server stays as it was then. */
  readonly config: Config;
  readonly world: Pick<AppWorld, 'now' | 'elapsed'> & {
    readonly trial?: Trial;
    readonly rereadUsers?: () => readonly UserConfig[];
  };
  readonly daemon: Daemon;
  readonly log: Log;
  readonly lines: Lines;
  readonly metrics: Metrics;
  readonly links: LoginLinks;
  /** The console asks this process itself. */
  readonly lookout: DaemonLookout;
  readonly trends: Trends;
  readonly feed: PageFeed;
  readonly workers?: Operator['workers'];
  readonly budgetOf: NonNullable<Operator['budgetOf']>;
  /** Runs a job now, unless a person paused it. undefined: no job has this name. */
  readonly trigger: (name: string) => Promise<TriggerAnswer | undefined>;
  /** Closes what is opened here, with the daemon. */
  readonly resources: AsyncDisposableStack;
}

export function hasConsole({ server }: Config): boolean {
  return server !== undefined && server.console !== 'off';
}

/** Throws StateError. */
export async function createDaemonWeb(dep: DaemonWebDep): Promise<ReturnType<typeof createWeb>> {
  const { config, world, daemon, lines, metrics, trigger } = dep;
  const access = await openAccess(dep);
  return createWeb({
    ...(access && { access }),
    host: config.server?.host ?? '127.0.0.1',
    ...(config.server?.hosts && { hosts: config.server.hosts }),
    metrics,
    ...(hasConsole(config) && access && { pages: createPages(dep, access) }),
    status: () => daemon.status(),
    isDraining: () => daemon.isDraining(),
    stalledMs: () => daemon.stalledMs(),
    ...(config.server?.hookSecret && {
      hooks: {
        secret: config.server.hookSecret,
        trigger,
        nextRun: (name) => daemon.nextRun(name),
        observe(answer, sync) {
          lines.hook(answer, sync);
          metrics.hookCame(answer, sync);
        },
        elapsed: world.elapsed,
      },
    }),
  });
}

function createPages(
  { app, world, daemon, log, lookout, trends, workers, feed, budgetOf }: DaemonWebDep,
  access: Access,
): ReturnType<typeof createConsole> {
  return createConsole({
    operator: {
      get config() {
        return app.config;
      },
      store: app.store,
      now: world.now,
      lookout,
      trends,
      budgetOf,
      warn: (notice) => log.warn({ notice }, 'notice'),
      ...(workers && { workers }),
    },
    access,
    trigger: async (name) => daemon.ask(name, false, true)?.answer,
    undo: {
      get jobs() {
        return app.jobs;
      },
      inTurn: (name, work) => daemon.inTurn(name, work),
    },
    version,
    feed,
    ...(world.trial && { trial: world.trial }),
  });
}

/** Undefined: nobody logs in, and there are no pages. */
async function openAccess(dep: DaemonWebDep): Promise<Access | undefined> {
  const { app, config, world, log, lines, metrics, links, resources } = dep;
  const { server: options } = config;
  if (!options) return undefined;
  const hasAccounts = options.password !== undefined || options.users.length > 0;
  const isOpen = !hasAccounts && !options.trustedProxy?.identity;
  if (isOpen && !hasConsole(config)) return undefined;
  const onFailure = (error: unknown) => log.warn({ err: error }, 'logins cannot be kept; they end with this process');
  const book = resources.use(
    await openLoginBook({ store: app.store, now: world.now, onFailure, isShared: config.state.kind === 'postgres' }),
  );
  return createLoginAccess({
    server: options,
    book,
    links,
    ...(isOpen && { open: { areDetailsShown: world.trial !== undefined } }),
    path: config.path,
    // The first user needs a start: until then people enter without a login.
    rereadUsers: isOpen ? undefined : world.rereadUsers,
    now: world.now,
    elapsed: world.elapsed,
    onWrong() {
      lines.wrongPassword();
      metrics.passwordWasWrong();
    },
    onUsersFault: (error) =>
      log.warn({ err: error }, 'users of the configuration cannot be read anew; they stay as they were'),
  });
}
