// The kinds of fields, and the schemas of records made from them.
import * as z from 'zod';

/**
 * The description of the records of the service. Each field has a kind. The kind reads the values that occur in
 * practice (`read`) and knows the type in the contract (`wire`, JSON Schema).
 *
 * Reading is tolerant, because the same paths have been published with changed bodies:
 * - null is kept (blank), and a missing field stays missing (unknown);
 * - 0/1 and true/false are the same flag;
 * - an unknown enum value is a text like any other, and undeclared fields are kept as they came;
 * - a value that its kind cannot read becomes undefined (unknown). One unexpected field must neither lose the record
 *   nor count as blank.
 */
export type FieldKind = 'text' | 'integer' | 'flag' | 'instant' | 'texts' | 'json';

interface ValueByKind {
  text: string;
  integer: number;
  flag: boolean;
  /** ISO 8601, UTC, as the service wrote it: with or without its six decimals. */
  instant: string;
  texts: readonly string[];
  json: unknown;
}

/** A value as read: null is blank, undefined is unknown. */
type Read<T> = T | null | undefined;

export interface Field<T = unknown> {
  readonly kind: FieldKind;
  readonly read: (value: unknown) => Read<T>;
  readonly wire: Readonly<Record<string, unknown>>;
}

export type Fields = Readonly<Record<string, Field>>;

type RecordOf<F extends Fields> = { readonly uuid: string } & {
  readonly [Name in keyof F as Exclude<Name, 'uuid'>]?: F[Name] extends Field<infer T> ? Read<T> : never;
} & { readonly [unknownField: string]: unknown };

/** A record of the service: its fields by name, and the schema that reads it. */
export interface RecordShape<F extends Fields = Fields> {
  readonly name: string;
  readonly fields: F;
  /** Parses any object with a uuid; another field never makes it fail. */
  readonly schema: z.ZodType<RecordOf<F>>;
}

export type RecordFrom<Shape> = Shape extends RecordShape<infer F> ? RecordOf<F> : never;

/** `promised` names the fields the contract marks as required; reading needs the uuid alone. */
export function record<F extends Fields>(
  name: string,
  fields: F,
  promised: readonly (keyof F & string)[] = [],
): RecordShape<F> {
  // Made when the schema is first used: most commands read the names of the fields alone.
  const leaves: Record<string, z.ZodType> = {};
  for (const [key, of] of Object.entries(fields)) {
    const get = () =>
      key === 'uuid' ? z.string().min(1).meta(of.wire) : z.unknown().transform(of.read).optional().meta(of.wire);
    Object.defineProperty(leaves, key, { enumerable: true, get });
  }
  // The loose object types its fields as unknown; RecordOf has the types that the readers above return.
  const schema = z.looseObject(leaves).meta({ id: name, required: ['uuid', ...promised] }) as unknown as z.ZodType<
    RecordOf<F>
  >;
  return { name, fields, schema };
}

const reads: { readonly [K in FieldKind]: (value: unknown) => Read<ValueByKind[K]> } = {
  text: readText,
  instant: readText,
  integer: readInteger,
  flag: readFlag,
  texts: readTexts,
  json: (value) => value,
};

function field<K extends FieldKind>(kind: K, wire: Record<string, unknown>, note?: string): Field<ValueByKind[K]> {
  return { kind, read: reads[kind], wire: note === undefined ? wire : { ...wire, description: note } };
}

/** The identifier of a record, and its only required field. */
export const uuid = (note = 'identifier') => field('text', { type: 'string' }, note);
export const text = (note?: string) => field('text', { type: ['string', 'null'] }, note);
export const integer = (note?: string) => field('integer', { type: ['integer', 'null'] }, note);
export const texts = (note?: string) => field('texts', { type: ['array', 'null'], items: { type: 'string' } }, note);
export const instant = (note = 'ISO 8601 UTC timestamp') =>
  field('instant', { type: ['string', 'null'], format: 'date-time' }, note);
/** The contract shows 0/1; booleans occur too. */
export const flag = (note = 'flag, 0 or 1') => field('flag', { type: ['integer', 'boolean', 'null'] }, note);
/** An array of objects whose elements the contract does not show; one version of the service sends a single object. */
export const objects = (note?: string) =>
  field('json', { type: ['array', 'object', 'null'], items: { type: 'object' } }, note);
export const json = (wire: Readonly<Record<string, unknown>>, note?: string) => field('json', wire, note);

/** A nested value with its own reader; a part that it cannot read stays as it came. */
export function nested<T>(schema: z.ZodType<T>, note?: string): Field<T> {
  const read = (value: unknown) => (value == null ? value : (schema.safeParse(value).data ?? (value as T)));
  const wireOf = () => {
    const { $schema: _, ...type } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
    return note === undefined ? type : { ...type, description: note };
  };
  let wire: Field['wire'] | undefined;
  return {
    kind: 'json',
    read,
    // Worked out when it is asked for: only the contract needs it.
    get wire() {
      return (wire ??= wireOf());
    },
  };
}

function readText(value: unknown): Read<string> {
  if (typeof value === 'string' || value === null) return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function readInteger(value: unknown): Read<number> {
  if (typeof value === 'number' || value === null) return value;
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : undefined;
}

function readFlag(value: unknown): Read<boolean> {
  if (typeof value === 'boolean' || value === null) return value;
  if (value === 1 || value === '1' || value === 'true') return true;
  if (value === 0 || value === '0' || value === 'false') return false;
  return undefined;
}

function readTexts(value: unknown): Read<readonly string[]> {
  if (value === null) return value;
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}
