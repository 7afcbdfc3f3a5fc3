// The outcome of decisions that cancel enrolments and messages.
import * as z from 'zod';
import { decision, row } from './shared.ts';

export const cancelAnswer = z.strictObject({
  cancels: z.array(
    decision.extend({
      sync: z.string(),
      person: z.string().nullable().describe('name and e-mail address of the contact, as far as they are known'),
      row,
      outcome: z
        .enum(['cancelled', 'too late', 'in doubt'])
        .describe(
          'cancelled: no call begins any more, and the next run tells the row; too late: it was done meanwhile; in doubt: a call began at the same time, and the end of the run tells whether it was made',
        ),
      said: z.string().describe('the outcome as a sentence'),
    }),
  ),
});

export type CancelAnswer = z.infer<typeof cancelAnswer>;
