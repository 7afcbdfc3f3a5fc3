import pRetry from 'p-retry';
import timers from 'node:timers/promises';
import type { Secret } from '../config/secret.ts';
import { AuthenticationError, InvalidInputError, RateLimitError, ServiceError } from './errors.ts';
import type { FailedCall } from './errors.ts';
import { exchange } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { checkInput } from './input.ts';
import type { CheckedInput } from './input.ts';
import { interpret } from './interpret.ts';
import type { Operation } from './operations/define.ts';
import { encodeQuery } from './operations/query.ts';
import type { QueryObject } from './operations/query.ts';
import { operationName, operations } from './operations/table.ts';
import { serviceTime } from './retry-after.ts';
import type { CallOptions, ServiceClient, ServiceClientOptions } from './port.ts';

/** 500 has been seen for a filter the service does not know: not worth more than two repeats. */
const repeatsOf500 = 2;
/** 429s in a row one call sits through. Without a Retry-After that is some seven minutes of growing pauses. */
const pausesMax = 10;
/** Delay before the first repeat after a 5xx, a reset or a timeout; doubled each time, up to half a minute. */
const repeatDelayMs = { first: 500, max: 30_000 };

/** The client of one account; see ServiceClient for the contract. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  let offsetMs = 0;
  const noteClock = (headers: Headers) => {
    const serviceMs = serviceTime(headers);
    if (serviceMs !== undefined) offsetMs = serviceMs - options.now();
  };
  const client: ServiceClient = {
    ...bindOperations((operation, input, callOptions) => client.call(operation, input, callOptions)),
    call: (operation, input, callOptions = {}) => perform({ ...options, noteClock }, operation, input, callOptions),
    budget: options.budget,
    serviceNow: () => options.now() + offsetMs,
  };
  return client;
}

type Call = (operation: Operation, input: object, options?: CallOptions) => Promise<unknown>;

/** One method an operation, in the shape of the table. */
function bindOperations(callOperation: Call): Pick<ServiceClient, keyof typeof operations> {
  const areas = Object.entries(operations).map(([area, table]) => [
    area,
    Object.fromEntries(
      Object.entries(table).map(([name, operation]) => [
        name,
        (input: object, options?: CallOptions) => callOperation(operation as Operation, input, options),
      ]),
    ),
  ]);
  return Object.fromEntries(areas) as Pick<ServiceClient, keyof typeof operations>;
}

/** What a call needs of its client. */
interface Caller extends ServiceClientOptions {
  /** Is told the headers of every answer. */
  readonly noteClock: (headers: Headers) => void;
}

async function perform<Input extends object, Answer>(
  client: Caller,
  operation: Operation<Input, Answer>,
  input: Input,
  options: CallOptions,
): Promise<Answer> {
  const named = { operation: operationName(operation as Operation), attempts: 0 };
  const result = checkInput(operation as Operation, input as Readonly<Record<string, unknown>>, options.allowUnknown);
  if ('fields' in result) throw new InvalidInputError(named, result.fields);
  const { checked } = result;
  const known = operation.answerLocally?.({ ...checked.query, ...checked.body });
  if (known !== undefined) return known;

  const about = { ...named, ...subjectOf(checked) };
  const request = buildRequest(client, operation as Operation, checked);
  const attempts = createAttempts(client, operation, options);
  // p-retry counts; when and whether to repeat is said here. It must not see the signal: it would drop the answer of a
  // call that was stopped just as it came in.
  return pRetry((attempt) => attempts.make({ ...about, attempts: attempt }, request), {
    retries: client.retriesMax ?? 4,
    minTimeout: 0,
    shouldConsumeRetry: ({ error }) => !(error instanceof RateLimitError),
    shouldRetry: ({ error, retriesConsumed }) => attempts.waitForNext(error, retriesConsumed),
  });
}

interface Request {
  readonly url: string;
  readonly init: RequestInit;
}

