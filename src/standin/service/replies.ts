// Builds the HTTP answers of the stand-in.
import type { Refusal } from './refusal.ts';
import type { Switches } from './switches.ts';

/** The answer of a handler; `json` is left out for an empty body. */
export interface Reply {
  readonly status: number;
  readonly json?: unknown;
}

export const ok = (json: unknown): Reply => ({ status: 200, json });
export const noContent: Reply = { status: 204 };

export function replyToResponse({ status, json }: Reply, { blankSuccess }: Switches): Response {
  if (blankSuccess) return new Response('', { status: 200 });
  if (json === undefined) return new Response(null, { status });
  return Response.json(json, { status });
}

/** The error body of the service; the contract documents its top-level `message` for some refusals. */
export function envelope(status: number, reason: string, message: string, data: object = {}): object {
  return { error: { reason, message, data }, message, code: status };
}

export function refusalToResponse(refusal: Refusal, switches: Switches): Response {
  const { status, reason, message, data } = refusal;
  if (status === 404 && switches.notFoundBody === 'message') return Response.json({ message }, { status });
  if (status === 422 && switches.validationBody === 'errors') {
    return Response.json({ message, errors: data }, { status });
  }
  if (status === 504) return htmlPage(status);
  // The rest of a too large body is not read, so its connection cannot be used again.
  const headers: Record<string, string> = status === 413 ? { connection: 'close' } : {};
  return Response.json(envelope(status, reason, message, data), { status, headers });
}

/** The answer of a gateway in front of the service. */
export function htmlPage(status: number): Response {
  const title = titles[status] ?? 'Error';
  const page = `<!doctype html>\n<html><head><title>${status} ${title}</title></head><body><h1>${status} ${title}</h1></body></html>\n`;
  return new Response(page, { status, headers: { 'content-type': 'text/html; charset=utf-8' } });
}

const titles: Readonly<Record<number, string>> = {
  200: 'Please wait',
  403: 'Forbidden',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Time-out',
};

/** 429 with the headers of the limit; `calls` is the size of the window that is full. */
export function tooManyRequests(headers: Readonly<Record<string, string>>, calls?: number): Response {
  const figures = calls === undefined ? {} : { 'x-ratelimit-limit': String(calls), 'x-ratelimit-remaining': '0' };
  const withFigures = Object.keys(headers).length === 0 ? {} : { ...figures, ...headers };
  const json = envelope(429, 'too_many_requests', 'Too Many Attempts.');
  return Response.json(json, { status: 429, headers: withFigures });
}
