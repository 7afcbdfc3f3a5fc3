import { isObject } from '../../../src/crm/outreach/operations/answers.ts';
import { createServiceStandin } from '../../../src/standin/service/standin.ts';
import type { ServiceStandin } from '../../../src/standin/service/standin.ts';
import type { Switches } from '../../../src/standin/service/switches.ts';

/** Noon on the fixed day of the tests. */
export const startMs = Date.parse('2026-11-21T12:00:00Z');

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The body as JSON; undefined: it is blank or missing. */
  readonly json: Json;
  readonly headers: Headers;
}

// Tests read answers whose shape they check.
export interface Json {
  readonly [name: string]: Json;
  readonly [index: number]: Json;
}

export interface Trial {
  readonly standin: ServiceStandin;
  readonly token: string;
  /** Moves the clock. */
  readonly advance: (ms: number) => void;
  /** One call with the token; a body that is no text is sent as JSON. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>;
}

/** A stand-in with a clock moved by hand, and a client with a token. */
export async function trial(switches: Partial<Switches> = {}): Promise<Trial> {
  let now = startMs;
  const standin = createServiceStandin({ now: () => now, seed: 7, switches });
  const token = await standin.signToken();
  return {
    standin,
    token,
    advance: (ms) => (now += ms),
    call: (method, path, body, headers) =>
      send(standin.fetch, 'http://service.test', token, method, path, body, headers),
  };
}

export async function send(
  fetch: ServiceStandin['fetch'],
  base: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, json: parsed(text), headers: response.headers };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

/** The uuid of a record in an answer. */
export function uuidOf({ json }: Answer): string {
  const uuid: unknown = json['uuid'];
  if (typeof uuid !== 'string') throw new Error(`no uuid in ${JSON.stringify(json)}`);
  return uuid;
}

/** A list for contacts. */
export async function makeList({ call }: Trial, name = 'Prospects'): Promise<string> {
  return uuidOf(await call('POST', '/leads/api/lists', { name }));
}

/** An object inside an answer. */
export function fieldOf({ json }: Answer, ...path: readonly string[]): object {
  const value = path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), json);
  if (!isObject(value)) throw new Error(`no object ${path.join('.')} in ${JSON.stringify(json)}`);
  return value;
}

/** The rows of a page. */
export function rowsOf({ json }: Answer): readonly Json[] {
  const rows: unknown = json['data'];
  if (!Array.isArray(rows)) throw new Error(`no page: ${JSON.stringify(json)}`);
  return rows as readonly Json[];
}
