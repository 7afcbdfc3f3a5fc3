// A local Google Sheets: the API over plain memory, for tests, trials and demonstrations.
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Hono } from 'hono';
import { createControl } from './control.ts';
import { type EditBehaviour, defaultEditBehaviour } from './edit.ts';
import { FaultInjector } from './faults.ts';
import type { StandinEnv } from './answer.ts';
import { createHttp } from './http.ts';
import { SheetsModel } from './model.ts';
import { createPage } from './page/page.ts';
import { Person } from './people.ts';
import { QuotaMeter, type Quotas, googleQuotas } from './quota.ts';
import { RequestLog } from './request-log.ts';
import { type Credentials, TokenIssuer } from './tokens.ts';
import { toRequest } from '../to-request.ts';
import { untilAborted } from '../until-aborted.ts';

export interface SheetsStandinOptions {
  /** Epoch milliseconds; the only clock of the stand-in. */
  readonly now: () => number;
  /** At least 0, less than 1; the source of ids and tokens. The same numbers give the same ids. */
  readonly random: () => number;
  /** The known accounts. Default: none, except tokens issued by `tokens.issue`. */
  readonly credentials?: Credentials;
  /**
   * `checked` (default): tokens, scopes and sharing are verified. `open`: any token request succeeds, and any or no
   * token may edit everything.
   */
  readonly access?: 'checked' | 'open';
  /** Default: Google's. `none` for no limit. */
  readonly quotas?: Quotas | 'none';
  /** The owner of spreadsheets made by `createSpreadsheet`. Default `owner@example.com`. */
  readonly ownerEmail?: string;
  readonly behaviour?: Partial<EditBehaviour>;
  /** How a delayed answer waits. Default: real time. */
  readonly sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** The largest accepted request body. Default 10 MiB, Google's limit (9.0 MB were accepted). */
  readonly requestBytesMax?: number;
}

export interface SheetsStandin {
  /** `app.fetch(request)` in-process; or served by a Node server on a port. */
  readonly app: Hono<StandinEnv>;
  /** Like the global `fetch`, answered here for any host: rejects when the connection is lost or the signal fires. */
  readonly fetch: (input: Request | string | URL, init?: RequestInit) => Promise<Response>;
  /** The files and their content; tests and demo data create spreadsheets here. */
  readonly model: SheetsModel;
  readonly tokens: TokenIssuer;
  readonly faults: FaultInjector;
  /** The requests, and the number of reads and writes they cost. */
  readonly log: RequestLog;
  /** A person at a spreadsheet; by default its owner. */
  person(spreadsheetId: string, email?: string): Person;
}

export function createSheetsStandin(options: SheetsStandinOptions): SheetsStandin {
  const { now, quotas = googleQuotas, sleep = realSleep } = options;
  const acceptAnything = options.access === 'open';
  const model = new SheetsModel({
    now,
    random: options.random,
    behaviour: { ...defaultEditBehaviour, ...options.behaviour },
    ownerEmail: options.ownerEmail ?? 'owner@example.com',
  });
  const tokens = new TokenIssuer({
    credentials: options.credentials ?? {},
    now,
    newSecret: (length) => model.newSecret(length),
    acceptAnything,
  });
  const faults = new FaultInjector();
  const log = new RequestLog();
  const app = createHttp({
    model,
    tokens,
    quota: quotas === 'none' ? undefined : new QuotaMeter(quotas, now),
    faults,
    log,
    now,
    sleep,
    acceptAnything,
    requestBytesMax: options.requestBytesMax ?? 10 * 1024 * 1024,
  });
  app.route('/_standin', createControl({ model, faults, log }));
  app.route('/', createPage({ model, tokens }));
  return {
    app,
    fetch: async (input, init) => {
      const request = toRequest(input, init);
      request.signal.throwIfAborted();
      return untilAborted(app.fetch(request), request.signal);
    },
    model,
    tokens,
    faults,
    log,
    person: (spreadsheetId, email) => {
      const file = model.get(spreadsheetId);
      if (!file) throw new Error(`no spreadsheet ${spreadsheetId}`);
      return new Person(file, email);
    },
  };
}

async function realSleep(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleepFor(delayMs, undefined, { signal, ref: false });
}
