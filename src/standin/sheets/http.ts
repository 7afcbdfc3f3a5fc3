// The HTTP side of the stand-in: routes, tokens, quotas, faults and the log.
import { Hono } from 'hono';
import { LinearRouter } from 'hono/router/linear-router';
import { type Answer, type StandinContext, type StandinEnv, json } from './answer.ts';
import { type ApiCall, type ApiMethod, apiMethods } from './sheets-api.ts';
import { type DriveMethod, driveMethods } from './drive-api.ts';
import {
  ApiError,
  DriveError,
  badRequest,
  driveScopeInsufficient,
  invalidArgument,
  notFound,
  scopeInsufficient,
  unauthenticated,
} from './errors.ts';
import { type FaultDeps, withFaults } from './fault-answers.ts';
import type { FaultTarget } from './faults.ts';
import { FieldMask, parseFieldMask } from './field-mask.ts';
import type { JsonObject } from './json.ts';
import type { SheetsModel } from './model.ts';
import type { QuotaMeter } from './quota.ts';
import { requireKnownFields } from './response-fields.ts';
import type { Grant, TokenIssuer } from './tokens.ts';

export interface HttpDeps extends FaultDeps {
  readonly model: SheetsModel;
  readonly tokens: TokenIssuer;
  readonly quota: QuotaMeter | undefined;
  /** Any bearer token, or none, counts as an editor of every file. */
  readonly acceptAnything: boolean;
  readonly requestBytesMax: number;
}

interface Route {
  readonly target: FaultTarget;
  readonly answer: (grant: Grant) => Promise<Answer>;
  readonly problem: (error: ApiError) => JsonObject;
  readonly method: ApiMethod | undefined;
  /** Its name, if a token without a scope of Drive is refused. */
  readonly driveOperation?: string;
}

export function createHttp(deps: HttpDeps): Hono<StandinEnv> {
  // A handful of paths.
  const app = new Hono<StandinEnv>({ router: new LinearRouter() });
  app.onError((error) => {
    throw error;
  });
  for (const path of ['/token', '/v1/token', '/oauth2/v4/token']) app.post(path, (c) => serveToken(deps, c));
  for (const prefix of ['/v4/spreadsheets', '/v4/spreadsheets/*', '/drive/*', '/upload/*']) {
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
      if (route.driveOperation !== undefined && !grant.scopes.some(isDriveScope)) {
        throw driveScopeInsufficient(route.driveOperation);
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
  // Requests of people in the grid are neither counted nor hit by faults.
  if (grant?.person === true) return respond();
  const unknown: FaultTarget = { operation: 'unknown', kind: 'other', method: c.req.method, spreadsheetId: undefined };
  return withFaults(deps, c, route?.target ?? unknown, grant, respond);
}

function authenticate(deps: HttpDeps, c: StandinContext): Grant | undefined {
  const token = /^Bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  const grant = token === undefined ? undefined : deps.tokens.verify(token);
  if (grant || !deps.acceptAnything) return grant;
  return {
    email: 'anyone@example.com',
    scopes: [fullScopes[0], fullScopes[1]],
    expiresAt: Number.POSITIVE_INFINITY,
    person: false,
  };
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

/** Any scope of Drive lets a client see versions and changes. */
function isDriveScope(scope: string): boolean {
  return /\/auth\/drive(?:\.|$)/.test(scope);
}

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
        requireKnownFields(call.mask, method.operation);
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
    ...(method.needsDriveScope && { driveOperation: method.operation }),
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
    // Not percent-encoded: no range and no id has this form, so it is refused as missing.
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
