// The console: pages that show how jobs stand, what ran, and what needs a person. They read the state through the operator
// layer, and call neither the service nor Google.
import { type Context, Hono } from 'hono';
import { OperatorError } from '../../operator/errors.ts';
import type { Operator } from '../../operator/operator.ts';
import { loadAssets } from './assets.ts';
import { empty } from './html.ts';
import { type Frame, layout } from './layout.ts';
import type { Page, PageContext } from './page.ts';
import { conflictsPage } from './pages/conflicts.ts';
import { jobPage, jobsPage } from './pages/jobs.ts';
import { logPage } from './pages/log.ts';
import { problemsPage } from './pages/problems.ts';
import { recordsPage } from './pages/records.ts';
import { runPage, runsPage } from './pages/runs.ts';

export interface ConsoleOptions {
  readonly operator: Operator;
  /** Contact details are shown only to a person who gave a password. */
  readonly areDetailsShown: boolean;
  readonly version: string;
}

export function createConsole({ operator, areDetailsShown, version }: ConsoleOptions): Hono {
  const assets = loadAssets();
  const frame: Frame = { asset: assets.address, version, areDetailsShown };
  const app = new Hono();
  app.route('/assets', assets.routes);

  const show = (make: (context: PageContext, c: Context) => Promise<Page>) => async (c: Context) => {
    const context: PageContext = {
      operator,
      areDetailsShown,
      now: operator.now(),
      query: (name) => c.req.query(name)?.trim() || undefined,
      signal: c.req.raw.signal,
    };
    c.header('cache-control', 'no-store');
    try {
      const { title, body } = await make(context, c);
      return await c.html(layout(frame, { path: c.req.path, title, body, now: context.now }));
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      const body = empty(error.message);
      return await c.html(layout(frame, { path: c.req.path, title: 'Not found', body, now: context.now }), 404);
    }
  };
  app.get('/', show(jobsPage));
  app.get(
    '/jobs/:name',
    show((context, c) => jobPage(context, c.req.param('name') ?? '')),
  );
  app.get('/runs', show(runsPage));
  app.get(
    '/runs/:run',
    show((context, c) => runPage(context, c.req.param('run') ?? '')),
  );
  app.get('/records', show(recordsPage));
  app.get('/conflicts', show(conflictsPage));
  app.get('/problems', show(problemsPage));
  app.get('/log', show(logPage));
  return app;
}
