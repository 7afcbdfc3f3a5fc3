// What the schemas of stored records have in common. They check and never change: what they do not know of is kept as it is.
import * as z from 'zod';

/** Every key of the type must be in the shape: one that is forgotten does not compile. */
type ShapeOf<Type> = Readonly<Record<keyof Type & string, z.ZodType>>;

/** A record of this type; keys that a later version may have added are let through. */
export function recordOf<Type>() {
  return (shape: ShapeOf<Type>) => z.looseObject(shape);
}

/** Also where the key is there without a value: a record that this process stored itself was not through JSON yet. */
export const optional = z.optional;
export const flag = z.optional(z.literal(true));
export const text = z.string();
export const count = z.number();
/** Epoch milliseconds. */
export const instantMs = z.number();
export const isoInstant = z.iso.datetime();
/** What a field holds (src/sync/value/value.ts). */
export const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
