// A plan that somebody looked at, as it is kept in a file.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type Change, opOrder } from '../sync/change.ts';

/** Grows when a file of today could be misread by a program of tomorrow. */
const version = 1;

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

const savedPlan = z.strictObject({
  sync: z.string(),
  run: z.string(),
  isFull: z.boolean(),
  identities: z.strictObject({ crm: z.string(), sheet: z.string() }),
  changes: z.array(savedChange),
});

const planFile = z.strictObject({
  format: z.literal('leadsheet plan'),
  version: z.literal(version),
  madeAt: z.string(),
  plans: z.array(savedPlan).min(1),
  checksum: z.string(),
});

export type SavedPlan = z.infer<typeof savedPlan>;

/** A file of plans cannot be used; the message says why and what to do. */
export class PlanFileError extends Error {
  override readonly name = 'PlanFileError';
}

/** As JSON has it: an unknown value is left out. */
export function plainChange(change: Change): SavedPlan['changes'][number] {
  return JSON.parse(JSON.stringify(change)) as SavedPlan['changes'][number];
}

/** Holds contact details: for the eyes of its owner. */
export function writePlanFile(plans: readonly SavedPlan[], madeAt: string): string {
  const file = { format: 'leadsheet plan', version, madeAt, plans, checksum: checksumOf(madeAt, plans) };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Throws PlanFileError. */
export function readPlanFile(text: string, name: string): readonly SavedPlan[] {
  const json = parseJson(text);
  const head = z.looseObject({ format: z.literal('leadsheet plan'), version: z.number() }).safeParse(json);
  if (!head.success) throw new PlanFileError(`${name} is no plan: make one with leadsheet plan --out FILE`);
  if (head.data.version !== version) {
    throw new PlanFileError(
      `${name} is a plan of version ${head.data.version}, and this program reads version ${version}: plan again`,
    );
  }
  const read = planFile.safeParse(json);
  if (!read.success || checksumOf(read.data.madeAt, read.data.plans) !== read.data.checksum) {
    throw new PlanFileError(`${name} was changed since it was written: plan again, nothing was applied`);
  }
  return read.data.plans;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checksumOf(madeAt: string, plans: readonly SavedPlan[]): string {
  return createHash('sha256')
    .update(JSON.stringify([madeAt, planFile.shape.plans.parse(plans)]))
    .digest('hex');
}
