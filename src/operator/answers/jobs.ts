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
    }),
  ),
  total: count.describe('of the filter, on all pages'),
  all: count.describe('jobs of the configuration'),
  needs_somebody: count.describe('jobs of the configuration that need a person'),
  ...pageCursors,
});

export type JobState = (typeof jobStates)[number];
export type JobsPageAnswer = z.infer<typeof jobsPage>;
export type JobAnswer = JobsPageAnswer['jobs'][number];
