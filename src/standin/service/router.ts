// Routes requests to the handlers of their operations.
import type { Context, Next } from 'hono';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Operation } from '../../crm/outreach/operations/define.ts';
import { operationList, operations } from '../../crm/outreach/operations/table.ts';
import type { NamedOperation } from '../../crm/outreach/operations/table.ts';
import type { Auth } from './auth.ts';
import { decodeInput } from './decode.ts';
import type { Disturbance } from './disturbance.ts';
import type { Handlers } from './handlers.ts';
import type { Model } from './model.ts';
import { RateLimiter, waitHeaders } from './rate-limit.ts';
import type { ReceivedLog } from './received.ts';
import { badRequest, notFound, Refusal } from './refusal.ts';
import { envelope, htmlPage, refusalToResponse, replyToResponse, tooManyRequests } from './replies.ts';
import type { Reply } from './replies.ts';
import type { Env } from './env.ts';
import type { World } from './world.ts';

/** 2 MB; a larger body is refused unread. */
const bodyBytesMax = 2 * 1024 * 1024;

export interface RouterParts {
  readonly world: World;
  readonly model: Model;
  readonly handlers: Handlers;
  readonly auth: Auth;
  readonly received: ReceivedLog;
  readonly disturbance: Disturbance;
  /** Called when a request may have changed the model. */
  readonly changed: () => void;
}

/**
 * The routes of the operations table. A request is logged, read, disturbed if a fault matches it, admitted (headers,
 * token, budget), decoded by the schemas of its operation and passed to its handler.
 */
export function createRouter({ world, model, handlers, auth, received, disturbance, changed }: RouterParts): Hono<Env> {
  const { switches, now } = world;
  const limiter = new RateLimiter();
  const app = new Hono<Env>();

  /** All steps before the handler; the path has an operation of the table, or none (null). */
  const gate = (operation: string | null, repeat: Operation['repeat'] = 'read') => [
    async (c: Context<Env>, next: Next) => {
      const { pathname, search } = new URL(c.req.url);
      const entry = received.open({ time: now(), method: c.req.method, path: pathname + search, operation });
      c.set('received', entry);
      const before = model.settle();
      await next();
      const after = model.settle();
      if (before || after || repeat !== 'read') changed();
      // The stand-in's own clock, not that of the server.
      c.header('date', new Date(now()).toUTCString());
      entry.status ??= c.get('lost') ? null : c.res.status;
    },
    bodyLimit({
      maxSize: bodyBytesMax,
      onError: () => {
        throw new Refusal({ status: 413, reason: 'payload_too_large', message: 'The body is larger than 2 MB.' });
      },
    }),
    async (c: Context<Env>, next: Next) => {
      received.keepBody(c.get('received'), await c.req.text());
      await next();
    },
    disturbance.middleware(operation),
    async (c: Context<Env>, next: Next) => {
      if (switches.userAgentRequired && !c.req.header('user-agent')) return htmlPage(403);
      if (switches.teamIdHeaderRequired && !c.req.header('team-id')) throw badRequest('The Team-ID header is missing.');
      const token = await auth.verify(c.req.header('authorization'));
      const { admitted, waitMs, window } = limiter.admit(token, switches.rateLimits, now());
      if (!admitted) return tooManyRequests(waitHeaders(switches.rateLimitHeaders, waitMs, now()), window?.calls);
      await next();
      if (window && switches.rateLimitHeaders !== 'none') {
        c.header('x-ratelimit-limit', String(window.calls));
        c.header('x-ratelimit-remaining', String(window.remaining));
      }
      return undefined;
    },
  ];

  for (const named of operationList) {
    const handle = handlerOf(handlers, named);
    app.on(
      named.operation.method,
      [named.operation.path.replaceAll(/\{(\w+)\}/g, ':$1')],
      ...gate(named.name, named.operation.repeat),
      async (c) => {
        const input = decodeInput(
          named,
          {
            params: c.req.param(),
            query: new URL(c.req.url).searchParams,
            contentType: c.req.header('content-type'),
            bodyText: await c.req.text(),
          },
          switches,
        );
        return replyToResponse(handle(input), switches);
      },
    );
  }
  app.on('ALL', ['*'], ...gate(null), (): never => {
    throw notFound('The path');
  });

  app.onError((error, c) => {
    if (error instanceof Refusal) return refusalToResponse(error, switches);
    if (c.req.raw.signal.aborted) return new Response(null, { status: 499 });
    return Response.json(envelope(500, 'server_error', error.message), { status: 500 });
  });
  return app;
}

function handlerOf(handlers: Handlers, { area, operation }: NamedOperation): (input: object) => Reply {
  const key = Object.entries(operations[area]).find(([, candidate]) => candidate === operation)?.[0] ?? '';
  const inArea: Readonly<Record<string, (input: never) => Reply>> = handlers[area];
  // The schemas of this operation have decoded the input.
  return inArea[key] as (input: object) => Reply;
}
