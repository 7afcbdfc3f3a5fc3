// Walks the schema along the data: finds the options at a path, and the valid parts of a wrong file.
import * as z from 'zod';
import type { Path } from './problems.ts';

/** The schema of the value at a path; undefined: the schema has no such path. */
export function schemaAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType | undefined {
  const [segment, ...rest] = path;
  if (segment === undefined) return schema;
  const child = childOf(schema, String(segment));
  return child && schemaAt(child, rest);
}

/** The keys that a mapping may have; undefined: people choose them. */
export function keysOf(schema: z.core.$ZodType | undefined): readonly string[] | undefined {
  const inner = schema && settingsOf(schema);
  if (inner instanceof z.ZodObject) return Object.keys(inner.shape);
  if (inner instanceof z.ZodRecord && inner.keyType instanceof z.ZodEnum) return inner.keyType.options.map(String);
  return undefined;
}

export function isSecret(schema: z.core.$ZodType | undefined): boolean {
  const inner = schema && unwrap(schema);
  return inner instanceof z.ZodType && inner.meta()?.['writeOnly'] === true;
}

type DeepPartial<T> = T extends readonly (infer Item)[]
  ? readonly (DeepPartial<Item> | undefined)[]
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> | undefined }
    : T;
export type Salvaged<Schema extends z.core.$ZodType> = DeepPartial<z.output<Schema>>;

/** The part of a value that passes its schema, with defaults; the rest is undefined, so that checks can continue. */
export function salvage<Schema extends z.core.$ZodType>(schema: Schema, value: unknown): Salvaged<Schema> {
  return salvageAny(schema, value) as Salvaged<Schema>;
}

function salvageAny(schema: z.core.$ZodType, value: unknown): unknown {
  const whole = z.safeParse(schema, value);
  if (whole.success) return whole.data;
  const inner = settingsOf(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item: unknown) => salvageAny(inner.element, item));
  }
  if (!(inner instanceof z.ZodObject) && !(inner instanceof z.ZodRecord)) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const given = value as Readonly<Record<string, unknown>>;
  const names = inner instanceof z.ZodObject ? Object.keys(inner.shape) : Object.keys(given);
  const entries = names.map((name): [string, unknown] => {
    const child = childOf(inner, name);
    return [name, child && salvageAny(child, Object.hasOwn(given, name) ? given[name] : undefined)];
  });
  return Object.fromEntries(entries.filter(([, salvaged]) => salvaged !== undefined));
}

function childOf(schema: z.core.$ZodType, name: string): z.core.$ZodType | undefined {
  const inner = settingsOf(schema);
  if (inner instanceof z.ZodObject) return Object.hasOwn(inner.shape, name) ? inner.shape[name] : undefined;
  if (inner instanceof z.ZodRecord) return inner.valueType;
  return inner instanceof z.ZodArray ? inner.element : undefined;
}

/** Of a shorthand and a mapping: the mapping. */
function settingsOf(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodUnion)) return inner;
  const isMapping = (option: z.core.$ZodType) => option instanceof z.ZodObject || option instanceof z.ZodRecord;
  return inner.options.map(settingsOf).find(isMapping) ?? inner;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return isWrapper ? unwrap(schema.def.innerType) : schema;
}
