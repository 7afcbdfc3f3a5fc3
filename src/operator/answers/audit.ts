// Decisions of people: those that wait for a run, and those that runs took up.
import * as z from 'zod';
import { decisionLine } from './history.ts';
import { decision } from './shared.ts';

export const decisionsPage = z.strictObject({
  waiting: z
    .array(decision.extend({ sync: z.string() }))
    .describe('the next run of each job takes them up; the latest first, on the first page alone'),
  decisions: z.array(decisionLine).describe('the latest first'),
  next: z.string().nullable().describe('cursor of the page after this one; null: this is the last'),
});

export type DecisionsPageAnswer = z.infer<typeof decisionsPage>;
