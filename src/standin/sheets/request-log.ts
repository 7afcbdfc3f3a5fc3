/** One request as it was received and answered. */
export interface RequestRecord {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly method: string;
  /** With the query, as sent. */
  readonly path: string;
  /** Google's name of the method; `token`; `unknown`. */
  readonly operation: string;
  readonly kind: 'read' | 'write' | 'other';
  /** Undefined: no valid token came with it. */
  readonly email: string | undefined;
  /** The status answered; 0 when the answer was lost. */
  readonly status: number;
  /** What went wrong on purpose. */
  readonly fault?: string;
}

/** Requests by what they cost, people at the sheet left out. */
export interface RequestCounters {
  readonly reads: number;
  readonly writes: number;
  readonly tokens: number;
}

/** Older requests than these many are forgotten; the counters go on. */
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
