// The console: pages that show how jobs stand, what ran, and what needs a person, and the actions of those who may decide.
// They go through the operator layer, and call neither the service nor Google.
import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import PQueue from 'p-queue';
import { OperatorError } from '../../operator/errors.ts';
import type { Operator } from '../../operator/operator.ts';
import type { TriggerRun } from '../../operator/pause.ts';
import { createUndoDesk, type UndoDeskOptions } from '../../operator/undo-desk.ts';
import { isSame } from '../same.ts';
import type { Access, Viewer } from './access/viewer.ts';
import { actions } from './actions/actions.ts';
import { loadAssets } from './assets.ts';
import { empty } from './html.ts';
import { layout } from './layout.ts';
import { createNotices } from './notices.ts';
import type { Page, PageContext } from './page.ts';
import { pages } from './pages.ts';

export interface ConsoleOptions {
  readonly operator: Operator;
  readonly access: Access;
  readonly trigger: TriggerRun;
  readonly version: string;
  /** What undos need besides the operator layer. Left out: this process runs no jobs. */
  readonly undo?: Pick<UndoDeskOptions, 'inTurn'> & Pick<UndoDeskOptions['operator'], 'jobs'>;
}

/** Fits some thousand ticked ids. */
const formBytesMax = 512 * 1024;

export function createConsole({ operator, access, trigger, version, undo }: ConsoleOptions): Hono {
  const undos =
    undo && createUndoDesk({ operator: { ...operator, jobs: undo.jobs }, inTurn: undo.inTurn, newId: randomUUID });
  /** One decision at a time, so that the second person sees what the first one decided. */
  const decisions = new PQueue({ concurrency: 1 });
  const assets = loadAssets();
  const notices = createNotices();
  const app = new Hono();
  app.route('/assets', assets.routes);

  function contextOf(c: Context, viewer: Viewer): PageContext {
    return {
      operator,
      viewer,
      areDetailsShown: viewer.areDetailsShown,
      now: operator.now(),
      param: (name) => c.req.param(name) ?? '',
      query: (name) => c.req.query(name)?.trim() || undefined,
      address: new URL(c.req.url),
      ...(undos && { undos }),
      signal: c.req.raw.signal,
    };
  }

  function show(c: Context, context: PageContext, page: Page, status: 200 | 400 | 403 | 404 | 409 = 200) {
    const notice = notices.read(context.query('notice') ?? '');
    const frame = { asset: assets.address, version, viewer: context.viewer };
    c.header('cache-control', 'no-store');
    return c.html(layout(frame, { path: c.req.path, ...page, now: context.now, notice }), status);
  }

  function refuse(c: Context, context: PageContext, error: unknown) {
    if (!(error instanceof OperatorError)) throw error;
    const isUnknown = error.code === 'unknown' || error.code === 'nothing';
    const title = isUnknown ? 'Not found' : 'Not possible';
    return show(c, context, { title, body: empty(error.message) }, isUnknown ? 404 : 400);
  }

  for (const [path, make] of Object.entries(pages)) {
    app.get(path, async (c) => {
      const viewer = await access.viewerOf(c);
      if (viewer instanceof Response) return viewer;
      const context = contextOf(c, viewer);
      try {
        const page = await make(context);
        return page instanceof Response ? page : await show(c, context, page);
      } catch (error) {
        return refuse(c, context, error);
      }
    });
  }

  app.post('/do/:action', csrf(), bodyLimit({ maxSize: formBytesMax }), async (c) => {
    const viewer = await access.viewerOf(c);
    if (viewer instanceof Response) return viewer;
    const context = contextOf(c, viewer);
    if (!viewer.mayDecide) {
      const text = 'You may look, and not decide. Nothing has happened.';
      return show(c, context, { title: 'Not allowed', body: empty(text) }, 403);
    }
    const form = new URLSearchParams(await c.req.text());
    if (!isSame(form.get('token') ?? '', viewer.formToken)) {
      const text = 'This form is from an earlier start of the server, or from another login. Nothing has happened.';
      return show(c, context, { title: 'Not done', body: empty(text, 'Load the page again.') }, 403);
    }
    const action = Object.hasOwn(actions, context.param('action')) ? actions[context.param('action')] : undefined;
    if (!action) return c.notFound();
    try {
      const result = await decisions.add(() =>
        action({
          ...context,
          decider: { by: viewer.name, through: 'console' },
          trigger,
          field: (name) => form.get(name)?.trim() || undefined,
          fields: (name) => form.getAll(name),
        }),
      );
      if (result.kind === 'ask') return await show(c, context, result.page);
      const to = new URL(result.to, 'http://console.invalid');
      to.searchParams.set('notice', notices.add(result.said));
      return c.redirect(`${to.pathname}${to.search}`, 303);
    } catch (error) {
      return refuse(c, context, error);
    }
  });
  return app;
}
