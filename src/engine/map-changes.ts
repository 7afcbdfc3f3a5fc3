// The differences between stored records and the records of a run, as the store takes them.
import type { Json, JsonObject } from '../state/port.ts';

/** What is not in `after` is deleted. */
export function replacing<Value>(before: ReadonlyMap<string, Value>, after: ReadonlyMap<string, Value>) {
  return mapChanges<Value>(before, new Map([...[...before.keys()].map((key) => [key, null] as const), ...after]));
}

/** `after`: null deletes; a key that is not in it stays. `result` is `before` itself where nothing changed. */
export function mapChanges<Value>(before: ReadonlyMap<string, Value>, after: ReadonlyMap<string, Value | null>) {
  const put = new Map<string, JsonObject>();
  const gone: string[] = [];
  for (const [key, value] of after) {
    const known = before.get(key);
    if (value === null) {
      if (known !== undefined) gone.push(key);
    } else if (known !== value && JSON.stringify(known) !== JSON.stringify(value)) {
      put.set(key, value as unknown as JsonObject);
    }
  }
  const isChanged = put.size > 0 || gone.length > 0;
  let result = before;
  if (isChanged) {
    const next = new Map(before);
    for (const key of gone) next.delete(key);
    for (const [key, value] of put) next.set(key, value as unknown as Value);
    result = next;
  }
  return { isChanged, result, changes: { put: put as ReadonlyMap<string, JsonObject & Json>, delete: gone } };
}
