// The HTTP server of the daemon: liveness, readiness, metrics, hooks and the console.
import { Hono } from 'hono';
import type { Secret } from '../lib/secret.ts';
import type { JobStatus } from '../engine/standing.ts';
import { createHooks, type HookOptions } from './hooks.ts';
import { safeHeaders } from './headers.ts';
import { checkHost } from './hosts.ts';
import type { Metrics } from './metrics.ts';
import { requirePassword } from './password.ts';

export interface WebOptions {
  /** Undefined: no password is asked for. */
  readonly password?: Secret;
  /** Called for each wrong password. */
  readonly onWrongPassword?: () => void;
  /** The host that the server listens on. */
  readonly host: string;
  /** Further names of the server. With them, or without a password, a request with any other name is refused. */
  readonly hosts?: readonly string[];
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>;
  readonly status: () => readonly JobStatus[];
  readonly isDraining: () => boolean;
  /** How late timers are. */
  readonly stalledMs: () => number;
  /** Undefined: no hooks. */
  readonly hooks?: HookOptions;
  /** The console; undefined: none. */
  readonly pages?: Hono;
}

/** The schedules of a process do not work if its timers are later than this. */
const stalledMsMax = 30_000;

/**
 * `/healthz` and `/readyz` are open, for programs that restart the process, and name nothing. Hooks need their own secret.
 * Every other path needs the password, if one is set. Without a password, or with `hosts`, a request must have one of our
 * names, except for hooks: a page in a browser has neither password nor secret, and may have another name.
 */
export function createWeb(options: WebOptions): Hono {
  const {
    password,
    onWrongPassword = () => {},
    host,
    hosts,
    metrics,
    status,
    isDraining,
    stalledMs,
    hooks,
    pages,
  } = options;
  const app = new Hono();
  app.use(safeHeaders);
  if (hooks) app.route('/hooks', createHooks(hooks));
  if (!password || hosts) app.use('*', checkHost([host, ...(hosts ?? [])]));

  app.get('/healthz', (c) => {
    const ms = stalledMs();
    return ms > stalledMsMax ? c.text(`stalled: timers are ${Math.round(ms / 1_000)} s late\n`, 503) : c.text('ok\n');
  });
  app.get('/readyz', (c) => {
    if (isDraining()) return c.text('ending\n', 503);
    const syncs = status();
    const awaited = syncs.filter(({ hasRun, phase }) => !hasRun && phase !== 'paused').length;
    return awaited === 0
      ? c.text('ready\n')
      : c.text(`${awaited} of ${syncs.length} syncs are still in their first run\n`, 503);
  });

  if (password) app.use('*', requirePassword(password, onWrongPassword));
  app.get('/metrics', async (c) => c.text(await metrics.render(), 200, { 'content-type': metrics.contentType }));
  if (pages) app.route('/', pages);
  return app;
}
