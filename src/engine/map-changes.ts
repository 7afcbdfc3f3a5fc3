// The differences between stored records and the records of a run, as the store takes them.
import { asStored, type JsonOf } from './stored/json.ts';

/** A record of plain JSON. */
type Stored<Value> = Value & JsonOf<Value>;

/** A record that is not in `after` is deleted. */
export function replacing<Value extends object>(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Stored<Value>>,
) {
  const gone = [...before.keys()].map((key) => [key, null] as const);
  return mapChanges<Value>(before, new Map<string, Stored<Value> | null>([...gone, ...after]));
}

/** `after`: null deletes; a key that is not in it stays. `result` is `before` itself where nothing changed. */
export function mapChanges<Value extends object>(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Stored<Value> | null>,
) {
  const put = new Map<string, Stored<Value>>();
  const gone: string[] = [];
  for (const [key, value] of after) {
    const known = before.get(key);
    if (value === null) {
      if (known !== undefined) gone.push(key);
    } else if (known === undefined || (known !== value && JSON.stringify(known) !== JSON.stringify(value))) {
      put.set(key, value);
    }
  }
  const isChanged = put.size > 0 || gone.length > 0;
  let result = before;
  if (isChanged) {
    const next = new Map(before);
    for (const key of gone) next.delete(key);
    for (const [key, value] of put) next.set(key, value);
    result = next;
  }
  return { isChanged, result, changes: { put: asStored<Value>(put), delete: gone } };
}
