// Faults that a test or a person injects: the next matching requests fail in the chosen way.
import { z } from 'zod';

const effectSchema = z.discriminatedUnion('type', [
  /** An error answer in Google's form; 429 has the quota body, any other status its usual message. */
  z.strictObject({ type: z.literal('status'), status: z.int().min(400).max(599) }),
  /** The connection is reset and no answer arrives. */
  z.strictObject({ type: z.literal('lost') }),
  /** The answer arrives this much later. */
  z.strictObject({ type: z.literal('delay'), delayMs: z.number().min(0).max(600_000) }),
  /** No answer arrives until the client gives up. */
  z.strictObject({ type: z.literal('hang') }),
  /** Status 200 with an empty body. */
  z.strictObject({ type: z.literal('empty') }),
  /** Status 200 with an empty object. */
  z.strictObject({ type: z.literal('bare') }),
  /** The request is served, and the JSON of its answer is cut in the middle. */
  z.strictObject({ type: z.literal('cut') }),
  /** A page in HTML instead of JSON, as from a proxy or a front end. */
  z.strictObject({ type: z.literal('html'), status: z.int().min(200).max(599).default(502) }),
]);

export const faultSchema = z.strictObject({
  effect: effectSchema,
  /** Before the request has any effect, or after it has been applied. */
  when: z.enum(['before', 'after']).default('before'),
  /** The number of matching requests that fail. */
  times: z.int().min(1).max(1_000_000).default(1),
  /** The number of matching requests that pass first. */
  skip: z.int().min(0).max(1_000_000).default(0),
  /** The matching requests; a field that is left out matches all. The token endpoint only matches when named. */
  match: z
    .strictObject({
      /** Google's name of the method, such as `values.update` or `spreadsheets.batchUpdate`; `token`. */
      operation: z.string().optional(),
      kind: z.enum(['read', 'write']).optional(),
      spreadsheetId: z.string().optional(),
      method: z.string().optional(),
    })
    .default({}),
});
/** A requested fault; everything but the effect has a default. */
export type FaultRequest = z.input<typeof faultSchema>;
export type Fault = z.output<typeof faultSchema>;
export type FaultEffect = Fault['effect'];

/** The parts of a request that a fault is matched against. */
export interface FaultTarget {
  readonly operation: string;
  readonly kind: 'read' | 'write' | 'other';
  readonly method: string;
  readonly spreadsheetId: string | undefined;
}

interface PendingFault {
  readonly fault: Fault;
  skip: number;
  left: number;
}

export class FaultInjector {
  private pending: PendingFault[] = [];

  /** Adds a fault after the waiting ones. */
  add(request: FaultRequest): void {
    const fault = faultSchema.parse(request);
    this.pending.push({ fault, skip: fault.skip, left: fault.times });
  }

  clear(): void {
    this.pending = [];
  }

  /** The waiting faults, with the remaining number of requests for each. */
  list(): readonly Fault[] {
    return this.pending.map(({ fault, left, skip }) => ({ ...fault, times: left, skip }));
  }

  /** The fault for this request, if any; it is counted down. */
  take(target: FaultTarget): Fault | undefined {
    for (const entry of this.pending) {
      if (!matches(entry.fault, target)) continue;
      if (entry.skip > 0) {
        entry.skip -= 1;
        continue;
      }
      entry.left -= 1;
      if (entry.left === 0) this.pending = this.pending.filter((other) => other !== entry);
      return entry.fault;
    }
    return undefined;
  }
}

function matches({ match }: Fault, target: FaultTarget): boolean {
  if (match.operation === undefined && target.kind === 'other') return false;
  return (
    (match.operation === undefined || match.operation === target.operation) &&
    (match.kind === undefined || match.kind === target.kind) &&
    (match.spreadsheetId === undefined || match.spreadsheetId === target.spreadsheetId) &&
    (match.method === undefined || match.method.toUpperCase() === target.method)
  );
}
