// From typed records to what the store takes: plain JSON.
import type { JsonObject } from '../../state/port.ts';

/** The type itself where it is plain JSON; where a part of it is not, a type that it does not fit. */
type JsonOf<Type> = Type extends string | number | boolean | null | undefined
  ? Type
  : Type extends (...args: never[]) => unknown
    ? never
    : { readonly [Key in keyof Type]: JsonOf<Type[Key]> };

/** The same map: interfaces have no index signature, which is all that keeps the compiler from taking them for JSON. */
export function asStored<Type extends object>(
  records: ReadonlyMap<string, Type & JsonOf<Type>>,
): ReadonlyMap<string, Type & JsonObject> {
  return records as ReadonlyMap<string, Type & JsonObject>;
}

export function asStoredRecord<Type extends object>(record: Type & JsonOf<Type>): Type & JsonObject {
  return record as Type & JsonObject;
}
