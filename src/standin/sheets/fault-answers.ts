// The effect of a fault on a request: a wrong answer, a late one, or none.
import { type StandinContext, type StandinEnv, json } from './answer.ts';
import { ApiError, notFound, permissionDenied, unauthenticated } from './errors.ts';
import type { Fault, FaultEffect, FaultInjector, FaultTarget } from './faults.ts';
import type { JsonObject } from './json.ts';
import { googleQuotas, quotaExceeded } from './quota.ts';
import type { RequestLog } from './request-log.ts';
import type { Grant } from './tokens.ts';

export interface FaultDeps {
  readonly faults: FaultInjector;
  readonly log: RequestLog;
  readonly now: () => number;
  readonly sleep: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** The answer of a request whose connection is closed: the Node adapter writes nothing for it. */
const alreadyAnswered = { 'x-hono-already-sent': 'true' };

/** A lost connection for an in-process caller: the rejection of `fetch`, and the code that node-fetch adds. */
function connectionLost(): TypeError {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', errno: -104, syscall: 'read' });
  return Object.assign(new TypeError('fetch failed', { cause: reset }), { code: reset.code });
}

/** Answers through the matching fault of this request, if any, and notes both in the log. */
export async function withFaults(
  deps: FaultDeps,
  c: StandinContext,
  target: FaultTarget,
  grant: Grant | undefined,
  respond: () => Promise<Response>,
): Promise<Response> {
  const time = deps.now();
  const fault = deps.faults.take(target);
  const note = (status: number): void => {
    const { pathname, search } = new URL(c.req.url);
    deps.log.add({
      time,
      method: c.req.method,
      path: pathname + search,
      operation: target.operation,
      kind: target.kind,
      email: grant?.email,
      status,
      ...(fault ? { fault: `${fault.effect.type} ${fault.when}` } : {}),
    });
  };
  try {
    const response = fault ? await strike(deps, c, target, fault, respond) : await respond();
    note(response.headers.has('x-hono-already-sent') ? 0 : response.status);
    return response;
  } catch (error) {
    note(0);
    throw error;
  }
}

async function strike(
  deps: FaultDeps,
  c: StandinContext,
  target: FaultTarget,
  { effect, when }: Fault,
  respond: () => Promise<Response>,
): Promise<Response> {
  if (effect.type === 'delay') {
    if (when === 'before') await deps.sleep(effect.delayMs, c.req.raw.signal);
    const response = await respond();
    if (when === 'after') await deps.sleep(effect.delayMs, c.req.raw.signal);
    return response;
  }
  if (effect.type === 'cut') return cutShort(await respond());
  if (when === 'after') await respond();
  return faultyAnswer(c, target, effect, deps.now());
}

async function faultyAnswer(
  c: StandinContext,
  target: FaultTarget,
  effect: Exclude<FaultEffect, { type: 'delay' | 'cut' }>,
  now: number,
): Promise<Response> {
  switch (effect.type) {
    case 'status':
      return json(c, { status: effect.status, body: statusBody(effect.status, target, now) });
    case 'empty':
      return new Response('', { status: 200, headers: { 'content-type': 'application/json; charset=UTF-8' } });
    case 'bare':
      return json(c, { status: 200, body: {} });
    case 'html':
      return new Response(errorPage(effect.status), {
        status: effect.status,
        headers: { 'content-type': 'text/html; charset=UTF-8' },
      });
    case 'hang':
      await aborted(c.req.raw.signal);
      return loseConnection(c);
    case 'lost':
      return loseConnection(c);
  }
}

async function cutShort(whole: Response): Promise<Response> {
  const text = await whole.text();
  return new Response(text.slice(0, Math.floor(text.length / 2)), {
    status: whole.status,
    headers: { 'content-type': 'application/json; charset=UTF-8' },
  });
}

function loseConnection(c: StandinContext): Response {
  const { dropConnection, outgoing } = (c.env as StandinEnv['Bindings'] | undefined) ?? {};
  if (dropConnection) dropConnection();
  else if (outgoing) outgoing.destroy();
  else throw connectionLost();
  return new Response(null, { headers: alreadyAnswered });
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The body that Google sends with a status. */
function statusBody(status: number, target: FaultTarget, now: number): JsonObject {
  const kind = target.kind === 'write' ? 'write' : 'read';
  const known: Readonly<Partial<Record<number, ApiError>>> = {
    401: unauthenticated(),
    403: permissionDenied(),
    404: notFound(),
    429: quotaExceeded(kind, 'user', googleQuotas.perUser[kind], now),
    500: new ApiError('INTERNAL', 'Internal error encountered.'),
    503: new ApiError('UNAVAILABLE', 'The service is currently unavailable.'),
  };
  const error = known[status] ?? new ApiError(status < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE', `Error ${status}`);
  const body = error.toSheetsBody();
  return { error: { ...(body['error'] as JsonObject), code: status } };
}

function errorPage(status: number): string {
  return `<!DOCTYPE html>\n<html lang=en>\n<title>Error ${status} (Server Error)!!1</title>\n<p><b>${status}.</b> <ins>That’s an error.</ins>\n`;
}
