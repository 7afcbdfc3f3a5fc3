// What an undo would do, and what came of one.
import * as z from 'zod';
import { plan, run } from './runs.ts';

export const undoPlanAnswer = z.strictObject({
  undoes: z.string().describe('the run that is taken back'),
  digest: z.string().describe('of the changes: what is carried out is exactly this'),
  notes: z.array(z.string()).describe('what to know about that run'),
  plan: plan.describe('`changes`: what is put back; `problems`: what is not, and why'),
});

export const undoAnswer = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('run'), undoes: z.string(), run: run.describe('the run that took it back') }),
  z.strictObject({
    outcome: z.literal('another plan').describe('nothing was done: the plan is another one by now'),
    undoes: z.string(),
    plan: undoPlanAnswer,
  }),
]);

export type UndoPlanAnswer = z.infer<typeof undoPlanAnswer>;

export type UndoAnswer = z.infer<typeof undoAnswer>;