/** The attempts at one call: makes them, remembers what came of the last, and says whether to make another. */
function createAttempts<Answer>(
  client: Caller,
  operation: Operation<never, Answer>,
  { signal, priority = 'edit', repeat, timeoutMs = client.timeoutMs }: CallOptions,
) {
  const repeatable = operation.repeat !== 'harmful' && repeat !== false;
  const { budget, token } = client;
  let failed: { readonly error: ServiceError; readonly again: boolean } | undefined;
  let pauses = 0;

  async function make(call: FailedCall, { url, init }: Request): Promise<Answer> {
    refuseLongPause(client, call);
    const task = () => exchange(url, init, { transport: client.transport, timeoutMs, signal });
    const result = masked(await inBudget(call, () => budget.run(task, { priority, signal })), token);
    if (operation.repeat === 'read') signal?.throwIfAborted();
    if (result.outcome === 'answered') client.noteClock(result.headers);
    const seen = { ...call, ...describe(result) };
    client.observe?.({ ...seen, method: operation.method, url, exchange: result });
    const pauseFor = (retryAfterMs: number | undefined) => budget.refused(retryAfterMs);
    const interpretation = interpret(operation, result, seen, pauseFor, client.now());
    if ('answer' in interpretation) {
      budget.accepted();
      return interpretation.answer;
    }
    failed = interpretation;
    if (failed.error instanceof AuthenticationError) budget.close(failed.error);
    if (!(failed.error instanceof RateLimitError)) budget.accepted();
    throw failed.error;
  }

  return {
    async make(call: FailedCall, request: Request): Promise<Answer> {
      try {
        return await make(call, request);
      } catch (error) {
        // Stopped while waiting to repeat a write: what is known of it is what the last attempt left.
        if (error instanceof ServiceError || failed === undefined || operation.repeat === 'read') throw error;
        failed = { ...failed, again: false };
        throw failed.error;
      }
    },

    async waitForNext(error: Error, repeats: number): Promise<boolean> {
      if (error !== failed?.error || !failed.again || !repeatable) return false;
      // The budget itself pauses after a 429; a delay of ours on top would be a delay twice.
      if (error instanceof RateLimitError) return ++pauses <= pausesMax;
      if (failed.error.call.status === 500 && repeats >= repeatsOf500) return false;
      const delayMs = Math.min(repeatDelayMs.max, repeatDelayMs.first * 2 ** repeats) * (0.5 + client.random() / 2);
      try {
        await timers.setTimeout(delayMs, undefined, { signal });
        return true;
      } catch {
        if (operation.repeat === 'read') signal?.throwIfAborted();
        return false;
      }
    },
  };
}

/** A pause of minutes is waited for; one of hours is an answer, which the caller can put into its schedule. */
function refuseLongPause({ budget, rateLimitWaitMsMax = 120_000 }: ServiceClientOptions, call: FailedCall): void {
  const pausedMs = budget.pausedMs();
  if (pausedMs > rateLimitWaitMsMax) throw new RateLimitError({ ...call, attempts: call.attempts - 1 }, pausedMs);
}

/** A budget that was closed by a 401 rejects with that error; the calls after it fail under their own names. */
async function inBudget<T>(call: FailedCall, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AuthenticationError)) throw error;
    throw new AuthenticationError({ ...call, attempts: call.attempts - 1 }, error.said, true);
  }
}

function buildRequest(
  { baseUrl, token, userAgent, extraHeaders, filterStyle, fieldNames }: ServiceClientOptions,
  operation: Operation,
  { path, query, body }: CheckedInput,
): Request {
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const search = query ? encodeQuery(query as QueryObject, filterStyle ?? operation.filterStyle).toString() : '';
  const named =
    body && Object.fromEntries(Object.entries(body).map(([name, value]) => [fieldNames?.[name] ?? name, value]));
  // An operation without fields of its own has no body, and one that may have some sends none when none is given.
  const hasBody = named !== undefined && (Object.keys(named).length > 0 || operation.method !== 'POST');
  return {
    url: baseUrl.replace(/\/+$/, '') + filled + (search === '' ? '' : `?${search}`),
    init: {
      method: operation.method,
      headers: {
        ...extraHeaders,
        accept: 'application/json',
        authorization: `Bearer ${token.reveal()}`,
        'user-agent': userAgent,
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(named) }),
    },
  };
}

/** The record a call is about, for its error: what stands in the address. */
function subjectOf({ path }: CheckedInput): { subject?: string } {
  const subject = Object.values(path).join(' ');
  return subject === '' ? {} : { subject };
}

/** As much of an answer as an error keeps. */
const bodyKept = 2_048;

function describe(result: Exchange): Pick<FailedCall, 'status' | 'requestId' | 'body'> {
  if (result.outcome !== 'answered') return {};
  const requestId = result.headers.get('x-request-id') ?? result.headers.get('x-correlation-id');
  return {
    status: result.status,
    ...(requestId !== null && { requestId }),
    ...(result.status >= 300 && { body: result.text.slice(0, bodyKept) }),
  };
}

/** An answer may echo its request, token and all, and end up in a message. */
function masked(result: Exchange, token: Secret): Exchange {
  return result.outcome === 'answered' ? { ...result, text: token.maskIn(result.text) } : result;
}
