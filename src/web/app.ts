// The HTTP server of the daemon: liveness, readiness, metrics, hooks and the console.
import { Hono, type MiddlewareHandler } from 'hono';
import type { JobStatus } from '../engine/standing.ts';
import type { Access } from './console/access/viewer.ts';
import { createHooks, type HookOptions } from './hooks.ts';
import { safeHeaders } from './headers.ts';
import { checkHost } from './hosts.ts';
import type { Metrics } from './metrics.ts';

export interface WebOptions {
  /** Who may see metrics and pages. Undefined: everybody who reaches the server. */
  readonly access?: Access;
  /** The host that the server listens on. */
  readonly host: string;
  /** Further names of the server. With them, or where the access wants it, a request with any other name is refused. */
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
 * Every other path asks the access who is there, the files of pages and the login excepted. Without a login, or with `hosts`,
 * a request must have one of our names, except for hooks: a page in a browser has neither password nor secret, and may have
 * another name.
 */
export function createWeb(options: WebOptions): Hono {
  const { access, host, hosts, metrics, status, isDraining, stalledMs, hooks, pages } = options;
  const app = new Hono();
  app.use(safeHeaders);
  if (hooks) app.route('/hooks', createHooks(hooks));
  if (access?.isHostChecked !== false || hosts) app.use('*', checkHost([host, ...(hosts ?? [])]));

  app.get('/healthz', (c) => {
    const ms = stalledMs();
    return ms > stalledMsMax ? c.text(`stalled: timers are ${Math.round(ms / 1_000)} s late\n`, 503) : c.text('ok\n');
  });
  app.get('/readyz', (c) => {
    if (isDraining()) return c.text('ending\n', 503);
    // Without their number: everybody may ask, also a person of one account.
    const isAwaited = status().some(({ hasRun, phase }) => !hasRun && phase !== 'paused');
    return isAwaited ? c.text('some syncs are still in their first run\n', 503) : c.text('ready\n');
  });

  const guard: MiddlewareHandler = async (c, next) => {
    const viewer = await access?.viewerOf(c);
    return viewer instanceof Response ? viewer : next();
  };
  const ofAllAccounts: MiddlewareHandler = async (c, next) => {
    const viewer = await access?.viewerOf(c);
    if (!viewer || viewer instanceof Response || viewer.accounts === undefined) return next();
    return c.text('metrics tell of all accounts, and you see some of them\n', 403);
  };
  app.get('/metrics', guard, ofAllAccounts, async (c) =>
    c.text(await metrics.render(), 200, { 'content-type': metrics.contentType }),
  );
  if (pages) app.route('/', pages);
  // A path that is none of ours tells nothing either.
  app.use('*', guard);
  return app;
}
