import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generateDocs } from '../../scripts/generate-docs.ts';
import * as errors from '../../src/crm/errors.ts';

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

test('the generated parts of the docs are what `npm run docs` makes', () => {
  for (const [file, text] of generateDocs()) expect(readFileSync(file, 'utf8')).toBe(text);
});

test('docs/errors.md has every error class with its code and whether it may be tried again', () => {
  const call = { operation: 'x', attempts: 1 };
  const one = [
    new errors.InvalidInputError(call, {}),
    new errors.AuthenticationError(call, 'x'),
    new errors.PermissionError(call, 'x'),
    new errors.PlanLimitError(call, 'x'),
    new errors.NotFoundError(call, 'x'),
    new errors.ValidationError(call, 'x', {}),
    new errors.RateLimitError(call, 1_000),
    new errors.GatewayError(call, 'x'),
    new errors.UnreachableError(call, 'x'),
    new errors.UnexpectedAnswerError(call, 'x'),
    new errors.OutcomeUnknownError(call, 'x', false),
  ];
  const classes = Object.keys(errors).filter((name) => name !== 'ServiceError');
  expect(one.map(({ name }) => name).toSorted()).toEqual(classes.toSorted());
  const rows = page('errors.md').matchAll(/^\| `(\w+)` \| (\w+) \|.*\| (yes|no|only[^|]*) \|[^|]*\|$/gm);
  const documented = [...rows].map(([, code, name, again]) => ({ code, name, retryable: again === 'yes' }));
  expect(documented).toEqual(one.map(({ code, name, retryable }) => ({ code, name, retryable })));
});
