// Helpers for the schemas of stored records. The schemas check and never change a record: unknown keys are kept.
import * as z from 'zod';

/** Every key of the type must be in the shape: a missing key does not compile. */
type ShapeOf<Type> = Readonly<Record<keyof Type & string, z.ZodType>>;

/** A record of this type; keys that a later version may have added are accepted. */
export function recordOf<Type>() {
  return (shape: ShapeOf<Type>) => z.looseObject(shape);
}

/** Also accepts a key without a value: a record that this process just stored has not been through JSON. */
export const optional = z.optional;
export const flag = z.optional(z.literal(true));
export const text = z.string();
export const count = z.number();
/** Epoch milliseconds. */
export const instantMs = z.number();
export const isoInstant = z.iso.datetime();
/** The value of a field (src/sync/value/value.ts). */
export const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
