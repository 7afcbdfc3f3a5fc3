/** One request and its answer. */
export interface RequestRecord {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly method: string;
  /** With the query, as sent. */
  readonly path: string;
  /** Google's name of the method; `token`; `unknown`. */
  readonly operation: string;
  readonly kind: 'read' | 'write' | 'other';
  /** Undefined: the request had no valid token. */
  readonly email: string | undefined;
  /** The status of the answer; 0: the answer was lost. */
  readonly status: number;
  /** The injected fault. */
  readonly fault?: string;
}

/** The number of requests by their kind, without those of people. */
export interface RequestCounters {
  readonly reads: number;
  readonly writes: number;
  readonly tokens: number;
}

/** The number of requests kept; the counters include older ones. */
const recordsMax = 10_000;

export class RequestLog {
  private records: RequestRecord[] = [];
  private counted = { reads: 0, writes: 0, tokens: 0 };

  add(record: RequestRecord): void {
    this.records.push(record);
    if (this.records.length > 2 * recordsMax) this.records = this.records.slice(-recordsMax);
    if (record.kind === 'read') this.counted.reads += 1;
    if (record.kind === 'write') this.counted.writes += 1;
    if (record.operation === 'token') this.counted.tokens += 1;
  }

  get entries(): readonly RequestRecord[] {
    return this.records.slice(-recordsMax);
  }

  get counters(): RequestCounters {
    return { ...this.counted };
  }

  clear(): void {
    this.records = [];
    this.counted = { reads: 0, writes: 0, tokens: 0 };
  }
}
