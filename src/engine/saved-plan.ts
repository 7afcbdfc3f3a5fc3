// A plan that a person looked at, in the form that `apply` compares with a fresh plan.
import * as z from 'zod';
import { type Change, opOrder } from '../sync/change.ts';

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const savedChange = z.strictObject({
  side: z.enum(['crm', 'sheet']),
  op: z.enum(opOrder),
  uuid: z.string().nullable(),
  row: z.number().nullable(),
  fields: z.array(
    z.strictObject({
      field: z.string(),
      before: value.optional(),
      after: value,
      rule: z.string(),
      reason: z.string(),
    }),
  ),
  rule: z.string(),
  reason: z.string(),
  key: z.string().optional(),
  moves: z.string().optional(),
  enrol: z.string().optional(),
  releases: z.literal(true).optional(),
  automation: z.string().nullable().optional(),
  id: z.string().optional(),
  to: z.string().optional(),
  from: z.string().optional(),
});

export const savedPlan = z.strictObject({
  sync: z.string(),
  run: z.string(),
  isFull: z.boolean(),
  identities: z.strictObject({ crm: z.string(), sheet: z.string() }),
  changes: z.array(savedChange),
  /** Of an undo (S8): the run that is taken back, and what of it. Left out: a plan of what is to be synced. */
  undoes: z
    .strictObject({
      run: z.string(),
      contacts: z.array(z.string()).optional(),
      field: z.string().optional(),
      deletesCreated: z.boolean(),
    })
    .optional(),
});

export type SavedPlan = z.infer<typeof savedPlan>;

/** As JSON has it: an unknown value is left out. */
export function plainChange(change: Change): SavedPlan['changes'][number] {
  return JSON.parse(JSON.stringify(change)) as SavedPlan['changes'][number];
}
