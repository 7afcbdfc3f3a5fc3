// Open conflicts, and decisions that wait for the next run.
import * as z from 'zod';
import { count, decision, pageCursors, row, value } from './shared.ts';

const conflict = z.strictObject({
  id: z.string().describe('what `resolve` takes'),
  sync: z.string(),
  contact: z.string().describe('uuid'),
  person: z.string().nullable().describe('name and e-mail address, as far as they are mapped'),
  row,
  field: z.string(),
  base: value.describe('what both last agreed on; null also where that is not known'),
  is_base_known: z.boolean().describe('false: the two sides never agreed on a value, as far as the state knows'),
  crm: value,
  sheet: value,
  since: z.string().describe('ISO instant'),
  decision: decision.nullable().describe('what the next run carries out'),
  digest: z.string().describe('of all of this; a decision that names it is for exactly these values'),
});

export const conflictsAnswer = z.strictObject({ conflicts: z.array(conflict) });

export const conflictsPage = z.strictObject({
  conflicts: z.array(conflict).describe('the one that is open for the longest time first'),
  total: count.describe('of the filter, on all pages'),
  ...pageCursors,
});

export const requestsAnswer = z.strictObject({
  requests: z.array(decision.extend({ sync: z.string() })),
});

export type ConflictsPageAnswer = z.infer<typeof conflictsPage>;

export type ConflictAnswer = z.infer<typeof conflict>;

export type RequestsAnswer = z.infer<typeof requestsAnswer>;
