// Other contacts that have the identifier by which one is written to: which of them an upsert takes may change with every
// write to one of them (W1).
import type { Identifiers } from '../../crm/port.ts';
import type { PlanInput } from '../../sync/input.ts';
import { lastSeen } from '../../sync/record/base.ts';
import { unpack } from '../../sync/record/record.ts';
import type { Reading } from '../../sync/value/value.ts';
import type { RunContext } from './context.ts';
import { contactNow, keysOf } from './write-calls.ts';

/**
 * Another contact than `uuid` that is known by the identifier, and still has it when the service is asked for it; undefined:
 * none. Throws as `contactNow`.
 */
export type FindOther = (uuid: string, identifiers: Identifiers) => Promise<string | undefined>;

/** The known contacts are those of this run's reading, and those of the state as last seen. */
export function createFindOther(context: RunContext, { base, crm }: PlanInput): FindOther {
  let uuidsByKey: ReadonlyMap<string, readonly string[]> | undefined;

  return async (uuid, identifiers) => {
    const [key] = keysOf(identifiers);
    if (key === undefined) return undefined;
    // Most runs write no custom field.
    uuidsByKey ??= readKeys();
    for (const other of uuidsByKey.get(key) ?? []) if (other !== uuid && (await hasNow(other, key))) return other;
    return undefined;
  };

  function readKeys(): ReadonlyMap<string, readonly string[]> {
    const valuesByUuid = new Map<string, readonly Reading[]>();
    for (const [uuid, link] of base.links) {
      if (link.standing !== 'contact-gone') valuesByUuid.set(uuid, unpack(lastSeen(link, 'crm')));
    }
    for (const { uuid, values } of crm.contacts) valuesByUuid.set(uuid, unpack(values));
    const byKey = new Map<string, string[]>();
    for (const [uuid, values] of valuesByUuid) {
      for (const key of keysOf(context.shape.identifiers(values))) byKey.set(key, [...(byKey.get(key) ?? []), uuid]);
    }
    return byKey;
  }

  /** The contact may have given the key up since, in this run too (I7). */
  async function hasNow(uuid: string, key: string): Promise<boolean> {
    const now = await contactNow(context, uuid);
    return (
      now !== undefined && keysOf(context.shape.identifiers(unpack(context.shape.toRecord(now).values))).includes(key)
    );
  }
}
