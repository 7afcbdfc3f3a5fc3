// How a call of the program to the service is made, and how many there were. A part of the port (port.ts).

export interface CrmCall {
  /** Removes the call from the queue, or stops waiting for its answer. */
  readonly signal?: AbortSignal;
  /**
   * No call begins after it. A call in flight is finished; `signal` would cut it short. A call that was surely not
   * carried out by then throws StoppedError.
   */
  readonly stop?: AbortSignal;
  /**
   * Asked at the instant at which a call that writes is sent: the milliseconds that it may take, at most those given. It throws
   * if the call must not be sent; then the same holds as after `stop`.
   */
  readonly allowMs?: (timeoutMs: number) => number;
  /**
   * `urgent`: it is of no use later, so it goes first; `edit` (the default): a person waits for it; `scan`: background reading.
   */
  readonly priority?: CallPriority;
}

export type CallPriority = 'urgent' | 'edit' | 'scan';

export interface CrmUsage {
  /** Calls since the connection was made. */
  readonly calls: number;
  /** Of them, those that began in the last 60 seconds. */
  readonly lastMinute: number;
  /** How many may begin in any 60 seconds. */
  readonly perMinute: number;
}
