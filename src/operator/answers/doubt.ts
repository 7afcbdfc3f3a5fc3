// A question before something is done again.
import * as z from 'zod';

const doubt = z.strictObject({
  job: z.string(),
  id: z.string().describe('what `retry` takes'),
  question: z.string().describe('what was done, or may have been'),
  name: z.string().describe('of the person who gets it: typed by whoever wants it done again'),
  what: z.string().describe('what is done, to whom'),
  row: z.number().nullable().describe('of an outbox: where the row was in the last run; null: not known'),
  state: z.string().describe('what the ledger has'),
  text: z
    .enum(['same', 'changed', 'unknown'])
    .nullable()
    .describe('of an outbox: whether the row said, in the last run, what was sent; null: no outbox'),
  said: z
    .string()
    .nullable()
    .describe('of an outbox: digest of what the row said in the last run, and nothing else is sent; null: not known'),
});

export type DoubtAnswer = z.infer<typeof doubt>;
