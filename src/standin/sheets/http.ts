// The HTTP side: routes, tokens, quotas, faults and the log in front of the model.
import { type Context, Hono } from 'hono';
import { type ApiCall, type ApiMethod, apiMethods } from './sheets-api.ts';
import { type DriveMethod, driveMethods } from './drive-api.ts';
import {
  ApiError,
  DriveError,
  badRequest,
  invalidArgument,
  notFound,
  permissionDenied,
  scopeInsufficient,
  unauthenticated,
} from './errors.ts';
import type { Fault, FaultEffect, FaultInjector, FaultTarget } from './faults.ts';
import { FieldMask, parseFieldMask } from './field-mask.ts';
import type { JsonObject } from './json.ts';
import type { SheetsModel } from './model.ts';
import { type QuotaMeter, googleQuotas, quotaExceeded } from './quota.ts';
import type { RequestLog } from './request-log.ts';
import type { Grant, TokenIssuer } from './tokens.ts';

export interface HttpDeps {
  readonly model: SheetsModel;
  readonly tokens: TokenIssuer;
  readonly quota: QuotaMeter | undefined;
  readonly faults: FaultInjector;
  readonly log: RequestLog;
  readonly now: () => number;
  readonly sleep: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** Any bearer token, or none, is that of an editor of every file. */
  readonly acceptAnything: boolean;
  readonly requestBytesMax: number;
}

/** What a Node server hands along; absent when the app is called in-process. */
export interface StandinEnv {
  readonly Bindings: { readonly outgoing?: { destroy(): unknown } };
}
type StandinContext = Context<StandinEnv>;

/** The answer of a request whose connection is gone: the Node adapter writes nothing for it. */
const alreadyAnswered = { 'x-hono-already-sent': 'true' };

/** What an in-process caller sees of a lost connection: the error that `fetch` rejects with. */
function connectionLost(): TypeError {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', errno: -104, syscall: 'read' });
  return new TypeError('fetch failed', { cause: reset });
}

interface Answer {
  readonly status: number;
  /** Undefined: no body. */
  readonly body: JsonObject | undefined;
}

interface Route {
  readonly target: FaultTarget;
  readonly answer: (grant: Grant) => Promise<Answer>;
  readonly problem: (error: ApiError) => JsonObject;
  readonly method: ApiMethod | undefined;
}

export function createHttp(deps: HttpDeps): Hono<StandinEnv> {
  const app = new Hono<StandinEnv>();
  app.onError((error) => {
    throw error;
  });
  for (const path of ['/token', '/v1/token', '/oauth2/v4/token']) app.post(path, (c) => serveToken(deps, c));
  for (const prefix of ['/v4/spreadsheets', '/v4/spreadsheets/*', '/v4/spreadsheets:', '/drive/*', '/upload/*']) {
    app.all(prefix, (c) => serveApi(deps, c));
  }
  return app;
}

async function serveToken(deps: HttpDeps, c: StandinContext): Promise<Response> {
  const target: FaultTarget = { operation: 'token', kind: 'other', method: 'POST', spreadsheetId: undefined };
  return withFaults(deps, c, target, undefined, async () => {
    const { status, body } = await deps.tokens.answer(new URLSearchParams(await c.req.text()));
    return json(c, { status, body });
  });
}

async function serveApi(deps: HttpDeps, c: StandinContext): Promise<Response> {
  const route = findRoute(deps, c);
  const grant = authenticate(deps, c);
  const respond = async (): Promise<Response> => {
    try {
      if (!grant) throw unauthenticated();
      if (!route) throw notFound();
      if (route.method && !scopeAllows(grant.scopes, route.method)) {
        throw scopeInsufficient(`google.apps.sheets.v4.SpreadsheetsService.${route.method.operation}`);
      }
      if (route.target.kind !== 'other' && !grant.person) deps.quota?.take(route.target.kind, grant.email);
      return json(c, await route.answer(grant));
    } catch (error) {
      if (error instanceof DriveError) return json(c, { status: error.httpStatus, body: error.toDriveBody() });
      if (error instanceof ApiError) {
        return json(c, { status: error.httpStatus, body: route ? route.problem(error) : error.toSheetsBody() });
      }
      throw error;
    }
  };
  // People at the sheet are neither counted nor hit by faults.
  if (grant?.person === true) return respond();
  const unknown: FaultTarget = { operation: 'unknown', kind: 'other', method: c.req.method, spreadsheetId: undefined };
  return withFaults(deps, c, route?.target ?? unknown, grant, respond);
}

function authenticate(deps: HttpDeps, c: StandinContext): Grant | undefined {
  const token = /^Bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  const grant = token === undefined ? undefined : deps.tokens.verify(token);
  if (grant || !deps.acceptAnything) return grant;
  return { email: 'anyone@example.com', scopes: [fullScopes[0]], expiresAt: Number.POSITIVE_INFINITY, person: false };
}

const fullScopes = [
  'https://www.googleapis.com/auth/spreadsheets',
  'https://www.googleapis.com/auth/drive',
  'https://www.googleapis.com/auth/drive.file',
] as const;
const readOnlyScopes = [
  'https://www.googleapis.com/auth/spreadsheets.readonly',
  'https://www.googleapis.com/auth/drive.readonly',
] as const;

