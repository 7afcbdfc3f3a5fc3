// The delayed view of contacts that the search uses.
import type { ContactRecord } from './stored.ts';

interface IndexWrite {
  readonly visibleAt: number;
  readonly uuid: string;
  /** undefined: the contact is gone. */
  readonly record: ContactRecord | undefined;
}

/**
 * The contacts as the search sees them. Writes reach it in order, each at its time (epoch ms). Until then a new contact
 * is missing, an edited one shows its old values and a deleted one is still answered. Each change increases `version`.
 */
export class SearchIndex {
  readonly #recordByUuid = new Map<string, ContactRecord>();
  #waiting: IndexWrite[] = [];
  #version = 0;

  get version(): number {
    return this.#version;
  }

  records(): MapIterator<ContactRecord> {
    return this.#recordByUuid.values();
  }

  write(uuid: string, record: ContactRecord | undefined, visibleAt: number, now: number): void {
    if (this.#waiting.length === 0 && visibleAt <= now) this.#apply({ uuid, record, visibleAt });
    else this.#waiting.push({ uuid, record, visibleAt });
  }

  settle(now: number): void {
    const due = this.#waiting.findIndex((write) => write.visibleAt > now);
    const ready = due === -1 ? this.#waiting.length : due;
    for (const write of this.#waiting.slice(0, ready)) this.#apply(write);
    if (ready > 0) this.#waiting = this.#waiting.slice(ready);
  }

  clear(): void {
    this.#recordByUuid.clear();
    this.#waiting = [];
    this.#version += 1;
  }

  #apply({ uuid, record }: IndexWrite): void {
    if (record === undefined) this.#recordByUuid.delete(uuid);
    else this.#recordByUuid.set(uuid, record);
    this.#version += 1;
  }
}
