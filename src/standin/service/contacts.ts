// The stored contacts, found by uuid and by identifier.
import { contact } from '../../crm/outreach/operations/records.ts';
import { contactKeys } from './identifiers.ts';
import { SearchIndex } from './search-index.ts';
import { recordOf } from './stored.ts';
import type { ContactRecord } from './stored.ts';
import { instantText, missing } from './world.ts';
import type { World } from './world.ts';

/** A contact, with data that the service never answers. */
export interface StoredContact {
  readonly record: ContactRecord;
  readonly customFields: Readonly<Record<string, string>>;
  readonly domain: string | null;
}

export type ContactFields = Partial<Omit<ContactRecord, 'uuid'>>;
export interface ContactChange {
  readonly fields?: ContactFields;
  readonly customFields?: Readonly<Record<string, string>>;
  readonly domain?: string | null;
}

/** The contacts of the team, found by uuid and by identifier. */
export class Contacts {
  readonly #world: World;
  readonly #contactByUuid = new Map<string, StoredContact>();
  /** The contacts of each identifier, oldest first; most identifiers have one. */
  readonly #uuidsByKey = new Map<string, string[]>();
  readonly index = new SearchIndex();

  constructor(world: World) {
    this.#world = world;
  }

  get size(): number {
    return this.#contactByUuid.size;
  }

  all(): MapIterator<StoredContact> {
    return this.#contactByUuid.values();
  }

  find(uuid: string): StoredContact | undefined {
    return this.#contactByUuid.get(uuid);
  }

  /** The contact of a uuid in a path, or the service's refusal. */
  get(uuid: string): StoredContact {
    const found = this.#contactByUuid.get(uuid);
    if (!found) throw missing(this.#world, 'The contact', uuid);
    return found;
  }

  /** The contact of the first key that has any; if several share it, the one most recently updated. */
  match(keys: readonly string[]): StoredContact | undefined {
    for (const key of keys) {
      const candidates = (this.#uuidsByKey.get(key) ?? []).flatMap((uuid) => this.#contactByUuid.get(uuid) ?? []);
      const [first, ...others] = candidates;
      if (first) return others.reduce((a, b) => (b.record.updated_at >= a.record.updated_at ? b : a), first);
    }
    return undefined;
  }

  /** Adds a contact as given, without the rules of the service; missing `uuid` and instants are made up. */
  add(
    { fields = {}, customFields = {}, domain = null }: ContactChange & { fields?: Partial<ContactRecord> },
    at = this.#world.now(),
  ): StoredContact {
    const { random, teamId, userId } = this.#world;
    const uuid = fields.uuid ?? random.uuid();
    const created: StoredContact = {
      record: recordOf<ContactRecord>(contact, {
        team_id: teamId,
        user_id: userId,
        list_uuid: '',
        pipeline_stage_uuid: firstPipelineStage,
        status: 'ok',
        network_status: 'need_enrichment',
        created_at: instantText(at),
        updated_at: instantText(at),
        ...fields,
        uuid,
      }),
      customFields,
      domain,
    };
    this.#store(created, at);
    return created;
  }

  /** Writes fields as given; `updated_at` moves only when something changed. */
  change(
    uuid: string,
    { fields = {}, customFields = {}, domain }: ContactChange,
    at = this.#world.now(),
  ): StoredContact {
    const before = this.get(uuid);
    const changed =
      differs(before.record, fields) ||
      differs(before.customFields, customFields) ||
      (domain !== undefined && domain !== before.domain);
    if (!changed) return before;
    const after: StoredContact = {
      record: { ...before.record, updated_at: instantText(at), ...fields },
      customFields: { ...before.customFields, ...customFields },
      domain: domain === undefined ? before.domain : domain,
    };
    this.#forgetKeys(before);
    this.#store(after, at);
    return after;
  }

  /** Removes a contact if it exists. */
  remove(uuid: string, at = this.#world.now()): void {
    const gone = this.#contactByUuid.get(uuid);
    if (!gone) return;
    this.#forgetKeys(gone);
    this.#contactByUuid.delete(uuid);
    this.#tellIndex(uuid, undefined, at);
  }

  /** Replaces all contacts by these, searchable at once. */
  replaceAll(contacts: Iterable<StoredContact>): void {
    this.#contactByUuid.clear();
    this.#uuidsByKey.clear();
    this.index.clear();
    for (const entry of contacts) {
      this.#contactByUuid.set(entry.record.uuid, entry);
      this.#rememberKeys(entry);
      this.index.write(entry.record.uuid, entry.record, 0, 0);
    }
  }

  #store(entry: StoredContact, at: number): void {
    this.#contactByUuid.set(entry.record.uuid, entry);
    this.#rememberKeys(entry);
    this.#tellIndex(entry.record.uuid, entry.record, at);
  }

  #tellIndex(uuid: string, record: ContactRecord | undefined, at: number): void {
    this.index.write(uuid, record, at + this.#world.switches.searchLagMs, this.#world.now());
  }

  #rememberKeys({ record }: StoredContact): void {
    for (const key of contactKeys(record)) {
      const others = this.#uuidsByKey.get(key);
      if (others) others.push(record.uuid);
      else this.#uuidsByKey.set(key, [record.uuid]);
    }
  }

  #forgetKeys({ record }: StoredContact): void {
    for (const key of contactKeys(record)) {
      const left = (this.#uuidsByKey.get(key) ?? []).filter((uuid) => uuid !== record.uuid);
      if (left.length > 0) this.#uuidsByKey.set(key, left);
      else this.#uuidsByKey.delete(key);
    }
  }
}

/** New contacts enter the pipeline here. */
const firstPipelineStage = '7f2c1f0e-5a51-4f0b-9d0c-2f6f3a1b0c01';

function differs(before: object, after: object): boolean {
  const known: Partial<Record<string, unknown>> = { ...before };
  return Object.entries(after).some(([name, value]) => JSON.stringify(known[name]) !== JSON.stringify(value));
}
