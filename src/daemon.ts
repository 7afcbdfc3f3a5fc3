// Composes the daemon: the app, its schedules, log, alerts, the server and the socket for commands.
import { createApp } from './app.ts';
import { assertWritableState, isStateFailure, localFolder, watchVersion, workersOf } from './app-state.ts';
import type { AppWorld } from './app-world.ts';
import { accountOfJob, accountsByJob } from './config/accounts.ts';
import type { Config, UserConfig } from './config/config.ts';
import { configDigest } from './config/digest.ts';
import { secretsOf } from './config/secrets.ts';
import { SettingsError } from './config/settings-error.ts';
import { createAlerts } from './daemon/alerts.ts';
import { createDaemon, type Daemon, type DaemonEvent } from './daemon/daemon.ts';
import { endDaemon } from './daemon-end.ts';
import { pauseAt, readPause, takeUpNow } from './engine/at-once.ts';
import type { TriggerAnswer } from './daemon/queue/port.ts';
import type { Emit, EngineEvent } from './engine/events.ts';
import type { PauseFact } from './engine/stored/facts.ts';
import { heartbeatToRemembered, heartbeatToTold } from './daemon/heartbeat-content.ts';
import { createIndexKeeper } from './daemon/index-keeper.ts';
import { createHeartbeat, type Heartbeat, readHeartbeat } from './daemon/heartbeat.ts';
import { createMemoryRelease } from './daemon/memory-release.ts';
import type { DaemonLookout } from './daemon/view.ts';
import { readAhead } from './daemon/read-ahead.ts';
import { createRunningRuns } from './daemon/running.ts';
import { createTrends } from './daemon/trends.ts';
import { createReloader } from './daemon-reload.ts';
import { createDaemonWeb, hasConsole } from './daemon-web.ts';
import { budgetOf, longestLag, measureAccounts, namesByKind, takeHeartbeat, usageByAccount } from './daemon-told.ts';
import { findLeftOut, isSameFault, type LeftOut } from './config/left-out.ts';
import { collectGarbage } from './lib/collect-garbage.ts';
import { machineName } from './lib/machine.ts';
import type { ReloadAnswer } from './operator/answers/reload.ts';
import type { Trial } from './operator/guide.ts';
import { carryOf, joinFleet } from './daemon-fleet.ts';
import { createLines } from './log/lines.ts';
import { createLogger, type LinesForPeople, type Log, type LoggerOptions } from './log/logger.ts';
import { createMask, hideAddresses } from './log/mask.ts';
import { createQuoteHider } from './log/quotes.ts';
import { version } from './version.ts';
import { createLoginLinks, linkSecs } from './web/console/access/login-links.ts';
import { createPageFeed } from './web/console/live/feed.ts';
import { DaemonRunsError } from './web/errors.ts';
import { createEventStream } from './web/events.ts';
import { listen, type Listening } from './web/listen.ts';
import { createLocalApp } from './web/local/app.ts';
import { listenLocally } from './web/local/listen.ts';
import { createMetrics } from './web/metrics.ts';

export interface DaemonWorld extends AppWorld {
  /** The output of the log. */
  readonly out: LoggerOptions['out'];
  /** Aborts when the process is asked to end. */
  readonly stop: AbortSignal;
  /** What the process takes of the memory of the machine. Left out: the daemon returns none of it. */
  readonly memoryUsage?: () => NodeJS.MemoryUsage;
  /** The data is made up, so that the console shows it without a password, with the guide. */
  readonly trial?: Trial;
  /** For the log of the format `pretty`. */
  readonly people?: LinesForPeople;
  /** Reads `server.users` from the configuration anew, where its file has changed. Left out: they stay as they are. */
  readonly rereadUsers?: () => readonly UserConfig[];
  /** Reads the configuration anew. Throws ConfigError. Left out: it stays as it is. */
  readonly reread?: () => Config;
  /** Gets every event, besides log and metrics. */
  readonly listen?: Emit;
}