function scopeAllows(scopes: readonly string[], method: ApiMethod): boolean {
  const enough: readonly string[] = method.readOnlyScope ? [...fullScopes, ...readOnlyScopes] : fullScopes;
  return scopes.some((scope) => enough.includes(scope));
}

function findRoute(deps: HttpDeps, c: StandinContext): Route | undefined {
  const { pathname, searchParams } = new URL(c.req.url);
  return findSheetsRoute(deps, c, pathname, searchParams) ?? findDriveRoute(deps, c, pathname, searchParams);
}

function findSheetsRoute(
  deps: HttpDeps,
  c: StandinContext,
  pathname: string,
  query: URLSearchParams,
): Route | undefined {
  if (!pathname.startsWith('/v4/spreadsheets')) return undefined;
  const rest = pathname.slice('/v4/spreadsheets'.length);
  for (const method of apiMethods) {
    const match = method.httpMethod === c.req.method ? method.path.exec(rest) : null;
    if (!match) continue;
    const path = match.slice(1).map(decode);
    return {
      target: { operation: method.operation, kind: method.kind, method: method.httpMethod, spreadsheetId: path[0] },
      method,
      problem: (error) => error.toSheetsBody(),
      answer: async (grant) => {
        const fields = query.get('fields') ?? query.get('$fields');
        const call: ApiCall = {
          model: deps.model,
          caller: { email: grant.email },
          openToAll: deps.acceptAnything,
          path,
          query,
          body: await readJson(deps, c),
          mask: fields === null || fields === '' ? FieldMask.all : parseFieldMask(fields),
        };
        return { status: 200, body: method.answer(call) };
      },
    };
  }
  return undefined;
}

function findDriveRoute(
  deps: HttpDeps,
  c: StandinContext,
  pathname: string,
  query: URLSearchParams,
): Route | undefined {
  const found = driveMethods
    .filter((method) => method.httpMethod === c.req.method)
    .map((method): readonly [DriveMethod, RegExpExecArray | null] => [method, method.path.exec(pathname)])
    .find(([, match]) => match !== null);
  if (!found) return undefined;
  const [method, match] = found;
  const path = (match ?? []).slice(1).map(decode);
  return {
    target: { operation: method.operation, kind: 'other', method: method.httpMethod, spreadsheetId: path[0] },
    method: undefined,
    problem: (error) => new DriveError(error.httpStatus, 'badRequest', error.message).toDriveBody(),
    answer: async (grant) => {
      const fields = query.get('fields');
      const body = method.answer({
        model: deps.model,
        email: grant.email,
        openToAll: deps.acceptAnything,
        path,
        query,
        body: method.operation === 'files.upload' ? await c.req.text() : await readJson(deps, c),
        mask: fields === null || fields === '' ? undefined : parseFieldMask(fields),
      });
      return { status: body ? 200 : 204, body };
    },
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not percent-encoded after all: no range and no id reads like this, so it is refused as one that does not exist.
    return part;
  }
}

async function readJson(deps: HttpDeps, c: StandinContext): Promise<unknown> {
  if (c.req.method === 'GET' || c.req.method === 'DELETE') return undefined;
  const bytes = await c.req.arrayBuffer();
  if (bytes.byteLength > deps.requestBytesMax) {
    throw invalidArgument(`Request payload size exceeds the limit: ${deps.requestBytesMax} bytes.`);
  }
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest([
      { field: '', description: 'Invalid JSON payload received. Parser terminated before end of string' },
    ]);
  }
}

/** Google indents its answers unless told not to. */
function json(c: StandinContext, { status, body }: Answer): Response {
  if (body === undefined) return new Response(null, { status });
  const indented = c.req.query('prettyPrint') !== 'false';
  const text = indented ? `${JSON.stringify(body, undefined, 2)}\n` : JSON.stringify(body);
  return new Response(text, {
    status,
    headers: {
      'content-type': 'application/json; charset=UTF-8',
      'cache-control': 'private',
      vary: 'Origin, X-Origin, Referer',
    },
  });
}

/** Answers through the fault that strikes this request, if one does, and notes both in the log. */
async function withFaults(
  deps: HttpDeps,
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
  deps: HttpDeps,
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
  if (when === 'after') await respond();
  return faultyAnswer(c, target, effect, deps.now());
}

async function faultyAnswer(
  c: StandinContext,
  target: FaultTarget,
  effect: Exclude<FaultEffect, { type: 'delay' }>,
  now: number,
): Promise<Response> {
  switch (effect.type) {
    case 'status':
      return json(c, { status: effect.status, body: statusBody(effect.status, target, now) });
    case 'empty':
      return new Response('', { status: 200, headers: { 'content-type': 'application/json; charset=UTF-8' } });
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

function loseConnection(c: StandinContext): Response {
  const outgoing = (c.env as StandinEnv['Bindings'] | undefined)?.outgoing;
  if (!outgoing) throw connectionLost();
  outgoing.destroy();
  return new Response(null, { headers: alreadyAnswered });
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The body Google sends with a status of its own accord. */
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
