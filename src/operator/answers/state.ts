// The answers of `leadsheet state`: how much there is, what is damaged, what was copied.
import * as z from 'zod';

const counts = {
  records: z.int().describe('links, strays, entries of the ledger, changes in flight, records set aside and facts'),
  requests: z.int().describe('decisions that no run has carried out yet'),
  lines: z.int().describe('of the history'),
  runs: z.int().describe('reports'),
};

export const stateCheckAnswer = z.strictObject({
  place: z.string(),
  jobs: z.array(
    z.strictObject({
      job: z.string(),
      ...counts,
      damage: z.array(z.string()).describe('what is damaged or missing, a sentence each'),
    }),
  ),
});

export const stateCopyAnswer = z.strictObject({
  from: z.string(),
  to: z.string(),
  jobs: z.array(
    z.strictObject({
      job: z.string(),
      ...counts,
      outcome: z.enum(['copied', 'there']).describe('there: an earlier copy had all of it'),
    }),
  ),
});

export const stateMigrateAnswer = z.strictObject({
  place: z.string(),
  before: z
    .int()
    .nullable()
    .describe('the version of the tables before; 0: there were none; null: a state in files has none'),
  after: z.int().nullable(),
});

export type StateCheckAnswer = z.infer<typeof stateCheckAnswer>;
export type StateCopyAnswer = z.infer<typeof stateCopyAnswer>;
export type StateMigrateAnswer = z.infer<typeof stateMigrateAnswer>;
