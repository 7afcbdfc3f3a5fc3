// Jobs page by page, and how many there are in each state.
import * as z from 'zod';
import { count, pageCursors } from './shared.ts';
import { statusAnswer } from './status.ts';

/** The state of a job, for people: its run under way, else what keeps it from running, else how its last run ended. */
export const jobStates = [
  'running',
  'paused',
  'stopped',
  'backing-off',
  'held',
  'failed',
  'partial',
  'succeeded',
  'not run yet',
] as const;

export const jobsPage = z.strictObject({
  daemon: statusAnswer.shape.daemon,
  last_daemon: statusAnswer.shape.last_daemon,
  daemon_notice: statusAnswer.shape.daemon_notice,
  left_out: statusAnswer.shape.left_out,
  refused_configuration: statusAnswer.shape.refused_configuration,
  jobs: z.array(
    statusAnswer.shape.syncs.element.extend({
      state: z.enum(jobStates),
      needs_somebody: z.boolean(),
      is_refused_alone: z
        .boolean()
        .describe('it needs a person for the credentials of its account alone, which `refusals` has'),
    }),
  ),
  refusals: z
    .array(
      z.strictObject({
        account: z.string(),
        side: z.enum(['crm', 'sheet']),
        jobs: z.array(z.string()).describe('all jobs of the account that met it: two or more'),
        reason: z.string(),
      }),
    )
    .describe('credentials of accounts that a side refuses'),
  budget: statusAnswer.shape.daemon
    .unwrap()
    .shape.budget.nullable()
    .describe('calls of the last minute: of the account of the filter, or of all; null: no daemon is known to run'),
  longest_lag: z
    .strictObject({ job: z.string(), secs: count })
    .nullable()
    .describe('of the jobs of that account, or of all, that are not paused; null: none has run well yet'),
  total: count.describe('of the filter, on all pages'),
  all: count.describe('jobs of the configuration'),
  needs_somebody: count.describe('jobs of the configuration that need a person, but for those of `is_refused_alone`'),
  ...pageCursors,
});

export type JobState = (typeof jobStates)[number];
export type JobsPageAnswer = z.infer<typeof jobsPage>;
export type JobAnswer = JobsPageAnswer['jobs'][number];
