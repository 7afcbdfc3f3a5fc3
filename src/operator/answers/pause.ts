// A pause of a job, and a run that a person asked for.
import * as z from 'zod';
import { signature } from './held.ts';

export const paused = signature.extend({
  until: z.string().nullable().describe('ISO instant; null: until somebody resumes it'),
  reason: z.string().nullable(),
});

const runAsked = z.strictObject({
  name: z.string(),
  answer: z
    .enum(['started', 'queued', 'backing-off', 'paused', 'stopped'])
    .describe('queued: after the run under way; backing-off: the last run failed, it is tried again later'),
});

export type PauseAnswer = z.infer<typeof paused>;

export type RunAskedAnswer = z.infer<typeof runAsked>;
