// The configuration as it holds, option by option.
import * as z from 'zod';
import { value } from './shared.ts';

const option = z.strictObject({
  option: z.string().describe('its name in its section: contacts.list'),
  value: z.union([value, z.array(value)]).describe('secrets are masked'),
  is_default: z.boolean().describe('the file does not have it'),
});

export const configurationAnswer = z.strictObject({
  path: z.string().describe('of the file'),
  sections: z.array(z.strictObject({ name: z.string(), options: z.array(option) })),
});

export type ConfigurationAnswer = z.infer<typeof configurationAnswer>;
export type OptionAnswer = z.infer<typeof option>;
