// Turns typed records into the plain JSON that the store takes.
import type { JsonObject } from '../../state/port.ts';

/** The type itself if it is plain JSON; else a type that it does not fit. */
export type JsonOf<Type> = Type extends string | number | boolean | null | undefined
  ? Type
  : Type extends (...args: never[]) => unknown
    ? never
    : { readonly [Key in keyof Type]: JsonOf<Type[Key]> };

/** Returns the same map. An interface has no index signature, so that the compiler does not accept it as JSON. */
export function asStored<Type extends object>(
  records: ReadonlyMap<string, Type & JsonOf<Type>>,
): ReadonlyMap<string, Type & JsonObject> {
  return records as ReadonlyMap<string, Type & JsonObject>;
}

export function asStoredRecord<Type extends object>(record: Type & JsonOf<Type>): Type & JsonObject {
  return record as Type & JsonObject;
}
