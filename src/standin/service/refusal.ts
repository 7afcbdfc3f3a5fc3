// The refusals of the stand-in, as errors.
import type * as z from 'zod';

/** Texts by field name, in the form of the service's `error.data`. */
export type FieldTexts = Readonly<Record<string, readonly string[]>>;

interface RefusalDetails {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly data?: FieldTexts;
}

/** A refusal of the service: thrown anywhere below the router, which turns it into the error envelope. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly reason: string;
  readonly data: FieldTexts;

  constructor({ status, reason, message, data = {} }: RefusalDetails) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.data = data;
  }
}

export const badRequest = (message: string) => new Refusal({ status: 400, reason: 'bad_request', message });

export const notFound = (what: string) =>
  new Refusal({ status: 404, reason: 'not_found', message: `${what} was not found.` });

/** 422 about named fields. */
export const invalid = (data: FieldTexts, status = 422) =>
  new Refusal({
    status,
    reason: 'validation_error',
    message: Object.values(data)[0]?.[0] ?? 'The given data was invalid.',
    data,
  });

/** 422 about a state, not a field. */
export const unprocessable = (message: string) => new Refusal({ status: 422, reason: 'validation_error', message });

export const serverError = (message = 'Server Error') => new Refusal({ status: 500, reason: 'server_error', message });

/** The field map of a failed validation: `{'lead.email': ['…']}`; an error of no single field is under `body`. */
export function issuesToFieldTexts(issues: readonly z.core.$ZodIssue[]): FieldTexts {
  const texts = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: [...issue.path, key], text: 'This field is unknown.' }))
      : [{ path: issue.path, text: issue.message }],
  );
  const byField = Map.groupBy(texts, ({ path }) => path.map(String).join('.') || 'body');
  return Object.fromEntries([...byField].map(([field, entries]) => [field, entries.map(({ text }) => text)]));
}
