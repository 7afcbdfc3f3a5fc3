// A held plan, and what a person can say about it.
import * as z from 'zod';
import { throughs } from '../../engine/decision.ts';
import { planCounts, row } from './shared.ts';

export const signature = z.strictObject({
  by: z.string().describe('who decided'),
  at: z.string().describe('ISO instant'),
  through: z.enum(throughs),
});

export const heldAnswer = z.strictObject({
  name: z.string(),
  run: z.string().describe('the run that `approve` and `refuse` name'),
  digest: z.string().describe('of all of this; an approval that names it is for exactly this plan'),
  reasons: z.array(z.string()),
  counts: planCounts,
  refused: signature.nullable().describe('who said no'),
  records: z
    .array(
      z.strictObject({
        id: z.string().describe('what `approve --only` takes: a uuid, or row:17 for a row without a contact'),
        row,
        person: z.string().nullable().describe('name and e-mail address; null: not linked yet'),
        ops: z.array(z.string()).describe('what would be done'),
      }),
    )
    .nullable()
    .describe('the records that the plan changes; null: it can only be approved whole'),
});

export type HeldAnswer = z.infer<typeof heldAnswer>;
