// What the daemon serves: whether it lives, whether it is ready, what it measures, and a bell to ring.
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Secret } from '../lib/secret.ts';
import type { JobStatus } from '../engine/standing.ts';
import { createHooks, type HookOptions } from './hooks.ts';
import { checkHost } from './hosts.ts';
import type { Metrics } from './metrics.ts';
import { requirePassword } from './password.ts';

export interface WebOptions {
  /** Undefined: whoever reaches the address may look. */
  readonly password?: Secret;
  /** Told of each wrong password. */
  readonly onWrongPassword?: () => void;
  /** What it listens on. */
  readonly host: string;
  /** More names under which it is reached. Given them, or without a password, no other is answered. */
  readonly hosts?: readonly string[];
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>;
  readonly status: () => readonly JobStatus[];
  readonly isDraining: () => boolean;
  /** How long timers are overdue. */
  readonly stalledMs: () => number;
  /** Undefined: nobody can ask for a run. */
  readonly hooks?: HookOptions;
}

/** Schedules are worthless in a process whose timers come later than this. */
const stalledMsMax = 30_000;

/**
 * `/healthz` and `/readyz` are open, for whatever restarts the process, and name nothing. Hooks want their own secret.
 * Everything else wants the password, where one is set. Where none is, or where names are given, only a request for one of
 * our names is answered, but for hooks: a page in a browser has neither password nor secret, and may have another name.
 */
export function createWeb(options: WebOptions): Hono {
  const { password, onWrongPassword = () => {}, host, hosts, metrics, status, isDraining, stalledMs, hooks } = options;
  const app = new Hono();
  // Plain HTTP is what it speaks; whether there is TLS in front is not known here.
  app.use(secureHeaders({ strictTransportSecurity: false }));
  if (hooks) app.route('/hooks', createHooks(hooks));
  if (!password || hosts) app.use('*', checkHost([host, ...(hosts ?? [])]));

  app.get('/healthz', (c) => {
    const ms = stalledMs();
    return ms > stalledMsMax ? c.text(`stalled: timers are ${Math.round(ms / 1_000)} s late\n`, 503) : c.text('ok\n');
  });
  app.get('/readyz', (c) => {
    if (isDraining()) return c.text('ending\n', 503);
    const syncs = status();
    const awaited = syncs.filter(({ hasRun }) => !hasRun).length;
    return awaited === 0
      ? c.text('ready\n')
      : c.text(`${awaited} of ${syncs.length} syncs are still in their first run\n`, 503);
  });

  if (password) app.use('*', requirePassword(password, onWrongPassword));
  app.get('/metrics', async (c) => c.text(await metrics.render(), 200, { 'content-type': metrics.contentType }));
  return app;
}
