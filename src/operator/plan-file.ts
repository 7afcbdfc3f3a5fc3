// The file of `plan --out`: plans that a person looked at, for `apply`.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type SavedPlan, savedPlan } from '../engine/saved-plan.ts';

/** Grows when a file of today could be misread by a program of tomorrow. */
const version = 1;

const planFile = z.strictObject({
  format: z.literal('leadsheet plan'),
  version: z.literal(version),
  madeAt: z.string(),
  plans: z.array(savedPlan).min(1),
  checksum: z.string(),
});

/** A file of plans cannot be used; the message says why and what to do. */
export class PlanFileError extends Error {
  override readonly name = 'PlanFileError';
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
