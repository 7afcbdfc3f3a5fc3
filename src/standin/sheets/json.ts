/** Plain JSON of a request or an answer. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Merges `patch` over `base` like a message with sub-messages: objects deeply, everything else replaced. */
export function mergeJson(base: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, Json | undefined> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    const before = merged[key];
    merged[key] = isJsonObject(before) && isJsonObject(value) ? mergeJson(before, value) : value;
  }
  return merged;
}
