// The type of a kind of batchUpdate request.
import type { z } from 'zod';
import type { Edit } from '../edit.ts';
import type { JsonObject } from '../json.ts';

/** One kind of request of spreadsheets.batchUpdate: its schema, and its effect on the draft. */
export interface RequestKind {
  readonly schema: z.ZodType;
  /** `request` has passed the schema. Returns the reply; throws an ApiError to refuse the whole batch. */
  apply(edit: Edit, request: unknown): JsonObject;
}

export function requestKind<S extends z.ZodType>(
  schema: S,
  apply: (edit: Edit, request: z.output<S>) => JsonObject | undefined,
): RequestKind {
  // parseMessage has made `request` from this schema.
  return { schema, apply: (edit, request) => apply(edit, request as z.output<S>) ?? {} };
}
