// A table of stored records.
import { instantText, missing } from './world.ts';
import type { World } from './world.ts';

interface Row {
  readonly uuid: string;
  readonly updated_at: string;
}

/** Records of one kind by uuid, in the order they were created. */
export class RecordTable<R extends Row> {
  readonly #recordByUuid = new Map<string, R>();
  readonly #world: World;
  readonly #what: string;

  /** `what` names a record of this kind in refusals: 'The list'. */
  constructor(world: World, what: string) {
    this.#world = world;
    this.#what = what;
  }

  get size(): number {
    return this.#recordByUuid.size;
  }

  all(): MapIterator<R> {
    return this.#recordByUuid.values();
  }

  has(uuid: string): boolean {
    return this.#recordByUuid.has(uuid);
  }

  find(uuid: string): R | undefined {
    return this.#recordByUuid.get(uuid);
  }

  get(uuid: string): R {
    const found = this.#recordByUuid.get(uuid);
    if (!found) throw missing(this.#world, this.#what, uuid);
    return found;
  }

  put(record: R): R {
    this.#recordByUuid.set(record.uuid, record);
    return record;
  }

  change(uuid: string, fields: Partial<R>, at: number): R {
    return this.put({ ...this.get(uuid), updated_at: instantText(at), ...fields });
  }

  replaceAll(records: Iterable<R>): void {
    this.#recordByUuid.clear();
    for (const record of records) this.put(record);
  }
}
