// The workers of a database: who runs what, and who is gone.
import * as z from 'zod';

const worker = z.strictObject({
  id: z.string(),
  host: z.string(),
  pid: z.number(),
  version: z.string(),
  state: z
    .enum(['running', 'draining', 'ended', 'gone'])
    .describe('draining: it ends what it runs; gone: silent for 20 s, its runs begin elsewhere'),
  since: z.string(),
  seen_at: z.string().describe('its last sign of life'),
  runs: z.array(z.strictObject({ job: z.string(), since: z.string() })).describe('what it runs, or ran last'),
});

export const workersAnswer = z.strictObject({
  shared: z.boolean().describe('false: the state is on files, where one process runs all jobs'),
  workers: z.array(worker).describe('those that live first; those that ended or are gone for a day'),
});

export type WorkersAnswer = z.output<typeof workersAnswer>;
