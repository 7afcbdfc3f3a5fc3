// A held plan, and what a person can say about it.
import * as z from 'zod';
import { throughs } from '../../engine/decision.ts';
import { count, decision, field, planCounts, row, ruleId, ruleInWords, side, value } from './shared.ts';

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
  undoes: z.string().nullable().describe('the run that the held one is to take back; null: it is no undo'),
  decisions: z.array(decision).describe('about this plan, which no run has carried out yet'),
  records: z
    .array(
      z.strictObject({
        id: z.string().describe('what `approve --only` takes: a uuid, or row:17 for a row without a contact'),
        row,
        person: z.string().nullable().describe('name and e-mail address; null: not linked yet'),
        ops: z.array(z.string()).describe('what would be done'),
        changes: z
          .array(
            z.strictObject({
              side,
              op: z.string(),
              field,
              before: value.describe('null also where it is not known'),
              after: value,
              rule: ruleId,
              rule_words: ruleInWords,
              reason: z.string(),
            }),
          )
          .nullable()
          .describe('what would be written; null: not stored, leadsheet plan shows it'),
      }),
    )
    .nullable()
    .describe('the records that the plan changes; null: it can only be approved whole'),
  listed: z
    .strictObject({
      what: z.enum(['missing rows', 'missing records', 'enrolments', 'messages']),
      total: count.describe('of all that the plan is about'),
      records: z
        .array(
          z.strictObject({
            id: z.string().describe('uuid; of an outbox: of the row, or row:17'),
            row,
            person: z.string().nullable().describe('name and e-mail address; null: not known yet'),
          }),
        )
        .describe('as the held run found them; fewer than `total` where it did not note all'),
    })
    .nullable()
    .describe('what a plan without `records` is about; null: it has `records`, or the state does not know'),
});

export type HeldAnswer = z.infer<typeof heldAnswer>;
