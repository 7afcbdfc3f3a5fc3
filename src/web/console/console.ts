// The console: pages that show how jobs stand, what ran, and what needs a person, and the actions of those who may decide.
// They go through the operator layer, and call neither the service nor Google.
import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { html } from 'hono/html';
import PQueue from 'p-queue';
import { ConfigError } from '../../config/problems.ts';
import { type Input, InputError, OperatorError } from '../../operator/errors.ts';
import type { Trial } from '../../operator/guide.ts';
import type { Operator } from '../../operator/operator.ts';
import type { TriggerRun } from '../../operator/pause.ts';
import { createUndoDesk, type UndoDeskOptions } from '../../operator/undo-desk.ts';
import { isSame } from '../same.ts';
import { loginRoutes } from './access/routes.ts';
import { sameOrigin } from './access/same-origin.ts';
import type { Access, Viewer } from './access/viewer.ts';
import { actions } from './actions/actions.ts';
import { loadAssets } from './assets.ts';
import { empty } from './html.ts';
import type { PageFeed } from './live/feed.ts';
import { followsOf } from './live/follows.ts';
import { createStreams } from './live/streams.ts';
import { layout, loginLayout } from './layout.ts';
import { createNotices } from './notices.ts';
import type { Page, PageContext } from './page.ts';
import { pages } from './pages.ts';
import { messageFor, type Sight, sightOf } from './sight.ts';

export interface ConsoleOptions {
  readonly operator: Operator;
  readonly access: Access;
  readonly trigger: TriggerRun;
  readonly version: string;
  /** Tells open pages what is new. */
  readonly feed: PageFeed;
  /** Undefined: this is no trial. */
  readonly trial?: Trial;
  /** What undos need besides the operator layer. Left out: this process runs no jobs. */
  readonly undo?: Pick<UndoDeskOptions, 'inTurn'> & Pick<UndoDeskOptions['operator'], 'jobs'>;
}

/** The configuration and its jobs are read when they are used: a reload changes them. */
function undoOperator(operator: Operator, undo: NonNullable<ConsoleOptions['undo']>): UndoDeskOptions['operator'] {
  return {
    ...operator,
    get config() {
      return operator.config;
    },
    get jobs() {
      return undo.jobs;
    },
  };
}

/** The fields of the pages, as people see them. */
const labels: Readonly<Record<Input, string>> = { since: 'Since', until: 'Until', for: 'For how long' };

/** Fits some thousand ticked ids. */
const formBytesMax = 512 * 1024;

export function createConsole({ operator, access, trigger, version, feed, trial, undo }: ConsoleOptions): Hono {
  const undos =
    undo && createUndoDesk({ operator: undoOperator(operator, undo), inTurn: undo.inTurn, newId: randomUUID });
  /** One decision at a time, so that the second person sees what the first one decided. */
  const decisions = new PQueue({ concurrency: 1 });
  const assets = loadAssets();
  const notices = createNotices();
  const app = new Hono();
  const { desk } = access;
  app.route('/assets', assets.routes);
  if (desk) {
    const frame = { asset: assets.address, version };
    app.route('/', loginRoutes({ desk, show: (page) => loginLayout(frame, page) }));
  }
  // Everything below is for people who are known, whatever is added.
  app.use('*', async (c, next) => {
    const viewer = await access.viewerOf(c);
    return viewer instanceof Response ? viewer : next();
  });
  app.route('/events', createStreams({ feed, access, part: (viewer, each) => messageFor(viewer, each, operator) }));
  const whole: Sight = {
    operator,
    trigger,
    ...(undos && { undos }),
    ...(desk && { desk }),
    ...(trial && { trial }),
  };

  function contextOf(c: Context, viewer: Viewer): PageContext & Sight {
    return {
      ...sightOf(viewer, whole),
      viewer,
      areDetailsShown: viewer.areDetailsShown,
      now: operator.now(),
      param: (name) => c.req.param(name) ?? '',
      query: (name) => c.req.query(name)?.trim() || undefined,
      position: feed.position(),
      address: new URL(c.req.url),
      signal: c.req.raw.signal,
    };
  }

  function show(c: Context, context: PageContext, page: Page, status: 200 | 400 | 403 | 404 | 409 = 200) {
    const notice = notices.read(context.query('notice') ?? '');
    const frame = { asset: assets.address, build: assets.build, version, viewer: context.viewer };
    c.header('cache-control', 'no-store');
    const follows = c.req.method === 'GET' ? (page.follows ?? followsOf(c.req.path)) : [];
    const { now, position } = context;
    return c.html(layout(frame, { path: c.req.path, ...page, follows, position, now, notice }), status);
  }

  function refuse(c: Context, context: PageContext, error: unknown) {
    // A job that is left out: its fault says why.
    if (error instanceof ConfigError) {
      const advice = 'It is left out until the file is correct: leadsheet check, then leadsheet reload.';
      return show(c, context, { title: 'Left out', body: empty(error.message, advice) }, 404);
    }
    if (!(error instanceof OperatorError)) throw error;
    const isUnknown = error.code === 'unknown' || error.code === 'nothing';
    const title = isUnknown ? 'Not found' : 'Not possible';
    const message = error instanceof InputError ? `${labels[error.input]}: ${error.message}` : error.message;
    const { pathname, search } = context.address;
    const isFiltered = !isUnknown && c.req.method === 'GET' && search !== '';
    const body = html`${empty(message)}
    ${isFiltered ? html`<p><a href="${pathname}">The page without its filter</a></p>` : ''}`;
    return show(c, context, { title, body }, isUnknown ? 404 : 400);
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

  app.get('*', async (c) => {
    const viewer = await access.viewerOf(c);
    if (viewer instanceof Response) return viewer;
    const body = empty('There is no page at this address.', 'The pages stand above.');
    return show(c, contextOf(c, viewer), { title: 'Not found', body, follows: [] }, 404);
  });

  app.post('/do/:action', sameOrigin, bodyLimit({ maxSize: formBytesMax }), async (c) => {
    const viewer = await access.viewerOf(c);
    if (viewer instanceof Response) return viewer;
    const context = contextOf(c, viewer);
    if (!viewer.mayDecide) {
      const text = 'You may look, and not decide. Nothing has happened.';
      const advice = viewer.role === 'operator' && desk?.hasForm ? 'Operators decide after they log in at /login.' : '';
      return show(c, context, { title: 'Not allowed', body: empty(text, advice) }, 403);
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
          field: (name) => form.get(name)?.trim() || undefined,
          fields: (name) => form.getAll(name),
        }),
      );
      if (result.kind === 'ask') return await show(c, context, result.page);
      feed.decided();
      const to = new URL(result.to, 'http://console.invalid');
      to.searchParams.set('notice', notices.add(result.said));
      return c.redirect(`${to.pathname}${to.search}`, 303);
    } catch (error) {
      return refuse(c, context, error);
    }
  });
  return app;
}
