// The schemas of all answers to a person. The types, the output of --json and docs/commands.md come from them.
import * as z from 'zod';
import { throughs } from '../engine/decision.ts';
import { phases } from '../engine/standing.ts';
import { opOrder } from '../sync/change.ts';

const count = z.number().int().min(0);
const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const contact = z.string().nullable().describe('uuid; null while there is none');
const row = z.number().int().nullable().describe('number in the tab as of the run; null: none');
const field = z.string().nullable().describe('name of the mapped field; null: the record as a whole');
const side = z.enum(['crm', 'sheet']);
const op = z.enum(opOrder);
const ruleId = z.string().describe('id in docs/SPEC.md');
const ruleInWords = z.string().describe('the rule in words');

const counts = z.strictObject({
  linked: count.describe('contacts with a row; of an outbox, rows whose message was sent'),
  waiting: count.describe('not their time yet'),
  conflicts: count.describe('fields'),
  quarantined: count.describe('rows'),
  parked: count.describe('fields left alone until they change'),
  held: count.describe('held, refused, unreadable, failed or of unknown outcome'),
  ignored: count.describe('known, and left alone as configured'),
});
const runCounts = counts.extend({
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
const planCounts = z.strictObject({
  creates: count,
  changes: count,
  blanks: count,
  deletes: count,
  missing: count.describe('known rows and contacts that were not found'),
  enrolments: count,
  messages: count.optional(),
});
const cost = z.strictObject({
  crm_calls: count.describe('calls to the service'),
  sheet_reads: count,
  sheet_writes: count,
  seconds: z.number().min(0),
});
const stopped = z.strictObject({ left: count.describe('planned changes that were not begun'), done: count }).nullable();
const problem = z.strictObject({
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
const run = z.strictObject({
  name: z.string(),
  run: z.string(),
  status: z.enum(['succeeded', 'partial', 'held', 'failed']),
  counts: runCounts,
  cost,
  problems: z.array(problem),
  holds: z.array(z.string()).describe('why nothing was written'),
  approvable: z.string().nullable().describe('the run to name to `approve`'),
  stopped: stopped.describe('a signal ended it before all of its plan was begun'),
  error: z.string().nullable(),
});

const runLine = z.strictObject({
  name: z.string(),
  kind: z.enum(['sync', 'feed', 'outbox']),
  run: z.string().describe('what `runs show` and `log --run` take'),
  status: run.shape.status,
  started_at: z.string().describe('ISO instant'),
  ended_at: z.string().describe('ISO instant'),
  is_full: z.boolean().describe('every contact was read'),
  counts: runCounts,
  cost,
  holds: z.array(z.string()).describe('why nothing was written'),
  approvable: z.string().nullable().describe('the run to name to `approve`, while it is held'),
  stopped: stopped.describe('a signal ended it before all of its plan was begun'),
  error: z.string().nullable(),
});

export const runsAnswer = z.strictObject({ runs: z.array(runLine).describe('the latest first') });

/** @internal */
export const syncAnswer = z.strictObject({ syncs: z.array(run) });

const change = z.strictObject({
  side,
  op,
  contact,
  row,
  field,
  before: value.describe('what that side holds now; null also where it is not known'),
  after: value,
  rule: ruleId,
  rule_words: ruleInWords,
  reason: z.string(),
});

const plan = run.extend({
  cost: cost.describe('what a run would cost'),
  changes: z.array(change),
  once_approved: z.array(change).describe('what leadsheet approve would let through, and no run does before'),
});

/** @internal */
export const planAnswer = z.strictObject({ syncs: z.array(plan) });

/** A decision of a person. A decision that an earlier version recorded has only its request. */
const decision = z.strictObject({
  decision: z.enum(['approve', 'resolve', 'retry']),
  id: z.string().describe('of the record, or of the run'),
  text: z.string().nullable().describe('what is to be done'),
  by: z.string().nullable().describe('who decided: the account of the operating system'),
  at: z.string().nullable().describe('ISO instant'),
  through: z.enum(throughs).nullable(),
});

const used = z.strictObject({ used: count.describe('in the last minute'), per_minute: count });

const standing = z.strictObject({
  name: z.string(),
  kind: z.enum(['sync', 'feed', 'outbox']),
  phase: z.enum(phases).nullable().describe('what the daemon does about it; null without a daemon'),
  last_run: z
    .strictObject({
      run: z.string(),
      status: z.string(),
      ended_at: z.string().describe('ISO instant'),
      reason: z.string().nullable().describe('why it failed or was held, if a daemon ran it'),
      stopped: stopped.describe('a signal ended it before all of its plan was begun'),
    })
    .nullable()
    .describe('the last one that had something to write, or the last of the daemon'),
  next_run: z.string().nullable().describe('ISO instant; null without a daemon'),
  lag_secs: count.nullable().describe('since a run of the daemon ended well; null without a daemon'),
  counts,
  held_run: z.string().nullable().describe('waits for `approve`'),
  held_reasons: z.array(z.string()).describe('why it is held'),
  held_what: z
    .enum(['writes', 'enrolments', 'messages'])
    .nullable()
    .describe('what is not done until `approve`: everything, enrolments alone, or messages alone'),
  requests: count.describe('decisions of people that the next run carries out'),
  decisions: z.array(decision).describe('these decisions, oldest first'),
  problems: z.array(problem),
  notices: z.array(z.string()).describe('what there is to tell of the state itself'),
});

export const statusAnswer = z.strictObject({
  daemon: z
    .strictObject({
      state: z.enum(['running', 'draining']),
      written_at: z.string().describe('ISO instant at which it told this'),
      budget: z.strictObject({ crm: used, sheet_reads: used, sheet_writes: used }),
    })
    .nullable()
    .describe('null: none is known to run'),
  syncs: z.array(standing),
});

const conflict = z.strictObject({
  id: z.string().describe('what `resolve` takes'),
  sync: z.string(),
  contact: z.string(),
  row,
  field: z.string(),
  base: value.describe('what both last agreed on; null also where they never did'),
  crm: value,
  sheet: value,
  since: z.string().describe('ISO instant'),
  decision: decision.nullable().describe('what the next run carries out'),
});

/** @internal */
export const conflictsAnswer = z.strictObject({ conflicts: z.array(conflict) });

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
  outcome: z.enum(['taken', 'void']).describe('void: nothing came of an approval, the run was held again'),
  by: decision.shape.by,
  decided_at: decision.shape.at,
  through: decision.shape.through,
  seen: z
    .strictObject({
      counts: planCounts.optional().describe('of `approve`: what was held'),
      reasons: z.array(z.string()).optional().describe('of `approve`: why'),
      digest: z.string().optional().describe('of `approve`: digest of run, counts and reasons'),
      base: value.optional().describe('of `resolve`: what both sides last agreed on'),
      crm: value.optional().describe('of `resolve`'),
      sheet: value.optional().describe('of `resolve`'),
      problems: z
        .array(z.strictObject({ kind: z.string(), rule: z.string(), reason: z.string() }))
        .optional()
        .describe('of `retry`: what was open about the record'),
    })
    .nullable()
    .describe('what the person was shown'),
});

export const runShownAnswer = runLine.extend({
  problems: z.array(problem).describe('without the values of conflicts'),
  changes: z
    .array(z.union([logLine, decisionLine]))
    .describe('what the history has of the run, oldest first, each as a line of `log`'),
});

export const enrolmentLine = z.strictObject({
  time: z.string().describe('ISO instant: when, or since when'),
  sync: z.string(),
  run: z.string().describe('empty: none yet'),
  contact: z.string().describe('uuid'),
  automation: z.string().describe('uuid'),
  name: z.string().nullable().describe('of the automation, as of the call'),
  state: z.enum(['waiting', 'intended', 'enrolled', 'skipped', 'refused', 'unknown', 'cancelling']),
  message: z.string().nullable().describe('the words of a refusal'),
});

export const requestsAnswer = z.strictObject({
  requests: z.array(decision.extend({ sync: z.string() })),
});

/** @internal */
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

/** By command, for the docs. */
export const answers = {
  'sync, apply': syncAnswer,
  plan: planAnswer,
  check: checkAnswer,
  status: statusAnswer,
  runs: runsAnswer,
  'runs show': runShownAnswer,
  log: logLine,
  'log, of a decision': decisionLine,
  'log --enrolments': enrolmentLine,
  conflicts: conflictsAnswer,
  'resolve, retry, approve': requestsAnswer,
} as const;

export type ProblemAnswer = z.infer<typeof problem>;
export type RunAnswer = z.infer<typeof run>;
export type RunLineAnswer = z.infer<typeof runLine>;
export type RunsAnswer = z.infer<typeof runsAnswer>;
export type RunShownAnswer = z.infer<typeof runShownAnswer>;
export type CostAnswer = z.infer<typeof cost>;
export type ChangeAnswer = z.infer<typeof change>;
export type PlanAnswer = z.infer<typeof plan>;
export type StandingAnswer = z.infer<typeof standing>;
export type StatusAnswer = z.infer<typeof statusAnswer>;
export type ConflictAnswer = z.infer<typeof conflict>;
export type DecisionAnswer = z.infer<typeof decision>;
export type RequestsAnswer = z.infer<typeof requestsAnswer>;
export type ChangeLine = z.infer<typeof logLine>;
export type DecisionLine = z.infer<typeof decisionLine>;
export type EnrolmentLine = z.infer<typeof enrolmentLine>;
