// Field masks: `sheets(properties,data/rowData)`, `a.b,c`, `*`. Used to choose parts of an answer (the `fields`
// parameter) and parts of an update (the `fields` of a request).
import { invalidArgument } from './errors.ts';
import { type Json, type JsonObject, isJsonObject } from './json.ts';

/** A set of fields; each with the mask for its contents. */
export class FieldMask {
  /** Everything, at any depth. */
  static readonly all = new FieldMask(new Map(), true);

  private readonly children: ReadonlyMap<string, FieldMask>;
  readonly everything: boolean;

  constructor(children: ReadonlyMap<string, FieldMask>, everything: boolean) {
    this.children = children;
    this.everything = everything;
  }

  has(name: string): boolean {
    return this.everything || this.children.has(name) || this.children.has('*');
  }

  /** The mask for the contents of a field of the mask. */
  inside(name: string): FieldMask {
    return this.everything ? FieldMask.all : (this.children.get(name) ?? this.children.get('*') ?? FieldMask.all);
  }

  /** The names listed at this level; empty for everything. */
  names(): readonly string[] {
    return [...this.children.keys()];
  }

  /** The mask with each name at this level replaced by its own names. */
  mapNames(map: (name: string) => readonly string[]): FieldMask {
    const children = [...this.children].flatMap(([name, inner]) => map(name).map((other) => [other, inner] as const));
    return new FieldMask(new Map(children), this.everything);
  }

  /** The parts of a JSON value in the mask; lists are searched element by element. */
  pick(value: Json): Json {
    if (this.everything) return value;
    if (Array.isArray(value)) return value.map((entry: Json) => this.pick(entry));
    if (!isJsonObject(value)) return value;
    const picked: Record<string, Json> = {};
    for (const [key, inner] of Object.entries(value)) {
      if (inner !== undefined && this.has(key)) picked[key] = this.inside(key).pick(inner);
    }
    return picked;
  }
}

interface MutableMask {
  readonly children: Map<string, MutableMask>;
  everything: boolean;
}

/** Reads a mask; a malformed one is refused. */
export function parseFieldMask(text: string): FieldMask {
  const root: MutableMask = { children: new Map(), everything: false };
  const tokens =
    text.match(/[A-Za-z_][A-Za-z0-9_]*|\*|[(),./]|\s+|[^\s]/g)?.filter((token) => token.trim() !== '') ?? [];
  const end = parseList(tokens, 0, root, text, 0);
  if (end !== tokens.length) throw invalidSelection(text);
  return freeze(root);
}

/** Deep enough for any message of the API; protects the stack against a hostile mask. */
const depthMax = 50;

function parseList(tokens: readonly string[], start: number, into: MutableMask, text: string, depth: number): number {
  if (depth > depthMax) throw invalidSelection(text);
  let position = start;
  for (;;) {
    let mask = into;
    for (;;) {
      const name = tokens[position];
      if (name === undefined || !/^(?:[A-Za-z_][A-Za-z0-9_]*|\*)$/.test(name)) throw invalidSelection(text);
      mask = child(mask, name);
      position += 1;
      if (tokens[position] !== '.' && tokens[position] !== '/') break;
      position += 1;
    }
    if (tokens[position] === '(') {
      position = parseList(tokens, position + 1, mask, text, depth + 1);
      if (tokens[position] !== ')') throw invalidSelection(text);
      position += 1;
    } else {
      mask.everything = true;
    }
    if (tokens[position] !== ',') return position;
    position += 1;
  }
}

function child(mask: MutableMask, name: string): MutableMask {
  const known = mask.children.get(name);
  if (known) return known;
  const created: MutableMask = { children: new Map(), everything: false };
  mask.children.set(name, created);
  return created;
}

function freeze(mask: MutableMask): FieldMask {
  const star = mask.children.get('*');
  const everything = mask.everything || (star !== undefined && star.everything);
  return new FieldMask(new Map([...mask.children].map(([name, inner]) => [name, freeze(inner)])), everything);
}

function invalidSelection(text: string): Error {
  return invalidArgument(`Invalid field selection ${text}`);
}

/** The mask of an update request; an empty one is refused in Google's words. */
export function parseUpdateMask(fields: string | undefined): FieldMask {
  if (fields === undefined || fields.trim() === '') {
    throw invalidArgument("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)");
  }
  return parseFieldMask(fields);
}

/**
 * `base` with the fields of the mask taken from `patch`: a field in the mask and not in the patch is cleared, a field
 * outside the mask stays.
 */
export function updateByMask(base: JsonObject, patch: JsonObject, mask: FieldMask): JsonObject {
  if (mask.everything) return patch;
  const updated: Record<string, Json | undefined> = { ...base };
  const names = mask.has('*') ? new Set([...Object.keys(base), ...Object.keys(patch)]) : mask.names();
  for (const name of names) {
    const inner = mask.inside(name);
    const before = updated[name];
    const after = patch[name];
    if (!inner.everything && (isJsonObject(before) || isJsonObject(after))) {
      updated[name] = updateByMask(isJsonObject(before) ? before : {}, isJsonObject(after) ? after : {}, inner);
    } else if (after === undefined) {
      delete updated[name];
    } else {
      updated[name] = after;
    }
  }
  return updated;
}
