/** One request and its result. */
export interface Received {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Name in the operations table; null: the path has no operation. */
  readonly operation: string | null;
  /** The JSON body, or its text if it is not JSON; undefined: none, or larger than the kept size. */
  body: unknown;
  /** null until it is answered, and for good when the answer is lost. */
  status: number | null;
}

/** Larger bodies are not kept, so that the log stays small. */
const bodyCharsMax = 16_384;

/** The latest requests, oldest first. */
export class ReceivedLog {
  readonly #entriesMax: number;
  #entries: Received[] = [];

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get entries(): readonly Received[] {
    return this.#entries;
  }

  open(entry: Omit<Received, 'body' | 'status'>): Received {
    const opened: Received = { ...entry, body: undefined, status: null };
    this.#entries.push(opened);
    if (this.#entries.length >= this.#entriesMax * 2) this.#entries = this.#entries.slice(-this.#entriesMax);
    return opened;
  }

  keepBody(entry: Received, text: string): void {
    if (text === '' || text.length > bodyCharsMax) return;
    try {
      entry.body = JSON.parse(text);
    } catch {
      entry.body = text;
    }
  }

  clear(): void {
    this.#entries = [];
  }
}