export interface RunningDaemon {
  readonly daemon: Daemon;
  /** Runs a job now, unless a person paused it. undefined: no job has this name. */
  readonly trigger: (name: string) => Promise<TriggerAnswer | undefined>;
  readonly log: Log;
  /** The configuration in force. */
  readonly config: () => Config;
  /** Takes the changed file up, if it can be. */
  readonly reload: () => Promise<ReloadAnswer>;
  /** The address of health and metrics; undefined: not served. */
  readonly url?: string;
  /**
   * W8: finishes what is in progress and closes everything within ten seconds. Returns the syncs that were given up on; the
   * next run settles what they had in flight. Call it once, after `stop` has aborted.
   */
  end(): Promise<readonly string[]>;
}

/** Resolves when everything runs. Throws why it cannot start: SheetsError, StateError, ListenError, DaemonRunsError. */
export async function startDaemon(config: Config, world: DaemonWorld): Promise<RunningDaemon> {
  const { now, stop } = world;
  const secrets = [...secretsOf(config)];
  const mask = createMask(secrets);
  const isStopping = () => stop.aborted;
  let accountByJob = accountsByJob(config);
  /** As each job was seen last. */
  const pauses = new Map<string, PauseFact | undefined>();
  const log = createLogger({
    ...config.log,
    out: world.out,
    secrets,
    now,
    ...(world.people && { people: world.people }),
    accountOf: (sync) => accountByJob.get(sync),
    isExpected: (error) => isStateFailure(error) || error instanceof SettingsError,
  });
  // A secret among the options appears as its mask.
  let hideKnownQuotes = createQuoteHider(JSON.parse(JSON.stringify(config.options)));
  const hideQuotes = (text: string) => hideKnownQuotes(text);
  const areDetailsShown = config.log.contactDetails === 'shown';
  const lines = createLines(log, { areDetailsShown, hideQuotes, siblingsOf, now, isStopping });

  const running = createRunningRuns(world);
  const events = createEventStream();

  await using resources = new AsyncDisposableStack();
  const feed = resources.use(createPageFeed(world.randomId));
  const app = resources.use(await createApp(config, world, emit));
  // Before anything is made: a database of another program, or of a newer version, is left as it is.
  if (!world.store) await assertWritableState(config.state);
  const before = await readHeartbeat(app.store);
  const alerts = createAlerts({
    urlOf: (sync) => accountOfJob(app.config, sync)?.alertWebhookUrl ?? app.config.alertWebhookUrl,
    accountOf: (sync) => accountByJob.get(sync),
    siblingsOf,
    // Of a job that a reload removed during its run, the last run is told, too.
    kindOf: (sync) => app.jobs.get(sync)?.kind.name ?? 'sync',
    post: world.transport,
    clean: (text) => hideAddresses(hideQuotes(mask(text))),
    told: new Map(
      before?.syncs.flatMap((sync) => {
        const last = heartbeatToTold(sync);
        return last ? [[sync.name, last] as const] : [];
      }),
    ),
    onLost: ({ sync, event }, why) => log.warn({ sync, event, why }, 'an alert could not be delivered'),
    onHeard() {
      // The last one is written: the state may have another daemon by now.
      if (state !== 'ended') heartbeat.changed();
    },
  });
  const fleet = world.store
    ? undefined
    : await joinFleet(() => app.config, {
        ...world,
        warn: (why) => log.warn({ why }, 'trouble with the database of the queue; it goes on by itself'),
        mayTake: watchVersion(config.state, (why) =>
          log.error(
            { why },
            'a newer version changed the tables of the state: this worker takes no more runs; replace it',
          ),
        ),
      });
  if (fleet) resources.use(fleet);
  const daemon: Daemon = resources.use(
    createDaemon({
      ...world,
      ...(fleet && {
        queue: fleet.queue,
        carryOf: (name, learn) => carryOf(name, learn, { daemon: () => daemon, alerts }),
      }),
      jobs: app.jobs,
      accountOf: (name) => accountByJob.get(name),
      isPaused,
      remembered: new Map(before?.syncs.map((sync) => [sync.name, heartbeatToRemembered(sync)])),
      tell,
    }),
  );
  const startedAt = now();
  let state: Heartbeat['state'] = 'running';
  const { process } = world;
  const reloader = createReloader({
    app,
    daemon,
    reread: world.reread ?? (() => config),
    now,
    stopped: () => daemon.status().flatMap(({ name, phase }) => (phase === 'stopped' ? [name] : [])),
    refusedByService: () => daemon.status().flatMap(({ name, lastRun }) => (lastRun?.refused === 'crm' ? [name] : [])),
    onTaken: takeUp,
  });
  let leftOut = findLeftOut(app.config, app.unconnected);
  const take = () =>
    takeHeartbeat({ state, startedAt, now: now(), pid: process.pid, app, daemon, alerts, running, leftOut, reloader });
  const workers = fleet && workersOf(config);
  const salt = world.randomId();
  let digest = configDigest(config, salt);
  /** The console asks this process itself. */
  const ownLookout: DaemonLookout = {
    ask: async () => ({ kind: 'told', told: take() }),
    isRunning: () => true,
    machine: machineName(),
  };
  const links = createLoginLinks(world);
  let server: Listening | undefined;
  const begun = Promise.withResolvers<void>();
  const local = createLocalApp({
    version,
    begun: begun.promise,
    config: () => ({ salt, digest }),
    reload,
    heartbeat: take,
    isDraining: () => daemon.isDraining(),
    job: (name) => daemon.status().find((job) => job.name === name),
    runNow: (name) => running.of(name)?.run,
    ask: (name, isFull, unlessPaused) => daemon.ask(name, isFull, unlessPaused),
    events,
    consoleLink({ name, role }) {
      if (!hasConsole(config)) return 'off';
      if (!server) return 'starting';
      const url = `${here(server.url)}/enter#${links.make({ name, role })}`;
      log.info({ by: name, role }, 'a link into the console was made');
      return { url, seconds: linkSecs, name, role };
    },
  });
  await openSocket();
  const trends = resources.use(
    createTrends({
      now,
      usage: () => app.usage(),
      lag: () => longestLag(daemon.status(), startedAt, now()),
      accounts: () => measureAccounts(app, daemon.status(), (job) => accountByJob.get(job), { startedAt, now: now() }),
    }),
  );
  const metrics = createMetrics({
    status: () => daemon.status(),
    usage: () => usageByAccount(app),
    accountOf: (sync) => accountByJob.get(sync),
    now,
    isStopping,
  });
  const web = await createDaemonWeb({
    app,
    config,
    world,
    daemon,
    log,
    lines,
    metrics,
    links,
    lookout: ownLookout,
    trends,
    feed,
    ...(workers && { workers }),
    budgetOf: (accounts) => budgetOf(app, accounts),
    trigger,
    resources,
  });
  server = config.server && resources.use(await listen(web, config.server));
  const told = new Set<string>();
  const heartbeat = resources.use(
    createHeartbeat({
      store: app.store,
      take,
      onFailure: (error) => log.warn({ err: error }, 'the heartbeat cannot be written; syncs go on'),
    }),
  );
  const index = resources.use(
    createIndexKeeper({
      store: app.store,
      onProgress: (share) =>
        log.info({ share: Math.round(share * 100) / 100 }, 'the index over the history is being made'),
      // A database remembers nothing of a question.
      ...(hasConsole(config) && config.state.kind === 'file' && { onCurrent: (signal) => readAhead(app, signal) }),
    }),
  );
  if (world.memoryUsage) {
    resources.use(
      createMemoryRelease({
        usage: world.memoryUsage,
        collect: collectGarbage,
        onReleased: (mb) => log.debug(mb, 'memory was returned to the system'),
        onFailure: (error) => log.warn({ err: error }, 'free memory cannot be returned to the system; syncs go on'),
      }),
    );
  }
  const open = resources.move();
  const { path } = config;
  log.info(
    {
      version,
      config: path,
      ...namesByKind(app.jobs.values()),
      ...(server && { url: server.url }),
    },
    'leadsheet started',
  );
  const { left_out: leftOutBefore = [], untold = [] } = before?.configuration ?? {};
  tellLeftOut(leftOutBefore.filter((each) => !untold.some((other) => isSameFault(each, other))));
  daemon.start();
  heartbeat.changed();
  begun.resolve();

  return {
    daemon,
    trigger,
    log,
    config: () => app.config,
    reload,
    ...(server && { url: server.url }),
    async end() {
      log.info('ending: what is under way is finished, nothing new is begun');
      state = 'draining';
      heartbeat.changed();
      return endDaemon({
        log,
        daemon,
        alerts,
        hasOthers: async () => fleet?.hasOthers() ?? false,
        onDrained: () => (state = 'ended'),
        endHeartbeat: () => heartbeat.end(),
        open,
      });
    },
  };

  /** Without it the daemon works as with it: commands read the heartbeat and run by themselves. */
  async function openSocket(): Promise<void> {
    // A state of another machine has no folder here.
    if (world.machine ?? world.store) return;
    try {
      resources.use(await listenLocally(local, localFolder(config)));
    } catch (error) {
      // Several machines, and several processes of one, may work on a database: the lease of each job keeps them apart.
      if (error instanceof DaemonRunsError) {
        if (config.state.kind === 'file') throw error;
        log.info('commands on this machine ask the worker that runs here already');
        return;
      }
      const why = error instanceof Error ? error.message : String(error);
      log.warn({ why }, 'commands cannot ask this daemon; they read its heartbeat');
    }
  }

  /** The jobs of the same account. */
  function siblingsOf(name: string): readonly string[] {
    const account = accountByJob.get(name);
    return [...app.jobs.keys()].filter((job) => accountByJob.get(job) === account);
  }

  async function trigger(name: string): Promise<TriggerAnswer | undefined> {
    return app.jobs.has(name) && (await isPaused(name)) ? 'paused' : daemon.trigger(name);
  }

  async function reload(): Promise<ReloadAnswer> {
    const answer = await reloader.reload();
    lines.reloaded(answer);
    heartbeat.changed();
    await tellRemovedPauses(answer);
    return answer;
  }

  /** W13: a pause holds for the name of its job. One that was renamed runs. */
  async function tellRemovedPauses({ added, removed }: ReloadAnswer): Promise<void> {
    if (added.length === 0) return;
    for (const name of removed) {
      const paused = await readPause({ state: app.store.sync(name), now }).catch(() => undefined);
      if (!paused) continue;
      const notice = `paused by ${paused.by} since ${paused.at}, and removed: its pause does not hold for what was added`;
      log.warn({ sync: name, added, notice }, 'notice');
    }
  }

  function takeUp(next: Config): void {
    const known = new Set(secrets.map((secret) => secret.reveal()));
    secrets.push(...secretsOf(next).filter((secret) => !known.has(secret.reveal())));
    hideKnownQuotes = createQuoteHider(JSON.parse(JSON.stringify(next.options)));
    digest = configDigest(next, salt);
    accountByJob = accountsByJob(next);
    metrics.forgetLastRuns();
    const earlier = leftOut;
    leftOut = findLeftOut(next, app.unconnected);
    tellLeftOut(earlier);
  }

  /** Those that were told before are not told again. */
  function tellLeftOut(earlier: readonly LeftOut[]): void {
    for (const each of leftOut) {
      lines.leftOut(each);
      const { kind, name } = each;
      if (earlier.some((other) => isSameFault(each, other))) continue;
      const { accounts, alertWebhookUrl } = app.config;
      const url = kind === 'account' ? accounts.get(name)?.alertWebhookUrl : undefined;
      alerts.leftOut(each, new Date(now()).toISOString(), url ?? alertWebhookUrl);
    }
  }

  /** The history gets a pause here if a run was under way when it was recorded. */
  async function isPaused(name: string): Promise<boolean> {
    const job = { state: app.store.sync(name), name, now };
    // A recorded pause is in effect, also where it cannot be written into the history yet.
    await takeUpNow(job).catch(() => undefined);
    try {
      pauses.set(name, await readPause(job));
    } catch {
      // Of a job that was not paused the run reads the same state, and says what is wrong with it.
    }
    return pauseAt(pauses.get(name), now()) !== undefined;
  }

  function emit(event: EngineEvent): void {
    running.observe(event);
    events.observe(event);
    feed.observe(event);
    lines.engine(event);
    metrics.observe(event);
    trends.observe(event);
    if (event.type === 'run-ended') index.changed(event.sync);
    world.listen?.(event);
  }

  function tell(event: DaemonEvent): void {
    lines.daemon(event);
    if (event.type === 'sync-ran') {
      const { name, lastRun } = event.status;
      const isFirst = !told.has(name);
      told.add(name);
      if (alerts.observe(name, lastRun!, event.report?.isFinal ?? false) || isFirst) heartbeat.changed();
    } else {
      heartbeat.changed();
    }
  }
}

/** The address by which this machine reaches a server that listens on all of its addresses. */
function here(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
