// The stand-in of the service: its options and its parts.
import { setTimeout as sleepFor } from 'node:timers/promises';
import { Hono } from 'hono';
import { LinearRouter } from 'hono/router/linear-router';
import { Auth } from './auth.ts';
import { createControl } from './control.ts';
import { Disturbance } from './disturbance.ts';
import type { Sleep } from './disturbance.ts';
import type { Env } from './env.ts';
import { Faults } from './faults.ts';
import { createHandlers } from './handlers.ts';
import { inProcessFetch } from './in-process-fetch.ts';
import { Model } from './model.ts';
import { createRandom } from './random.ts';
import { ReceivedLog } from './received.ts';
import { createRouter } from './router.ts';
import { defaultSwitches } from './switches.ts';
import type { Switches } from './switches.ts';
import type { World } from './world.ts';

export interface ServiceStandinOptions {
  /** Epoch milliseconds. Jobs, lags and limits use it; tests may move it by hand. */
  readonly now: () => number;
  /** The same seed gives the same ids. */
  readonly seed: number;
  readonly switches?: Partial<Switches>;
  readonly teamId?: number;
  readonly userId?: number;
  /** HS256 key of the tokens it signs and accepts; at least 32 bytes. */
  readonly secret?: string;
  /** Tokens accepted in addition to signed ones. */
  readonly acceptedTokens?: readonly string[];
  /** How a delay waits. Default: real time. */
  readonly sleep?: Sleep;
  /** Called when the model may have changed. */
  readonly onChange?: () => void;
  /** The smallest number of requests kept. */
  readonly receivedMax?: number;
}

export interface ServiceStandin {
  /** The service over HTTP; `app.fetch(request)` answers in-process. */
  readonly app: Hono<Env>;
  /** `fetch` without a socket: honours the signal, and rejects when a fault loses the answer. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  readonly model: Model;
  /** May be changed at any time. */
  readonly switches: Switches;
  readonly faults: Faults;
  readonly received: ReceivedLog;
  /** Signs a token; see Auth.sign for invalid tokens. */
  readonly signToken: Auth['sign'];
  readonly world: World;
}

/**
 * A local service that behaves like the real one: by the contract, else in the most likely way, else by its switches.
 */
export function createServiceStandin(options: ServiceStandinOptions): ServiceStandin {
  const {
    now,
    seed,
    teamId = 1001,
    userId = 501,
    sleep = realSleep,
    receivedMax = 2000,
    acceptedTokens = [],
  } = options;
  const { onChange = () => {}, secret = 'the stand-in signs its tokens with this' } = options;
  const switches: Switches = { ...defaultSwitches(), ...options.switches };
  const world: World = { now, random: createRandom(seed), switches, teamId, userId, foreignUuids: new Set() };
  const model = new Model(world);
  const faults = new Faults();
  const received = new ReceivedLog(receivedMax);
  const auth = new Auth({ teamId, secret, acceptedTokens, now });
  const disturbance = new Disturbance({ faults, now, sleep });
  const handlers = createHandlers(model, world);

  // Tests make thousands, of which each answers few requests: to prepare a faster search for a path takes longer than all of these.
  const app = new Hono<Env>({ router: new LinearRouter() })
    .route('/_standin', createControl({ switches, faults, received, model, auth, changed: onChange }))
    .route('/', createRouter({ world, model, handlers, auth, received, disturbance, changed: onChange }));
  return {
    app,
    fetch: inProcessFetch(app),
    model,
    switches,
    faults,
    received,
    signToken: (claims) => auth.sign(claims),
    world,
  };
}

const realSleep: Sleep = (ms, signal) => sleepFor(ms, undefined, { signal });
