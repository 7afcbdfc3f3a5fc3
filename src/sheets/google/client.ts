// Google's client behind two doors, `read` and `write`, which differ in what may be repeated. Everything that talks to
// Sheets passes one of them, and with it the budget, the timeout, the one renewal of the token and the error catalogue.
import { type MethodOptions, sheets, type sheets_v4 } from '@googleapis/sheets';
import pRetry from 'p-retry';
import { backoffMs, type Time } from './backoff.ts';
import { Budget, type BudgetKind, callsPerMinuteDefault, type Priority } from './budget.ts';
import type { Credentials } from './credentials.ts';
import { createEndpointFetch, type Fetch } from './endpoint.ts';
import { AbortedError, OutcomeUnknownError, SheetsError } from '../errors.ts';
import { QuotaError, UnavailableError } from './errors.ts';
import { isTokenRejected, toSheetsError } from './to-sheets-error.ts';

export interface SheetsClientDep {
  readonly credentials: Credentials;
  readonly time: Time;
  readonly fetch: Fetch;
  /** Sheets and token calls go here instead of to Google. */
  readonly endpoint?: string;
  readonly readsPerMinute?: number;
  readonly writesPerMinute?: number;
}

export interface CallOptions {
  /** Cuts waiting and the call itself short. */
  readonly signal?: AbortSignal;
  /** Cuts waiting short, before the first try as well as between two; a call in flight is finished. */
  readonly stop?: AbortSignal;
  readonly priority?: Priority;
}

/** One call on Google's client. It must pass `options` on: they carry the timeout, the signal and the ban on retries. */
export type Call<T> = (api: sheets_v4.Sheets, options: MethodOptions) => PromiseLike<{ data: T }>;

/** https://developers.google.com/workspace/sheets/api/limits: after 180 s of processing Google gives a call up. */
const timeoutMs = 185_000;
/** Repeats of a read that failed other than by quota: a 500 can be permanent. */
const readRetriesMax = 3;
/** Repeats after a 429, which says that nothing was done. With the backoff's cap these take about three minutes. */
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
    this.reads = new Budget('reads', dep.readsPerMinute ?? callsPerMinuteDefault, dep.time);
    this.writes = new Budget('writes', dep.writesPerMinute ?? callsPerMinuteDefault, dep.time);
    this.#api = this.#createApi();
  }

  get time(): Time {
    return this.#dep.time;
  }

  /** Repeated with backoff when Google fails or cannot be reached: reading twice harms nobody. */
  read<T>(spreadsheetId: string, call: Call<T>, options: CallOptions = {}): Promise<T> {
    return this.#attempt('reads', spreadsheetId, call, options, readRetriesMax);
  }

  /**
   * Sent once. Only a 429 and a refused token, which say that nothing was applied, are followed by another attempt; a
   * timeout, a lost connection or a 5xx is an `OutcomeUnknownError`, and the caller reads back before anything else. `call`
   * asks for the field `spreadsheetId`: without it in the answer the outcome is unknown, too.
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
            // Google names the spreadsheet in the answer to every write. A page, a blank answer or other JSON with status 200
            // comes from something on the way, and says nothing of the write (L3).
            if (kind === 'writes' && !isAnswerOf(spreadsheetId, data)) {
              throw new OutcomeUnknownError('the answer does not name the spreadsheet', { spreadsheetId });
            }
            // The same of a read: Google always answers an object. What is blank or cut short is never "nothing there" (L7).
            if (kind === 'reads' && (typeof data !== 'object' || data === null)) {
              throw new UnavailableError('an answer that is empty, cut short or no JSON', { spreadsheetId });
            }
            return data;
          } catch (error) {
            if (stop?.aborted && error === stop.reason) throw new AbortedError({ spreadsheetId, cause: error });
            if (signal?.aborted) {
              throw isSent && kind === 'writes'
                ? new OutcomeUnknownError('stopped', { spreadsheetId })
                : new AbortedError({ spreadsheetId, cause: error });
            }
            throw toSheetsError(error, { kind, account: this.account, spreadsheetId, attempts });
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
      // Waiting that was cut short rejects with the signal's reason.
      if (error instanceof SheetsError || !mayBegin?.aborted) throw error;
      throw new AbortedError({ spreadsheetId, cause: error });
    }
  }

  async #callOnce<T>(kind: BudgetKind, call: Call<T>, options: CallOptions): Promise<T> {
    const once = async (): Promise<T> => {
      // POST is never repeated by Google's client, PUT and GET are, without jitter and unseen by the budget: all off.
      const gaxiosOptions = { retry: false, timeout: timeoutMs, ...(options.signal && { signal: options.signal }) };
      const { data } = await call(this.#api, gaxiosOptions);
      return data;
    };
    const api = this.#api;
    try {
      return await this[kind].run(once, options);
    } catch (error) {
      if (!isTokenRejected(error)) throw error;
      // The library would send the same cached token again: only a new client asks for a new one.
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

function isAnswerOf(spreadsheetId: string, data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'spreadsheetId' in data && data.spreadsheetId === spreadsheetId;
}
