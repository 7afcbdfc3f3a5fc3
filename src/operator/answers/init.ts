// The result of `leadsheet init --yes`.
import * as z from 'zod';
import { checkAnswer } from './check.ts';

const count = z.int();

export const initAnswer = z.strictObject({
  sync: z.string().describe('its name'),
  config: z.string().describe('the path of the configuration'),
  written: z.array(z.string()).describe('paths, in the order in which they were written'),
  findings: checkAnswer.shape.findings,
  plan: z
    .strictObject({
      create: count,
      update: count,
      delete: count.describe('contacts that would be deleted'),
      enrol: count,
      cancel: count,
      send: count,
      set: count.describe('rows that would be changed'),
      append: count,
      remove: count.describe('rows that would be deleted'),
    })
    .nullable()
    .describe('changes of the first run, counted; null: it could not be planned'),
});

export type InitAnswer = z.output<typeof initAnswer>;
