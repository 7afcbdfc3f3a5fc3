// The contract of the client of the service.
import type { AllowMs } from '../../limits/time-to-live.ts';
import type { Secret } from '../../lib/secret.ts';
import type { CallPriority } from '../port.ts';
import type { Budget } from './call/budget.ts';
import type { FailedCall, OutcomeUnknownError } from '../errors.ts';
import type { Exchange, Transport } from './call/exchange.ts';
import type { Operation } from './operations/define.ts';
import type { operations } from './operations/table.ts';

/**
 * The operations of the service, one method each (`client.contacts.update({uuid, position})`).
 *
 * Input is one flat object; it is checked before anything is sent (InvalidInputError names the field). Answers are read
 * tolerantly: unknown fields are kept, null and a missing field both mean "no value", flags are booleans.
 *
 * Every call waits its turn in the budget of its token, edits before scans. Reads and writes whose repetition changes
 * nothing are repeated after 429, 5xx, a reset or a timeout. Sending, creating and enrolling are never repeated.
 *
 * Failures are ServiceErrors (errors.ts), each with operation, status, request id and attempts. A write that was sent
 * and not answered ends as OutcomeUnknownError, also when the caller aborts it; an aborted read throws the signal's
 * reason. A call that `stop` prevents throws StoppedError: nothing of it was carried out. After a 401 no further call
 * is made: each fails at once with an AuthenticationError that is marked as repeated.
 */
export type ServiceClient = {
  readonly [Area in keyof Operations]: {
    readonly [Name in keyof Operations[Area]]: Operations[Area][Name] extends Operation<infer Input, infer Answer>
      ? Method<Input, Answer>
      : never;
  };
} & {
  /** Any operation of the table, by its name. */
  readonly call: <Input extends object, Answer>(
    operation: Operation<Input, Answer>,
    input: Input,
    options?: CallOptions,
  ) => Promise<Answer>;
  readonly budget: Budget;
  /**
   * Epoch milliseconds on the service's clock, by the Date header of its last answer; before the first answer, our own
   * clock.
   */
  readonly serviceNow: () => number;
};

type Operations = typeof operations;
type Method<Input, Answer> = (input: Input, options?: CallOptions) => Promise<Answer>;

export interface CallOptions {
  /** Removes the call from the queue, or stops waiting for its answer. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The instant after which no attempt begins. A call in flight is finished; `signal` would cut it short. A call that
   * was surely not carried out by then throws StoppedError; if a repeat is left out, the call throws the error of the
   * last attempt.
   */
  readonly stop?: AbortSignal | undefined;
  /** CrmCall.allowMs: asked for each attempt of a call that writes. It may throw LeaseRanOut. */
  readonly allowMs?: AllowMs | undefined;
  /** `edit` (the default): a person waits for it, so it goes first; `scan`: background reading. */
  readonly priority?: CallPriority;
  /** false: never repeat this call, whatever the table allows. */
  readonly repeat?: false;
  /** Told of each attempt that had no answer, whatever a later one is answered. */
  readonly onLost?: (error: OutcomeUnknownError) => void;
  /** Lets fields and filter keys pass that the table does not have. */
  readonly allowUnknown?: boolean;
}

export interface ServiceClientOptions {
  /** https, or http on loopback; a trailing slash does not matter. */
  readonly baseUrl: string;
  readonly token: Secret;
  /** Shared by every client on the token. */
  readonly budget: Budget;
  readonly transport: Transport;
  /** Epoch milliseconds; read only to compare it with a date in a header. */
  readonly now: () => number;
  /** [0, 1), for the jitter of repeats. */
  readonly random: () => number;
  /** For one request, including its whole answer. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Sent with each request and masked as the token is; one description of the service requires a Team-ID. */
  readonly extraHeaders?: Readonly<Record<string, Secret>>;
  /** Repeats after the first try, if repeating is allowed. Default 4. */
  readonly retriesMax?: number;
  /**
   * Receives every exchange with its whole answer, for logs, metrics and captures. They hold contact details, but never
   * the token.
   */
  readonly observe?: (exchange: ObservedExchange) => void;
}

export interface ObservedExchange extends FailedCall {
  readonly method: string;
  readonly url: string;
  readonly exchange: Exchange;
}
