// The messages of a running daemon and a command over the local socket.
import * as z from 'zod';
import { steps } from '../../engine/events.ts';
import { phases } from '../../engine/standing.ts';
import { run } from './runs.ts';
import { contact, count, op, row, side } from './shared.ts';

/**
 * Raised with each change of what one side says and the other could not read. A daemon and a command of different numbers,
 * as in the middle of an upgrade, do not talk.
 */
export const protocolVersion = 2;

/** One event of a run, as the narration of a command and the console show it: without values of contacts. */
export const runEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run-started'), sync: z.string(), run: z.string(), is_full: z.boolean() }),
  z.object({
    type: z.literal('progress'),
    sync: z.string(),
    step: z.enum(steps),
    done: count,
    total: count.nullable(),
  }),
  z.object({
    type: z.literal('change-done'),
    sync: z.string(),
    run: z.string(),
    side,
    op,
    contact,
    row,
    outcome: z.enum(['done', 'refused', 'moved', 'unknown', 'failed']),
    message: z.string().nullable(),
  }),
  z.object({ type: z.literal('notice'), sync: z.string(), message: z.string() }),
  z.object({ type: z.literal('run-ended'), sync: z.string(), run: z.string(), status: run.shape.status }),
]);

/** The protocol alone: only this is sure in an answer of another version. */
export const protocolTold = z.object({ protocol: z.number(), version: z.string() });

export const daemonTold = z.object({
  protocol: z.literal(protocolVersion),
  /** The version of the program. */
  version: z.string(),
  /** `configDigest` of the daemon's configuration and this salt. */
  config: z.object({ salt: z.string(), digest: z.string() }),
  /** As in the state, and taken now (daemon/heartbeat.ts). */
  heartbeat: z.looseObject({
    pid: z.number(),
    started_at: z.string(),
    state: z.enum(['running', 'draining', 'ended']),
  }),
});

export const runWanted = z.strictObject({
  protocol: z.literal(protocolVersion),
  name: z.string().max(1_000),
  full: z.boolean(),
  /** It is run although a person has paused the job (W13). */
  even_if_paused: z.boolean(),
  /** Each change is told, too. */
  changes: z.boolean(),
});

/** One line of the answer to a request for a run. */
export const runMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('accepted'),
    answer: z.enum(['started', 'queued']),
    /** The job when the request came. */
    phase: z.enum(phases),
    /** The run that was under way. */
    run: z.string().nullable(),
    /** Why its last run failed, if it was backing off or stopped. */
    reason: z.string().nullable(),
  }),
  z.object({ type: z.literal('event'), event: runEvent }),
  /** Nothing happens at present. */
  z.object({ type: z.literal('alive') }),
  z.object({ type: z.literal('ended'), run: run.strip() }),
  z.object({ type: z.literal('crashed'), reason: z.string() }),
  /** The daemon ends, and the run was not begun or was given up on. */
  z.object({ type: z.literal('not-run') }),
  /** A person paused the job before its turn came. */
  z.object({ type: z.literal('paused') }),
]);

/** Why there is no run: the body of an answer other than 200. */
export const runRefused = z.object({ why: z.enum(['unknown', 'ending', 'invalid', 'too-many']) });

/** Asks for a one-time link into the console. */
export const consoleLinkWanted = z.strictObject({
  protocol: z.literal(protocolVersion),
  /** The name of the account of the operating system. */
  name: z.string().min(1).max(256),
  role: z.enum(['viewer', 'operator']),
});

export const consoleLinkTold = z.strictObject({
  url: z.string().describe('with the code of the link behind `#`; valid once'),
  seconds: count.describe('for how long it is valid'),
  name: z.string().describe('the account of the operating system, as which the person is logged in'),
  role: z.enum(['viewer', 'operator']),
});

/** Why there is no link. `off`: no console is served. */
export const consoleLinkRefused = z.object({ why: z.enum(['off', 'starting', 'ending', 'invalid']) });

export type RunEvent = z.infer<typeof runEvent>;

export type RunMessage = z.infer<typeof runMessage>;

export type RunWanted = z.infer<typeof runWanted>;

export type RunRefused = z.infer<typeof runRefused>;

export type ConsoleLinkWanted = z.infer<typeof consoleLinkWanted>;

export type ConsoleLinkTold = z.infer<typeof consoleLinkTold>;

export type ConsoleLinkRefused = z.infer<typeof consoleLinkRefused>;

export type DaemonTold = z.infer<typeof daemonTold>;
