// What `leadsheet check` found.
import * as z from 'zod';

export const checkAnswer = z.strictObject({
  findings: z.array(
    z.strictObject({
      verdict: z.enum(['ok', 'warning', 'failed', 'skipped']),
      about: z.string(),
      what: z.string(),
      detail: z.string(),
    }),
  ),
});
