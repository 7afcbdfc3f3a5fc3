// One answer and its context.
import type { Context } from 'hono';
import type { JsonObject } from './json.ts';

/** Closes the connection; absent when the app is called in-process. */
export interface StandinEnv {
  readonly Bindings: {
    readonly dropConnection?: () => void;
    /** The variables of @hono/node-server. */
    readonly outgoing?: { destroy(): unknown };
  };
}
export type StandinContext = Context<StandinEnv>;

export interface Answer {
  readonly status: number;
  /** Undefined: no body. */
  readonly body: JsonObject | undefined;
}

/** Google indents its answers by default. */
export function json(c: StandinContext, { status, body }: Answer): Response {
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
