// Why a record is as it is: its values, where they came from, what is open about it, and what would end that.
import * as z from 'zod';
import { ledgerState } from './history.ts';
import { decision, op, problem, row, ruleId, ruleInWords, side, value } from './shared.ts';

const instant = z.string().describe('ISO instant');

const remedy = z.strictObject({
  text: z.string().describe('what this does, or what to change'),
  command: z.string().nullable().describe('to copy; null: nothing is to be typed here'),
});

const explainedProblem = problem.omit({ advice: true }).extend({
  retry_at: instant.nullable().describe('tried again by itself from then on; null: not, or not by the clock'),
  remedies: z.array(remedy).describe('any one of them is enough'),
});

const origin = z.strictObject({
  kind: z
    .enum(['written', 'decided', 'undone', 'adopted', 'met', 'older', 'never'])
    .describe(
      'written: a run wrote it; decided: a person resolved a conflict with it; undone: a run was taken back; adopted: both sides held it when they were linked; met: both sides came to hold it, and nothing was written; older: than the history; never: both sides never agreed',
    ),
  from: side.nullable().describe('the side it came from'),
  time: instant.nullable(),
  run: z.string().nullable(),
  rule: ruleId.nullable(),
  rule_words: ruleInWords.nullable(),
  reason: z.string().nullable(),
  by: z.string().nullable().describe('who decided'),
  text: z.string().describe('all of it as a sentence'),
});

const lost = z.strictObject({
  side: side.describe('where it stood'),
  value,
  time: instant.describe('when it was overwritten'),
  run: z.string(),
  command: z.string().describe('shows the line of the history that keeps it'),
});

const planned = z.strictObject({
  side,
  op,
  field: z.string().nullable(),
  before: value,
  after: value,
  rule: ruleId,
  rule_words: ruleInWords,
  reason: z.string(),
});

const known = z.strictObject({ value, is_known: z.boolean().describe('false: never read, or not readable') });

const explainedField = z.strictObject({
  field: z.string(),
  header: z.string(),
  cell: z.string().nullable().describe('where it stood in the last run: E5'),
  direction: z.enum(['both', 'to_sheet', 'to_crm']),
  agreed: known.describe('what both sides were confirmed to hold'),
  crm: known.describe('as last seen'),
  sheet: known.describe('as last seen'),
  live: z.strictObject({ crm: known, sheet: known }).nullable().describe('as of this moment, with --live'),
  is_open: z.boolean().describe('the sides differ, or something about it waits for a person'),
  origin,
  lost: z.array(lost).describe('what the last write replaced'),
  notes: z.array(z.string()).describe('what else is known of it'),
});

const enrolment = z.strictObject({
  automation: z.string().describe('uuid'),
  name: z.string().nullable(),
  state: ledgerState,
  time: instant.describe('when, or since when'),
  run: z.string().nullable(),
  message: z.string().nullable(),
  remedies: z.array(remedy),
});

const message = z.strictObject({
  outbox: z.string(),
  id: z.string().describe('of the row'),
  row,
  state: z.enum(['waiting', 'intended', 'sent', 'refused', 'unknown', 'cancelled']),
  standing: z.string().describe('the state in words, with the reason as of the last run'),
  time: instant.describe('when, or since when'),
  run: z.string().nullable(),
  to: z.string().nullable(),
  delivery: z.string().nullable().describe('its status in the service, as last seen'),
  message: z.string().nullable().describe('why it was refused'),
  remedies: z.array(remedy),
  decision: decision.nullable().describe('of a person, that the next run carries out'),
});

const record = z.strictObject({
  job: z.string(),
  kind: z.enum(['sync', 'feed', 'outbox']),
  id: z.string().nullable().describe('uuid of the contact or record, or ID of the row; null: the row has none'),
  name: z.string().describe('for people'),
  row,
  standing: z.string().describe('how it stands, as a sentence'),
  status: z.string().nullable().describe('what its status cell says; null: there is none'),
  last_run: z.strictObject({ run: z.string(), status: z.string(), ended_at: instant }).nullable(),
  holds: z.array(z.string()).describe('why nothing of the whole job is written'),
  hold_remedies: z.array(remedy),
  fields: z.array(explainedField),
  next: z
    .strictObject({
      changes: z.array(planned),
      asks: z.array(z.string()).describe('what it asks the service first'),
      waits: z.array(z.string()).describe('what it would not do, and why'),
    })
    .nullable()
    .describe('what the next run would do if nothing else changed; null: nothing is synced for it'),
  problems: z.array(explainedProblem).describe('open as of the last run'),
  vetoes: z.array(z.string()).describe('why it is put into no automation now'),
  enrolments: z.array(enrolment),
  messages: z.array(message),
  decisions: z.array(decision).describe('of people, that the next run carries out'),
  log: z.string().nullable().describe('the command that shows its history'),
});

const hit = z.strictObject({
  job: z.string(),
  kind: z.enum(['sync', 'feed', 'outbox']),
  id: z.string().nullable(),
  name: z.string(),
  row,
  command: z.string().describe('explains this one'),
});

export const explainAnswer = z.strictObject({
  reference: z.string(),
  hits: z.array(hit).describe('if the reference means several records: each of them; else empty'),
  records: z.array(record).describe('one, or one for each sync of the contact'),
});

export type ExplainAnswer = z.infer<typeof explainAnswer>;
export type ExplainedRecord = z.infer<typeof record>;
export type ExplainedField = z.infer<typeof explainedField>;
export type ExplainedProblem = z.infer<typeof explainedProblem>;
export type ExplainedEnrolment = z.infer<typeof enrolment>;
export type ExplainedMessage = z.infer<typeof message>;
export type Hit = z.infer<typeof hit>;
export type Remedy = z.infer<typeof remedy>;
export type Origin = z.infer<typeof origin>;
export type Lost = z.infer<typeof lost>;
export type Known = z.infer<typeof known>;
