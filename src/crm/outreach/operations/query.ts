// Writes and reads the query strings of operations.
import type * as z from 'zod';
import { isObject } from './answers.ts';
import type { FilterStyle } from './define.ts';

/** The values in a query: besides these, the schemas of the operations have only filters there. */
type QueryValue = string | number | boolean | undefined | QueryObject;

export interface QueryObject {
  readonly [name: string]: QueryValue;
}

/**
 * Writes a query in the form of the service. `filter` has one of three styles, because the areas of the service differ:
 * `bracket` filter[q]=x, `flat` q=x, `json` filter={"q":"x"}. A range nests one level: filter[sent_at][>=]=...
 */
export function encodeQuery(query: QueryObject, style: FilterStyle = 'bracket'): URLSearchParams {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (typeof value !== 'object') params.append(key, String(value));
    else if (style === 'json') params.append(key, JSON.stringify(value));
    else for (const [name, inner] of flatten(value)) params.append(style === 'flat' ? bare(name) : key + name, inner);
  }
  return params;
}

/**
 * Reads the query of a request, in any of the styles, for the operation's schema: texts stay texts, and an integer is
 * made if the schema has a number. Unknown names are kept, for the schema to refuse.
 */
export function decodeQuery(params: URLSearchParams, schema: z.ZodObject): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const [name, value] of params) {
    const [key = '', ...path] = name.split(/\]\[|\[|\]/).filter((part) => part !== '');
    if (path.length > 0) assign(query, [key, ...path], value);
    else assign(query, [key], decodeValue(value, Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined));
  }
  return query;
}

function decodeValue(text: string, schema: unknown): unknown {
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
  const takesText = (schema as z.ZodType | undefined)?.safeParse(text).success ?? true;
  return !takesText && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

/** `{a: 1, b: {'>=': 2}}` as [['[a]', '1'], ['[b][>=]', '2']]. */
function flatten(value: QueryObject): [string, string][] {
  return Object.entries(value).flatMap(([key, inner]): [string, string][] => {
    if (inner === undefined) return [];
    if (typeof inner !== 'object') return [[`[${key}]`, String(inner)]];
    return flatten(inner).map(([name, leaf]) => [`[${key}]${name}`, leaf]);
  });
}

/** '[sent_at][>=]' as 'sent_at[>=]': a flat name has no brackets around its first part. */
function bare(name: string): string {
  return name.replace(/^\[([^\]]*)\]/, '$1');
}

function assign(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path;
  // A key like __proto__ must be a name like any other.
  if (rest.length === 0)
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else {
    const inner = Object.hasOwn(target, key) && isObject(target[key]) ? { ...target[key] } : {};
    assign(inner, rest, value);
    Object.defineProperty(target, key, { value: inner, enumerable: true, configurable: true, writable: true });
  }
}
