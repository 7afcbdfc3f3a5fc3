// The JSON Schema of the configuration file.
import * as z from 'zod';
import type { CrmDescription } from '../crm/port.ts';
import { configFile } from './schema/file.ts';

/** Draft 7, which the YAML language server reads. */
export function configJsonSchema(description: CrmDescription): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(configFile(description), {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ jsonSchema, path }) => {
      if (path.at(-1) !== 'propertyNames') allowReference(jsonSchema);
      // zod bounds every whole number; that bound is not a limit of ours.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return {
    $schema,
    title: 'leadsheet',
    description:
      'The configuration of leadsheet: contacts of an outreach service and rows of Google Sheets, kept equal.',
    ...schema,
  };
}

/** One of a few words, or a reference to the environment. */
function allowReference(schema: z.core.JSONSchema.BaseSchema): void {
  if (!Array.isArray(schema.enum) || schema.type !== 'string') return;
  const { type, enum: words } = schema;
  delete schema.type;
  delete schema.enum;
  schema.anyOf = [
    { type, enum: words },
    { type, pattern: '^\\$\\{[A-Za-z_]\\w*\\}$' },
  ];
}
