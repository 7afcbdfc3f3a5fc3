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
    .enum(['started', 'queued', 'ending'])
    .describe('queued: after the run under way; ending: the daemon ends, and the next one runs it'),
});

export type PauseAnswer = z.infer<typeof paused>;

export type RunAskedAnswer = z.infer<typeof runAsked>;
