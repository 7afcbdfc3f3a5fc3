// The budgets against their limits, how long runs take, and how far jobs are behind.
import * as z from 'zod';
import { count } from './shared.ts';

const series = z.strictObject({
  measured: z.enum(['calls', 'runs', 'lag']).describe('calls of a budget; how long runs took; how far jobs are behind'),
  name: z.string().describe('for people'),
  unit: z.string(),
  limit: z.number().nullable().describe('what the value may not pass; null: nothing limits it'),
  points: z.array(z.tuple([z.number(), z.number()])).describe('epoch milliseconds and value, oldest first'),
});

const budget = z.strictObject({
  name: z.string().describe('for people'),
  used: count.describe('calls in the last minute'),
  per_minute: count,
});

const jobTimes = z.strictObject({
  name: z.string(),
  lag_secs: count.nullable().describe('since a run of the daemon ended well; null: none has, or no daemon is known'),
  runs: count.describe('that were measured'),
  last_secs: z.number().nullable(),
  median_secs: z.number().nullable(),
  longest_secs: z.number().nullable(),
});

const accountBudgets = z.strictObject({
  name: z.string().describe('the account'),
  budgets: z.array(budget).describe('those of the sums that this account has, in the same order'),
});

export const budgetsPage = z.strictObject({
  budgets: z.array(budget).describe('of all accounts; none: no daemon is known to run'),
  accounts: z
    .array(accountBudgets)
    .describe('by account, where there are several; those with one credential show the same calls'),
  series: z.array(series).describe('of the last hours of this daemon; none: only the daemon itself knows them'),
  jobs: z.array(jobTimes),
});

export type BudgetsAnswer = z.infer<typeof budgetsPage>;
export type SeriesAnswer = z.infer<typeof series>;
export type JobTimesAnswer = z.infer<typeof jobTimes>;
