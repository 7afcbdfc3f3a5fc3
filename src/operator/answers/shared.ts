// What several answers have in common: values, records, rules and decisions.
import * as z from 'zod';
import { decisionKinds, throughs } from '../../engine/decision.ts';
import { opOrder } from '../../sync/change.ts';

export const count = z.number().int().min(0);

/** The cursors that a page of a list has. */
export const pageCursors = {
  next: z.string().nullable().describe('cursor of the page after this one; null: this is the last'),
  previous: z.string().nullable().describe('cursor of the page before this one; null: this is the first'),
} as const;

export const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const contact = z.string().nullable().describe('uuid; null while there is none');

export const row = z.number().int().nullable().describe('number in the tab as of the run; null: none');

export const field = z.string().nullable().describe('name of the mapped field; null: the record as a whole');

export const side = z.enum(['crm', 'sheet']);

export const op = z.enum(opOrder);

export const ruleId = z.string().describe('id in docs/SPEC.md');

export const ruleInWords = z.string().describe('the rule in words');

export const counts = z.strictObject({
  linked: count.describe('contacts with a row; of an outbox, rows whose message was sent'),
  waiting: count.describe('not their time yet'),
  conflicts: count.describe('fields'),
  quarantined: count.describe('rows'),
  parked: count.describe('fields left alone until they change'),
  held: count.describe('held, refused, unreadable, failed or of unknown outcome'),
  ignored: count.describe('known, and left alone as configured'),
});

export const runCounts = counts.extend({
  created: count.describe('contacts'),
  updated: count.describe('contacts'),
  appended: count.describe('rows'),
  set: count.describe('rows'),
  deleted: count.describe('contacts'),
  removed: count.describe('rows'),
  enrolled: count.describe('wishes carried out'),
  cancelled: count.describe('contacts that were asked to be taken out of automations'),
  sent: count.describe('messages and e-mails of an outbox'),
});

export const planCounts = z.strictObject({
  creates: count,
  changes: count,
  blanks: count,
  deletes: count,
  missing: count.describe('known rows and contacts that were not found'),
  enrolments: count,
  messages: count.optional(),
});

export const cost = z.strictObject({
  crm_calls: count.describe('calls to the service'),
  sheet_reads: count,
  sheet_writes: count,
  seconds: z.number().min(0),
});

export const stopped = z
  .strictObject({ left: count.describe('planned changes that were not begun'), done: count })
  .nullable();

export const problem = z.strictObject({
  id: z.string().describe('what `retry` and `resolve` take'),
  kind: z.string(),
  contact,
  row,
  field,
  rule: ruleId,
  rule_words: ruleInWords,
  reason: z.string(),
  needs_somebody: z.boolean().describe('false: it takes care of itself, or was asked for'),
  advice: z.string().describe('what to do'),
});

/** A decision of a person. A decision that an earlier version recorded has only its request. */
export const decision = z.strictObject({
  decision: z.enum([...decisionKinds, 'undo']),
  id: z.string().describe('of the record, or of the run; empty: the job as a whole'),
  text: z.string().nullable().describe('what is to be done'),
  by: z.string().nullable().describe('who decided: the account of the operating system'),
  at: z.string().nullable().describe('ISO instant'),
  through: z.enum(throughs).nullable(),
});

export type ProblemAnswer = z.infer<typeof problem>;

export type CostAnswer = z.infer<typeof cost>;

export type DecisionAnswer = z.infer<typeof decision>;
