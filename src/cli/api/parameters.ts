// Reads the parameters of an operation from the command line: `--lead.email a --limit 5`.
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { inputNames } from '../../crm/outreach/call/input.ts';
import { isObject } from '../../crm/outreach/operations/answers.ts';
import type { NamedOperation } from '../../crm/outreach/operations/table.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { UsageError } from '../errors.ts';

/** Reads `--lead.email a --limit 5` as {lead: {email: 'a'}, limit: 5}. Names are the service's, or have dashes. */
export function readParameters(
  parameters: readonly string[],
  named: NamedOperation,
  { allowUnknown = false }: { readonly allowUnknown?: boolean },
): Record<string, unknown> {
  const { operation, name: operationName } = named;
  const { tokens } = parseArgs({ args: [...parameters], strict: false, allowPositionals: true, tokens: true });
  const input: Record<string, unknown> = {};
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token?.kind !== 'option' || !token.rawName.startsWith('--')) {
      throw new UsageError(`${operationName}: "${parameters[token?.index ?? 0]}" is no parameter; write --name value`);
    }
    const place = findPlace(token.name, named, allowUnknown);
    // parseArgs does not know that the option takes a value, and leaves the value as the next positional.
    const next = tokens[index + 1];
    const value = token.value ?? (next?.kind === 'positional' ? next.value : undefined);
    if (value === undefined) throw new UsageError(`${operationName}: --${token.name} needs a value`);
    if (token.value === undefined) index += 1;
    // A filter for the word would find nobody. The search of contacts takes null for "has no value".
    const isNull = value === 'null' && place[0] === 'filter' && operation.prepare !== undefined;
    assign(input, place, isNull ? null : readValue(value, fieldSchema(operation, place)));
  }
  return input;
}

/** Reads `lead.first-name` as ['lead', 'first_name']: the names of the operation, at each depth. */
function findPlace(written: string, { operation, name }: NamedOperation, allowUnknown: boolean): readonly string[] {
  const place: string[] = [];
  for (const part of written.split('.')) {
    const known = place.length === 0 ? inputNames(operation) : keysOf(fieldSchema(operation, place));
    const found = known?.find((candidate) => letters(candidate) === letters(part));
    if (known && found === undefined && !allowUnknown) {
      const dotted = known.map((candidate) => `--${[...place, candidate].join('.')}`);
      const hint = known.length === 0 ? '; it takes none' : didYouMean(`--${written}`, dotted);
      throw new UsageError(`${name} has no parameter --${written}${hint}`);
    }
    place.push(found ?? part);
  }
  return place;
}

/** Makes `flowUuid`, `flow_uuid` and `flow-uuid` one name. */
function letters(name: string): string {
  return name.replaceAll(/[-_]/g, '').toLowerCase();
}

/** Text if the field takes text; else parsed as JSON: 5, true, ["a"], {">=": "2026-11-01"}. */
function readValue(text: string, schema: z.ZodType | undefined): unknown {
  if (schema?.safeParse(text).success && !/^[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return schema === undefined && !isObject(value) ? text : value;
  } catch {
    return text;
  }
}

/** The schema of a field; of a nested field for a dotted name; undefined if there is no such field. */
function fieldSchema({ pathParameters, query, body }: NamedOperation['operation'], path: readonly string[]) {
  const [name = '', ...rest] = path;
  const start = [pathParameters, query, body].map((schema) => schema?.shape[name]).find(Boolean);
  return rest.reduce<unknown>((schema, key) => {
    const object = unwrapOptional(schema);
    if (object instanceof z.ZodObject) return object.shape[key];
    return object instanceof z.ZodRecord ? object.valueType : undefined;
  }, start) as z.ZodType | undefined;
}

/** The names that a nested value may have; undefined: any. */
function keysOf(schema: unknown): readonly string[] | undefined {
  const object = unwrapOptional(schema);
  if (object instanceof z.ZodObject) return Object.keys(object.shape);
  return object instanceof z.ZodRecord && object.keyType instanceof z.ZodEnum
    ? object.keyType.options.map(String)
    : undefined;
}

function unwrapOptional(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? unwrapOptional(schema.unwrap()) : schema;
}

function assign(target: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = isObject(target[name]) ? { ...target[name] } : {};
  assign(inner, rest, value);
  target[name] = inner;
}
