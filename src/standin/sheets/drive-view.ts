// Plays how late, and how badly, Drive shows that files change: their versions, and the list of changes.

interface Event {
  readonly fileId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly showsAt: number;
  /** False: the file was created or deleted. Its version stays. */
  readonly isEdit: boolean;
}

export interface ShownChange {
  readonly fileId: string;
  /** Epoch milliseconds: of the edit that shows. */
  readonly at: number;
}

export interface ShownChanges {
  /** Each file once, by its last change. */
  readonly changes: readonly ShownChange[];
  /** Of the next page; undefined: this is the last one. */
  readonly nextToken: string | undefined;
  /** From which later changes are listed. */
  readonly newStartToken: string;
}

/** The part of Drive that tells of changes. Its settings may be changed at any time, and hold for later edits. */
export class DriveView {
  /** How long an edit takes to show. Google coalesces edits of sheets to about every three minutes. */
  lagMs = 0;
  /** Edits never show. The next edit after it is turned off shows as ever. */
  isDeaf = false;
  readonly #now: () => number;
  /** Not shown yet. */
  #coming: Event[] = [];
  readonly #shown: Event[] = [];
  readonly #versions = new Map<string, number>();
  readonly #changedAt = new Map<string, number>();
  /** Added to a position to make a token. */
  #offset = 1_000;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Called with each change of a file. */
  note(fileId: string, isEdit = true): void {
    if (this.isDeaf && isEdit) return;
    this.#add(fileId, isEdit ? this.lagMs : 0, isEdit);
  }

  /** A version that moves without an edit, as by a view, a comment or a rename. */
  touch(fileId: string): void {
    this.#add(fileId, 0, true);
  }

  /** From 1 on. */
  versionOf(fileId: string): number {
    this.#show();
    return 1 + (this.#versions.get(fileId) ?? 0);
  }

  /** When the last edit that shows was made; undefined: none shows. */
  changedAt(fileId: string): number | undefined {
    this.#show();
    return this.#changedAt.get(fileId);
  }

  startToken(): string {
    this.#show();
    return String(this.#offset + this.#shown.length);
  }

  /** All tokens so far are refused from now on. */
  expireTokens(): void {
    this.#offset += this.#shown.length + 1_000;
  }

  /** Undefined: the token is refused. `isVisible`: whether the caller may know of a file. */
  changesSince(token: string, pageSize: number, isVisible: (fileId: string) => boolean): ShownChanges | undefined {
    this.#show();
    const from = /^\d{1,15}$/.test(token) ? Number(token) - this.#offset : -1;
    if (from < 0 || from > this.#shown.length) return undefined;
    const last = new Map(this.#shown.map(({ fileId }, index) => [fileId, index]));
    const changes: ShownChange[] = [];
    let next = from;
    for (; next < this.#shown.length && changes.length < pageSize; next += 1) {
      const { fileId, at } = this.#shown[next]!;
      if (last.get(fileId) === next && isVisible(fileId)) changes.push({ fileId, at });
    }
    const isEnd = next === this.#shown.length;
    return {
      changes,
      nextToken: isEnd ? undefined : String(this.#offset + next),
      newStartToken: String(this.#offset + this.#shown.length),
    };
  }

  #add(fileId: string, lagMs: number, isEdit: boolean): void {
    const at = this.#now();
    this.#coming.push({ fileId, at, showsAt: at + lagMs, isEdit });
  }

  #show(): void {
    const now = this.#now();
    const due = this.#coming.filter(({ showsAt }) => showsAt <= now).toSorted((a, b) => a.showsAt - b.showsAt);
    if (due.length === 0) return;
    this.#coming = this.#coming.filter(({ showsAt }) => showsAt > now);
    for (const event of due) {
      this.#shown.push(event);
      if (!event.isEdit) continue;
      this.#versions.set(event.fileId, (this.#versions.get(event.fileId) ?? 0) + 1);
      this.#changedAt.set(event.fileId, event.at);
    }
  }
}
