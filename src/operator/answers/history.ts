// Lines of the history and of the ledger.
import * as z from 'zod';
import {
  contact,
  decision,
  field,
  op,
  pageCursors,
  planCounts,
  row,
  ruleId,
  ruleInWords,
  side,
  value,
} from './shared.ts';

export const ledgerState = z.enum([
  'waiting',
  'intended',
  'enrolled',
  'skipped',
  'refused',
  'unknown',
  'cancelling',
  'cancelled',
]);

export const logLine = z.strictObject({
  time: z.string().describe('ISO instant'),
  sync: z.string(),
  run: z.string(),
  side,
  op,
  contact,
  row,
  field,
  before: value,
  after: value,
  rule: ruleId,
  rule_words: ruleInWords,
  reason: z.string(),
  outcome: z.string(),
  message: z.string().optional().describe('why it did not succeed'),
  automation: z.string().nullable().optional().describe('of `enrol` and `cancel`: uuid; null: all of them'),
  automation_name: z.string().optional(),
  state: ledgerState.optional().describe('of `enrol` and `cancel`: what the ledger has from then on'),
});

export const decisionLine = z.strictObject({
  time: z.string().describe('ISO instant at which the run took it up'),
  sync: z.string(),
  run: z.string().describe('the run that took it up'),
  decision: decision.shape.decision,
  id: decision.shape.id,
  contact,
  row,
  field,
  text: decision.shape.text,
  outcome: z
    .enum(['taken', 'void'])
    .describe('void: nothing came of it: the run was held again, or what was decided about is gone'),
  by: decision.shape.by,
  decided_at: decision.shape.at,
  through: decision.shape.through,
  seen: z
    .strictObject({
      counts: planCounts.optional().describe('of `approve` and `refuse`: what was held'),
      reasons: z.array(z.string()).optional().describe('of `approve` and `refuse`: why'),
      digest: z.string().optional().describe('of `approve` and `refuse`: digest of run, counts, reasons and records'),
      base: value.optional().describe('of `resolve`: what both sides last agreed on; left out: not known'),
      crm: value.optional().describe('of `resolve`'),
      sheet: value.optional().describe('of `resolve`'),
      problems: z
        .array(z.strictObject({ kind: z.string(), rule: z.string(), reason: z.string() }))
        .optional()
        .describe('of `retry`: what was open about the record'),
      state: z.string().optional().describe('of `cancel`: what the ledger had'),
      status: z.string().nullable().optional().describe('of `pause`, `resume` and `run`: how the last run ended'),
    })
    .nullable()
    .describe('what the person was shown'),
});

export const enrolmentLine = z.strictObject({
  time: z.string().describe('ISO instant: when, or since when'),
  sync: z.string(),
  run: z.string().describe('empty: none yet'),
  contact: z.string().describe('uuid'),
  automation: z.string().describe('uuid'),
  name: z.string().nullable().describe('of the automation, as of the call'),
  state: ledgerState,
  message: z.string().nullable().describe('the words of a refusal'),
});

export const logPage = z.strictObject({
  lines: z.array(z.union([logLine, decisionLine])).describe('the latest first'),
  ...pageCursors,
});

export type LogPageAnswer = z.infer<typeof logPage>;

export type ChangeLine = z.infer<typeof logLine>;

export type DecisionLine = z.infer<typeof decisionLine>;

export type EnrolmentLine = z.infer<typeof enrolmentLine>;
