// What `leadsheet init --yes` made.
import * as z from 'zod';
import { checkAnswer } from './check.ts';

export const initAnswer = z.strictObject({
  sync: z.string(),
  config: z.string(),
  written: z.array(z.string()),
  findings: checkAnswer.shape.findings,
  /** Changes that the first run would make, by what is done; null: it could not be planned. */
  plan: z.record(z.string(), z.int()).nullable(),
});

export type InitAnswer = z.output<typeof initAnswer>;
