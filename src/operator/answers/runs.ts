// What a run and a plan answer, and what is kept of runs that are over.
import * as z from 'zod';
import { decisionLine, logLine } from './history.ts';
import {
  contact,
  cost,
  field,
  op,
  pageCursors,
  problem,
  row,
  ruleId,
  ruleInWords,
  runCounts,
  side,
  stopped,
  value,
} from './shared.ts';

export const run = z.strictObject({
  name: z.string(),
  kind: z.enum(['sync', 'feed', 'outbox']),
  run: z.string(),
  status: z.enum(['succeeded', 'partial', 'held', 'failed']),
  is_full: z.boolean().describe('every contact was read'),
  counts: runCounts,
  cost,
  problems: z.array(problem),
  holds: z.array(z.string()).describe('why nothing was written'),
  hold_rules: z.array(z.strictObject({ rule: ruleId, rule_words: ruleInWords })).describe('the rule of each of these'),
  approvable: z.string().nullable().describe('the run to name to `approve`'),
  stopped: stopped.describe('a signal ended it before all of its plan was begun'),
  already_done: z.number().describe('of `apply`: records of the saved plan for which nothing was left to do'),
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

export const runsPage = runsAnswer.extend({
  ...pageCursors,
});

export const runStrips = z.strictObject({
  strips: z.array(
    z.strictObject({
      name: z.string(),
      runs: z
        .array(z.strictObject({ run: z.string(), status: z.string(), ended_at: z.string().describe('ISO instant') }))
        .describe('the latest first'),
    }),
  ),
});

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

export const plan = run.extend({
  cost: cost.describe('what a run would cost'),
  changes: z.array(change),
  once_approved: z.array(change).describe('what leadsheet approve would let through, and no run does before'),
});

export const planAnswer = z.strictObject({ syncs: z.array(plan) });

export const savedPlanAnswer = z.strictObject({
  made_at: z.string().describe('ISO instant'),
  plans: z.array(
    z.strictObject({
      name: z.string(),
      run: z.string(),
      is_full: z.boolean().describe('every contact was read'),
      changes: z.array(change),
    }),
  ),
});

export const runShownAnswer = runLine.extend({
  problems: z.array(problem).describe('without the values of conflicts'),
  changes: z
    .array(z.union([logLine, decisionLine]))
    .describe('what the history has of the run, oldest first, each as a line of `log`'),
});

export const runPage = runShownAnswer.extend(pageCursors);

export type RunsPageAnswer = z.infer<typeof runsPage>;

export type RunStripsAnswer = z.infer<typeof runStrips>;

export type RunPageAnswer = z.infer<typeof runPage>;

export type RunAnswer = z.infer<typeof run>;

export type RunLineAnswer = z.infer<typeof runLine>;

export type RunsAnswer = z.infer<typeof runsAnswer>;

export type RunShownAnswer = z.infer<typeof runShownAnswer>;

export type ChangeAnswer = z.infer<typeof change>;

export type SavedPlanAnswer = z.infer<typeof savedPlanAnswer>;

export type PlanAnswer = z.infer<typeof plan>;
