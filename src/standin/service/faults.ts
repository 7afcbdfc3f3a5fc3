/*
 * Faults between a client and a service that works: each is injected into the next `times` matching requests. `when`
 * selects one of two cases: `before`: nothing was done; `after`: the write happened and only its answer is wrong.
 */
import * as z from 'zod';
import { rateLimitHeaders } from './switches.ts';

const matching = {
  operation: z.string().optional().describe('only requests of this operation: contacts.upsert'),
  path: z.string().optional().describe('only requests whose path and query contain this'),
  times: z.int().min(1).default(1).describe('how many requests meet it'),
};
const when = z.enum(['before', 'after']).default('before');
const errorStatus = z.int().min(400).max(599);
const fault = <Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) =>
  z.strictObject({ ...matching, kind: z.literal(kind), ...shape });

export const faultSchema = z.discriminatedUnion('kind', [
  fault('status', { status: errorStatus, when }).describe('an error envelope with this status'),
  fault('blank', { when }).describe('200 without a body'),
  fault('html', { status: z.union([z.literal(200), errorStatus]).default(502), when }).describe('an HTML page'),
  fault('lost', { when }).describe('the connection breaks instead of an answer'),
  fault('delay', { delayMs: z.int().min(0) }).describe('the request waits, then goes its way'),
  fault('hang', { when }).describe('no answer until the client gives up'),
  fault('truncated', {}).describe('the request is served and the JSON of its answer breaks off half-way'),
  fault('error_in_200', {
    when,
    beside: z.enum(['nothing', 'no_rows']).default('nothing').describe('no_rows: an empty list under data as well'),
  }).describe('an error envelope with status 200'),
  fault('bad_rows', {}).describe('the request is served, and each row of its answer is an error instead of a record'),
  fault('rate_limited', {
    headers: z.enum(rateLimitHeaders).default('seconds'),
    waitMs: z.int().min(0).default(1000),
  }).describe('429'),
]);

interface Predicate {
  /** The requests that match. */
  readonly matches?: ((request: Request) => boolean) | undefined;
}
export type FaultInput = z.input<typeof faultSchema> & Predicate;
export type Fault = z.output<typeof faultSchema> & Predicate;

/** The waiting faults, in the order they were injected. */
export class Faults {
  #waiting: Fault[] = [];

  get waiting(): readonly Fault[] {
    return this.#waiting;
  }

  /** Throws a ZodError if the fault is invalid. */
  inject({ matches, ...input }: FaultInput): void {
    this.#waiting.push({ ...faultSchema.parse(input), matches });
  }

  clear(): void {
    this.#waiting = [];
  }

  /** The first fault for this request, counted down; undefined: the request has none. */
  take(operation: string | null, path: string, request: Request): Fault | undefined {
    const met = this.#waiting.find(
      (candidate) =>
        (candidate.operation === undefined || candidate.operation === operation) &&
        (candidate.path === undefined || path.includes(candidate.path)) &&
        (candidate.matches?.(request) ?? true),
    );
    if (!met) return undefined;
    met.times -= 1;
    if (met.times === 0) this.#waiting = this.#waiting.filter((other) => other !== met);
    return met;
  }
}
