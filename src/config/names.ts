// The names in a configuration, for the completion of command lines: also of a file that lacks secrets or has faults.
import * as z from 'zod';
import { readSource } from './source.ts';

export interface ConfigNames {
  readonly syncs: readonly string[];
  /** Syncs, feeds, outboxes. */
  readonly jobs: readonly string[];
  /** The fields of all columns. */
  readonly fields: readonly string[];
}

/** A column that has another form than these is no column, and the others still are. */
const column = z.union([
  z.string(),
  z.object({ field: z.string() }).transform(({ field }) => field),
  z.object({ custom_field: z.string() }).transform(({ custom_field: name }) => `custom_fields.${name}`),
  z.unknown().transform(() => undefined),
]);
const columns = z.record(z.string(), column).catch({});
const jobs = z.record(z.string(), z.object({ columns: columns.default({}) })).catch({});
const file = z.object({ syncs: jobs.default({}), feeds: jobs.default({}), outbox: jobs.default({}) });

/** Leaves out names that cannot be read. Never throws. */
export function namesInConfig(text: string): ConfigNames {
  const { data } = file.safeParse(readSource(text, {}).value);
  const { syncs = {}, feeds = {}, outbox = {} } = data ?? {};
  const all = { ...syncs, ...feeds, ...outbox };
  const fields = Object.values(all).flatMap((job) => Object.values(job.columns).filter((each) => each !== undefined));
  return { syncs: Object.keys(syncs), jobs: Object.keys(all), fields: [...new Set(fields)].toSorted() };
}
