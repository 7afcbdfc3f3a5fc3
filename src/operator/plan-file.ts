// The file of `plan --out`: plans that a person looked at, for `apply`.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Config } from '../config/config.ts';
import { jobsIn } from '../config/jobs.ts';
import type { JobKind } from '../engine/kind.ts';
import { type SavedPlan, savedPlan } from '../engine/saved-plan.ts';
import { OperatorError } from './errors.ts';
import { mappedColumns } from './log-filter.ts';

/** The version of the form. It grows when a later program could misread a file of this one. */
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

/** Only the owner may read the file: it holds contact details. */
export function writePlanFile(plans: readonly SavedPlan[], madeAt: string): string {
  const file = { format: 'leadsheet plan', version, madeAt, plans, checksum: checksumOf(madeAt, plans) };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Throws PlanFileError. */
export function readPlanFile(text: string, name: string): readonly SavedPlan[] {
  return parsePlanFile(text, name).plans;
}

/** The plans of a file for a person to look at. `kind` is undefined if the configuration does not have the job. */
export interface PlanFileShown {
  /** ISO instant. */
  readonly madeAt: string;
  readonly plans: readonly {
    readonly plan: SavedPlan;
    readonly kind: JobKind | undefined;
    /** The header of a mapped field, as the configuration has it now; else the name of the field. */
    readonly headerOf: (field: string) => string;
  }[];
}

/** The plans of the named jobs; all of the file if none is named. Asks neither side. Throws PlanFileError and OperatorError. */
export function showPlanFile(config: Config, text: string, name: string, jobs: readonly string[]): PlanFileShown {
  const { madeAt, plans } = parsePlanFile(text, name);
  const inFile = plans.map(({ sync }) => sync);
  const missing = jobs.find((job) => !inFile.includes(job));
  if (missing !== undefined) {
    throw new OperatorError('unknown', `${name} has no plan of ${missing}; it has ${inFile.join(', ')}`);
  }
  const columns = mappedColumns(config);
  const kindByJob = new Map(jobsIn(config).map((job) => [job.name, job.kind]));
  const meant = plans.filter(({ sync }) => jobs.length === 0 || jobs.includes(sync));
  return {
    madeAt,
    plans: meant.map((plan) => ({
      plan,
      kind: kindByJob.get(plan.sync),
      headerOf: (field) => columns.find(({ job, key }) => job === plan.sync && key === field)?.header ?? field,
    })),
  };
}

function parsePlanFile(text: string, name: string): z.infer<typeof planFile> {
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
  return read.data;
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
