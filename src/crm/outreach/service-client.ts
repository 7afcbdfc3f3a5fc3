import type { Secret } from '../../lib/secret.ts';
import type { CallPriority } from '../port.ts';
import type { Budget } from './call/budget.ts';
import type { FailedCall } from '../errors.ts';
import type { Exchange, Transport } from './call/exchange.ts';
import type { Operation } from './operations/define.ts';
import type { operations } from './operations/table.ts';

/**
 * The operations of the service, one method each (`client.contacts.update({uuid, position})`).
 *
 * Input is one flat object; it is checked before anything is sent (InvalidInputError names the field). Answers are read
 * tolerantly: unknown fields are kept, null and a missing field both mean "no value", flags are booleans.
 *
 * Every call waits its turn in the budget of its token, edits before scans. Reads, and writes whose repetition changes
 * nothing, are repeated after 429, 5xx, a reset or a timeout; sending, creating and enrolling never are.
 *
 * Failures are ServiceErrors (errors.ts), each with operation, status, request id and attempts. A write that was sent and
 * not answered ends as OutcomeUnknownError, also when the caller aborts it; an aborted read throws the signal's reason.
 * A call that `stop` keeps from beginning throws StoppedError: surely nothing of it was carried out.
 * After a 401 no further call is made: each fails at once with an AuthenticationError that is marked as repeated.
 */
export type ServiceClient = {
  readonly [Area in keyof Operations]: {
    readonly [Name in keyof Operations[Area]]: Operations[Area][Name] extends Operation<infer Input, infer Answer>
      ? Method<Input, Answer>
      : never;
  };
} & {
  /** Any operation of the table; the methods above are this, by name. */
  readonly call: <Input extends object, Answer>(
    operation: Operation<Input, Answer>,
    input: Input,
    options?: CallOptions,
  ) => Promise<Answer>;
  readonly budget: Budget;
  /** Epoch milliseconds on the service's clock, by the Date header of its last answer; our own clock before one. */
  readonly serviceNow: () => number;
};

type Operations = typeof operations;
type Method<Input, Answer> = (input: Input, options?: CallOptions) => Promise<Answer>;

export interface CallOptions {
  /** Takes the call out of the queue, or stops waiting for its answer. */
  readonly signal?: AbortSignal | undefined;
  /**
   * From when on no attempt begins any more; one that is in flight is finished, which `signal` would cut short. A call that
   * was surely not carried out by then throws StoppedError; a repeat that is left out throws what the last attempt met.
   */
  readonly stop?: AbortSignal | undefined;
  /** `edit` (the default) is what a person waits for and goes first; `scan` is background reading. */
  readonly priority?: CallPriority;
  /** false: never repeat this one, whatever the table says of its operation. */
  readonly repeat?: false;
  /** Lets fields and filter keys pass that the table does not know. */
  readonly allowUnknown?: boolean;
}

export interface ServiceClientOptions {
  /** https, or http on loopback; a trailing slash does not matter. */
  readonly baseUrl: string;
  readonly token: Secret;
  /** Shared by every client on the token. */
  readonly budget: Budget;
  readonly transport: Transport;
  /** Epoch milliseconds; read only where a date in a header has to be compared with it. */
  readonly now: () => number;
  /** [0, 1), for the jitter of repeats. */
  readonly random: () => number;
  /** For one request, its whole answer included. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Sent with each request, masked as the token is; one description of the service asks for a Team-ID. */
  readonly extraHeaders?: Readonly<Record<string, Secret>>;
  /** Repeats after the first try, where repeating is allowed; 4 when left out. */
  readonly retriesMax?: number;
  /** Sees every exchange, answers whole: for logs, metrics and captures. They hold contact details; the token never. */
  readonly observe?: (exchange: ObservedExchange) => void;
}

export interface ObservedExchange extends FailedCall {
  readonly method: string;
  readonly url: string;
  readonly exchange: Exchange;
}
