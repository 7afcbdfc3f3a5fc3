// Calls Google through two functions, `read` and `write`, which differ in what may be repeated.
// Each call to Sheets goes through one of them, and so through the budget, the timeout, the one renewal of the token
// and the error catalogue.
import { type MethodOptions, sheets, type sheets_v4 } from '@googleapis/sheets';
import pRetry from 'p-retry';
import { backoffMs, type Time } from './backoff.ts';
import { Budget, type BudgetKind, callsPerMinuteDefault, type Priority } from './budget.ts';
import { LeaseRanOut } from '../../limits/time-to-live.ts';
import type { Credentials } from './credentials.ts';
import { budgetName, type SharedStarts } from '../../limits/meter.ts';
import { createEndpointFetch, type Fetch } from './endpoint.ts';
import { AbortedError, OutcomeUnknownError, SheetsError } from '../errors.ts';
import { QuotaError, UnavailableError } from './errors.ts';
import { isTokenRejected, toSheetsError } from './to-sheets-error.ts';

export interface SheetsClientDep {
  readonly credentials: Credentials;
  readonly time: Time;
  readonly fetch: Fetch;
  /** Receives Sheets and token calls instead of Google. */
  readonly endpoint?: string;
  readonly readsPerMinute?: number;
  readonly writesPerMinute?: number;
  /** Of all processes on this machine. Left out: this process counts alone. */
  readonly sharedStarts?: SharedStarts;
}

export interface CallOptions {
  /** Aborts waiting and the call itself. */
  readonly signal?: AbortSignal;
  /** Aborts waiting, before the first try and between two; a call in flight is finished. */
  readonly stop?: AbortSignal;
  /** CallSettings.allowMs. */
  readonly allowMs?: (timeoutMs: number) => number;
  readonly priority?: Priority;
}

/** One call of Google's client. It must pass `options` on: they hold the timeout, the signal and the ban on retries. */
export type Call<T> = (api: sheets_v4.Sheets, options: MethodOptions) => PromiseLike<{ data: T }>;

/** https://developers.google.com/workspace/sheets/api/limits: Google ends a call after 180 s of processing. */
const timeoutMs = 185_000;
/** Repeats of a read that failed for another reason than the quota: a 500 can be permanent. */
const readRetriesMax = 3;
/** Repeats after a 429, which was surely not processed. With the backoff's cap these take about three minutes. */
const quotaRetriesMax = 8;

export class SheetsClient {
  readonly account: string;
  readonly reads: Budget;
  readonly writes: Budget;
  readonly #dep: SheetsClientDep;
  #api: sheets_v4.Sheets;

  constructor(dep: SheetsClientDep) {
    this.#dep = dep;
    this.account = dep.credentials.account;
    const sharedBy = (kind: BudgetKind) =>
      dep.sharedStarts && { starts: dep.sharedStarts, budget: budgetName(kind, dep.endpoint ?? '', this.account) };
    this.reads = new Budget(dep.readsPerMinute ?? callsPerMinuteDefault, dep.time, sharedBy('reads'));
    this.writes = new Budget(dep.writesPerMinute ?? callsPerMinuteDefault, dep.time, sharedBy('writes'));
    this.#api = this.#createApi();
  }

  get time(): Time {
    return this.#dep.time;
  }

  /** Repeated with backoff when Google fails or cannot be reached: a repeated read is harmless. */
  read<T>(spreadsheetId: string, call: Call<T>, options: CallOptions = {}): Promise<T> {
    return this.#attempt('reads', spreadsheetId, call, options, readRetriesMax);
  }

  /**
   * Sent once. Only a 429 and a refused token, which were surely not applied, are followed by another attempt. A
   * timeout, a lost connection or a 5xx is an `OutcomeUnknownError`, and the caller reads back first. `call` requests
   * the field `spreadsheetId`: an answer without it is of unknown outcome too.
   */
  write<T>(spreadsheetId: string, call: Call<T>, options: CallOptions = {}): Promise<T> {
    return this.#attempt('writes', spreadsheetId, call, options, 0);
  }

