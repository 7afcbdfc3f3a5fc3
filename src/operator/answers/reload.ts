// What became of a changed configuration.
import * as z from 'zod';
import { count } from './shared.ts';

export const leftOut = z.strictObject({
  kind: z.enum(['account', 'file', 'job']),
  name: z.string(),
  reason: z.string().describe('one line, with the place in the file'),
  jobs: z.array(z.string()).describe('what does not run because of it'),
});

export const reloadAnswer = z.strictObject({
  outcome: z.enum(['taken up', 'refused']).describe('refused: the old configuration stays in force, whole'),
  added: z.array(z.string()),
  changed: z
    .array(z.string())
    .describe('jobs with other options or another account, and stopped ones, which are tried again'),
  removed: z.array(z.string()),
  unchanged: count.describe('jobs that go on as before'),
  same_token: z.array(z.string()).describe('accounts whose token is still the one that the service refused'),
  restart: z.array(z.string()).describe('changed sections that hold only after a restart'),
  left_out: z.array(leftOut).describe('what does not run, since it has faults'),
  problems: z.array(z.string()).describe('why it was refused, a line each'),
});

export type ReloadAnswer = z.infer<typeof reloadAnswer>;
