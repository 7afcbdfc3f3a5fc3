// Checks the input of an operation before anything is sent.
import type * as z from 'zod';
import type { FieldMessages } from '../../errors.ts';
import type { Operation } from '../operations/define.ts';

type Values = Readonly<Record<string, unknown>>;

/** The checked input of an operation, divided into path, query and body. */
export interface CheckedInput {
  readonly path: Readonly<Record<string, string>>;
  readonly query?: Values;
  readonly body?: Values;
}

/**
 * Divides a flat input into path, query and body and checks each against its schema. The operation's defaults fill
 * missing fields. Returns the errors by field, so that nothing outside the contract is sent. `allowUnknown` lets fields
 * and filter keys pass that the table does not have.
 */
export function checkInput(
  operation: Operation,
  input: Values,
  allowUnknown = false,
): { readonly checked: CheckedInput } | { readonly fields: FieldMessages } {
  const { pathParameters, query, body, defaults, prepare } = operation;
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = { ...defaults, ...(prepare?.(given) ?? given) };

  const issues: Issue[] = [];
  const check = (schema: z.ZodObject, values: Values): Values => {
    const { error, data } = schema.safeParse(values);
    if (!error) return data;
    issues.push(...error.issues.filter((issue) => !(allowUnknown && issue.code === 'unrecognized_keys')));
    return values;
  };

  const inPath = Object.keys(pathParameters.shape);
  const inQuery = Object.keys(query?.shape ?? {});
  const path = check(
    pathParameters,
    pick(filled, (name) => inPath.includes(name)),
  ) as CheckedInput['path'];
  // A name that no schema has goes to the last schema, which refuses it by name.
  const inBody = (name: string) => !inPath.includes(name) && !inQuery.includes(name);
  const checkedBody = body && check(body, pick(filled, inBody));
  const checkedQuery =
    query &&
    check(
      query,
      pick(filled, (name) => inQuery.includes(name) || (!body && inBody(name))),
    );
  const fields = fieldMessages(issues);
  if (!query && !body) {
    for (const name of Object.keys(pick(filled, inBody))) fields[name] = [unknownField];
  }
  return Object.keys(fields).length > 0
    ? { fields }
    : { checked: { path, ...(checkedQuery && { query: checkedQuery }), ...(checkedBody && { body: checkedBody }) } };
}

/** The names in an operation's input, for help and for suggesting the nearest one. */
export function inputNames({ pathParameters, query, body }: Operation): readonly string[] {
  return [pathParameters, query, body].flatMap((schema) => Object.keys(schema?.shape ?? {}));
}

type Issue = z.ZodError['issues'][number];

/** The errors of a value, by field (`lead.email`); `input` stands for the value as a whole. */
function fieldMessages(issues: readonly Issue[]): Record<string, string[]> {
  const messages: Record<string, string[]> = {};
  for (const issue of issues) {
    for (const [field, message] of describeIssue(issue)) (messages[field] ??= []).push(message);
  }
  return messages;
}

const unknownField = 'is not a field of this operation';

function describeIssue(issue: Issue): [field: string, message: string][] {
  const field = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => [field === '' ? key : `${field}.${key}`, unknownField]);
  }
  return [[field === '' ? 'input' : field, issueText(issue)]];
}

/** As what follows the name of the field: "is missing". */
function issueText(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.endsWith('received undefined')) return 'is missing';
      return `must be ${typeWords[issue.expected] ?? issue.expected}`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be blank';
      return `must be ${unitOf(issue)}${String(issue.minimum)} at least`;
    case 'too_big':
      return `must be ${unitOf(issue)}${String(issue.maximum)} at most`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_key':
      // A name that is not allowed: the reason is one level down.
      return issue.issues[0] ? issueText(issue.issues[0]) : issue.message;
    default:
      return issue.message;
  }
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function unitOf({ origin }: { readonly origin: string }): string {
  return origin === 'string' ? 'of length ' : origin === 'array' ? 'of size ' : '';
}

function pick(values: Values, chosen: (name: string) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => chosen(name)));
}
