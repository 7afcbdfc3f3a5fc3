// Open problems of several jobs, page by page.
import * as z from 'zod';
import { count, pageCursors, problem } from './shared.ts';

export const problemsPage = z.strictObject({
  problems: z
    .array(
      problem.extend({
        job: z.string(),
        job_kind: z.enum(['sync', 'feed', 'outbox']),
        retry_at: z
          .string()
          .nullable()
          .describe('ISO instant: tried again by itself from then on; null: not, or not by the clock'),
      }),
    )
    .describe('those that need a person first'),
  total: count.describe('of the filter, on all pages'),
  kinds: z
    .array(z.strictObject({ kind: z.string(), count }))
    .describe('the kinds of problems of these jobs, whatever kind was asked for'),
  ...pageCursors,
});

export type ProblemsPageAnswer = z.infer<typeof problemsPage>;
