// Carries out injected faults on requests.
import type { Context, MiddlewareHandler, Next } from 'hono';
import type { Env } from './env.ts';
import type { Fault, Faults } from './faults.ts';
import { waitHeaders } from './rate-limit.ts';
import { envelope, htmlPage, tooManyRequests } from './replies.ts';

/** Resolves after `ms`; rejects when the signal aborts first. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

interface DisturbanceParts {
  readonly faults: Faults;
  readonly now: () => number;
  readonly sleep: Sleep;
}

/** Carries out the faults of a request, in place of, before or after its handler. */
export class Disturbance {
  readonly #parts: DisturbanceParts;

  constructor(parts: DisturbanceParts) {
    this.#parts = parts;
  }

  middleware(operation: string | null): MiddlewareHandler<Env> {
    return async (c, next) => {
      const fault = this.#parts.faults.take(operation, c.get('received').path, c.req.raw);
      return fault ? this.#disturb(fault, c, next) : next();
    };
  }

  async #disturb(fault: Fault, c: Context<Env>, next: Next): Promise<Response | undefined> {
    if (fault.kind === 'delay') {
      await this.#parts.sleep(fault.delayMs, c.req.raw.signal);
      await next();
      return undefined;
    }
    const isAfter =
      fault.kind === 'truncated' || fault.kind === 'bad_rows' || ('when' in fault && fault.when === 'after');
    if (isAfter) await next();
    const answer = await this.#answer(fault, c);
    // Hono adds the headers of its present answer to one that replaces it; this one has only its own.
    if (isAfter) c.res = undefined;
    c.res = answer;
    return undefined;
  }

  async #answer(fault: Exclude<Fault, { kind: 'delay' }>, c: Context<Env>): Promise<Response> {
    switch (fault.kind) {
      case 'status':
        return Response.json(injected(fault.status), { status: fault.status });
      case 'error_in_200':
        return Response.json({ ...injected(500), ...(fault.beside === 'no_rows' && { data: [] }) }, { status: 200 });
      case 'bad_rows':
        return withBadRows(c.res);
      case 'blank':
        return new Response('', { status: 200 });
      case 'html':
        return htmlPage(fault.status);
      case 'rate_limited':
        return tooManyRequests(waitHeaders(fault.headers, fault.waitMs, this.#parts.now()));
      case 'truncated':
        return truncated(c.res);
      case 'hang':
        await aborted(c.req.raw.signal);
        return new Response(null, { status: 499 });
      case 'lost':
        c.set('lost', true);
        if (!c.env?.dropConnection) return new Response(brokenBody());
        c.env.dropConnection();
        return new Response(null);
    }
  }
}

const injected = (status: number) => envelope(status, 'injected', `Injected fault: status ${status}.`);

async function truncated(whole: Response): Promise<Response> {
  const text = await whole.text();
  // An answer without a body stays as it is: it cannot break off.
  const half = text === '' ? null : text.slice(0, Math.ceil(text.length / 2));
  return new Response(half, { status: whole.status, headers: { 'content-type': 'application/json' } });
}

async function withBadRows(whole: Response): Promise<Response> {
  const page = (await whole.json()) as { readonly data?: unknown };
  const rows = Array.isArray(page.data) ? page.data.map(() => injected(500)) : [injected(500)];
  return Response.json({ ...page, data: rows }, { status: whole.status });
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** For a caller without a connection: reading the answer fails. */
function brokenBody(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.error(connectionReset()) });
}

/** The rejection of `fetch` when the other end closes the connection before it has answered. */
export function connectionReset(): TypeError {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
  return new TypeError('fetch failed', { cause });
}