  async #attempt<T>(kind: BudgetKind, spreadsheetId: string, call: Call<T>, options: CallOptions, retriesMax: number) {
    const { signal, stop } = options;
    const mayBegin = stop ?? signal;
    let failures = 0;
    try {
      return await pRetry(
        async (attempts) => {
          let isSent = false;
          const send: Call<T> = (api, methodOptions) => {
            isSent = true;
            return call(api, methodOptions);
          };
          try {
            const data = await this.#callOnce(kind, send, options);
            // Google names the spreadsheet in the answer to every write. A page, a blank answer or other JSON with
            // status 200 comes from a machine in between, and proves nothing about the write (L3).
            if (kind === 'writes' && !isAnswerOf(spreadsheetId, data)) {
              throw new OutcomeUnknownError('the answer does not name the spreadsheet', { spreadsheetId });
            }
            // The same for a read: Google always answers an object. A blank or cut answer never means an empty tab
            // (L7).
            if (kind === 'reads' && (typeof data !== 'object' || data === null)) {
              throw new UnavailableError('an answer that is empty, cut short or no JSON', { spreadsheetId });
            }
            return data;
          } catch (error) {
            const isStopped = error instanceof LeaseRanOut || (stop?.aborted && error === stop.reason);
            if (isStopped) throw new AbortedError({ spreadsheetId, cause: error });
            if (signal?.aborted) {
              throw isSent && kind === 'writes'
                ? new OutcomeUnknownError('stopped', { spreadsheetId })
                : new AbortedError({ spreadsheetId, cause: error });
            }
            throw toSheetsError(error, {
              kind,
              account: this.account,
              spreadsheetId,
              attempts,
              endpoint: this.#dep.endpoint,
            });
          }
        },
        {
          retries: quotaRetriesMax + retriesMax,
          minTimeout: 0,
          shouldRetry: async ({ error, attemptNumber }) => {
            if (error instanceof QuotaError) {
              if (attemptNumber > quotaRetriesMax) return false;
              await this[kind].pause(mayBegin);
              return true;
            }
            failures += 1;
            if (failures > retriesMax || !(error instanceof SheetsError && error.retryable)) return false;
            await this.#dep.time.sleep(backoffMs(failures, this.#dep.time.random), mayBegin);
            return true;
          },
        },
      );
    } catch (error) {
      // An aborted wait rejects with the signal's reason.
      if (error instanceof SheetsError || !mayBegin?.aborted) throw error;
      throw new AbortedError({ spreadsheetId, cause: error });
    }
  }

  async #callOnce<T>(kind: BudgetKind, call: Call<T>, options: CallOptions): Promise<T> {
    const once = async (): Promise<T> => {
      // Google's client never repeats POST, but repeats PUT and GET, without jitter and outside the budget: all off.
      // Here and not before the wait for the budget, which may be long (H3).
      const mayTakeMs = kind === 'writes' ? (options.allowMs?.(timeoutMs) ?? timeoutMs) : timeoutMs;
      using limit = limitTime(options.signal, mayTakeMs);
      const gaxiosOptions = { retry: false, timeout: mayTakeMs, ...(limit.signal && { signal: limit.signal }) };
      const { data } = await call(this.#api, gaxiosOptions);
      return data;
    };
    const api = this.#api;
    try {
      return await this[kind].run(once, options);
    } catch (error) {
      if (!isTokenRejected(error)) throw error;
      // The library would send the same cached token again: only a new client requests a new one.
      if (this.#api === api) this.#api = this.#createApi();
      return await this[kind].run(once, options);
    }
  }

  #createApi(): sheets_v4.Sheets {
    const { credentials, fetch, endpoint } = this.#dep;
    const auth = credentials.createAuthClient({ fetchImplementation: createEndpointFetch(fetch, endpoint) });
    return sheets({ version: 'v4', auth });
  }
}

/**
 * A call under a lease that can run out may first wait for a token. The timeout of Google's client begins after that, so that
 * it alone would not keep the call within the time that was allowed (H3).
 */
function limitTime(signal: AbortSignal | undefined, ms: number): { readonly signal?: AbortSignal } & Disposable {
  if (ms === timeoutMs) return { ...(signal && { signal }), [Symbol.dispose]() {} };
  const limit = new AbortController();
  const abort = () => limit.abort(signal?.reason);
  const timer = setTimeout(() => limit.abort(new DOMException(`no answer within ${ms / 1_000} s`, 'TimeoutError')), ms);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  return {
    signal: limit.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}

function isAnswerOf(spreadsheetId: string, data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'spreadsheetId' in data && data.spreadsheetId === spreadsheetId;
}
