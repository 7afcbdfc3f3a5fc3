// The OpenAPI document of the service.
import * as z from 'zod';
import type { NamedOperation } from './operations/table.ts';
import { operationList } from './operations/table.ts';

type Json = Readonly<Record<string, unknown>>;

/** The service as an OpenAPI 3.1 document, made from the operations table. */
export function openApiDocument(): Json {
  const schemas: Record<string, Json> = { Refusal: refusal };
  const paths: Record<string, Record<string, Json>> = {};
  for (const named of operationList) {
    const { path, method } = named.operation;
    (paths[path] ??= {})[method.toLowerCase()] = describeOperation(named, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Outreach Automation Service API',
      version: '3.0',
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'Contacts, lists, automations, sender profiles and the unified inbox of an outreach service, as leadsheet reads ' +
        'them: where the contract is silent, this says what is to be expected.',
    },
    servers: [{ url: '{base_url}', variables: { base_url: { default: 'http://127.0.0.1:4010' } } }],
    security: [{ bearer: [] }],
    tags: [...new Set(operationList.map(({ area }) => area))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas,
    },
  };
}

function describeOperation({ name, area, operation }: NamedOperation, schemas: Record<string, Json>): Json {
  const { summary, effects, pathParameters, query, body, answer } = operation;
  const bodySchema = body && jsonSchema(body, 'input', schemas);
  return {
    operationId: name,
    tags: [area],
    summary,
    ...(effects && { description: effects }),
    parameters: [
      ...parametersOf(jsonSchema(pathParameters, 'input', schemas), 'path'),
      ...(query ? parametersOf(jsonSchema(query, 'input', schemas), 'query') : []),
    ],
    ...(bodySchema && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: { 'application/json': { schema: bodySchema } },
      },
    }),
    responses: Object.fromEntries([
      ...answer.success.map((status) => [status, describeSuccess(status, answer.schema, schemas)]),
      ...[...new Set([400, 401, 403, 429, ...answer.refusals])].map((status) => [status, refused]),
    ]),
  };
}

function describeSuccess(status: number, schema: z.ZodType | undefined, schemas: Record<string, Json>): Json {
  if (schema === undefined || status === 204) return { description: 'done; a body, if any, says nothing more' };
  return {
    description: 'the answer',
    content: { 'application/json': { schema: jsonSchema(schema, 'output', schemas) } },
  };
}

function parametersOf({ properties = {}, required = [] }: Json, place: 'path' | 'query'): Json[] {
  return Object.entries(properties as Record<string, Json>).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: place === 'path' || (required as string[]).includes(name),
    ...(description !== undefined && { description }),
    ...(schema['type'] === 'object' && { style: 'deepObject', explode: true }),
    schema,
  }));
}

/** A schema of the table as JSON Schema; the named records it refers to go to the components. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Record<string, Json>): Json {
  const { $schema: _, $defs = {}, ...inline } = relink(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
  for (const [name, definition] of Object.entries($defs as Record<string, Json>)) schemas[name] = definition;
  // Another schema refers to each named record, and makes it a component.
  return typeof inline['id'] === 'string' ? { $ref: `#/components/schemas/${inline['id']}` } : inline;
}

function relink(schema: object): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
}

const refused: Json = {
  description: 'refused',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
};

const refusal: Json = {
  type: 'object',
  properties: {
    message: { type: 'string' },
    code: { type: ['integer', 'string'] },
    error: {
      type: 'object',
      properties: {
        reason: { type: 'string' },
        message: { type: 'string' },
        data: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
      },
    },
  },
};
