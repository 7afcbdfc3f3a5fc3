// The names in a configuration, for the completion of command lines: also of a file that lacks secrets or has faults.
import { defaultAccount } from './default-account.ts';
import { readSource } from './source.ts';

export interface ConfigNames {
  readonly accounts: readonly string[];
  readonly syncs: readonly string[];
  /** Syncs, feeds, outboxes. */
  readonly jobs: readonly string[];
  /** The fields of all columns. */
  readonly fields: readonly string[];
}

/**
 * Leaves out names that cannot be read. Never throws. The schema of the file is not asked: loading it takes longer than all
 * the rest of a completion.
 */
export function namesInConfig(text: string, included: (pattern: string) => readonly string[] = () => []): ConfigNames {
  const first = entriesOf(readSource(text, {}).value);
  const patterns = [first['include']].flat().filter((each) => typeof each === 'string');
  const files = [first, ...patterns.flatMap(included).map((each) => entriesOf(readSource(each, {}).value))];
  const inAll = (part: string) => Object.fromEntries(files.flatMap((file) => Object.entries(jobsIn(file[part]))));
  const [syncs, feeds, outbox] = [inAll('syncs'), inAll('feeds'), inAll('outbox')];
  const accounts = [...(first['crm'] === undefined ? [] : [defaultAccount]), ...Object.keys(inAll('accounts'))];
  const all = { ...syncs, ...feeds, ...outbox };
  const columns = Object.values(all).flatMap((job) => Object.values(entriesOf(entriesOf(job)['columns'])));
  const fields = columns.map(fieldOf).filter((each) => each !== undefined);
  return { accounts, syncs: Object.keys(syncs), jobs: Object.keys(all), fields: [...new Set(fields)].toSorted() };
}

/** Empty: something in it is no job. */
function jobsIn(part: unknown): Readonly<Record<string, unknown>> {
  const jobs = entriesOf(part);
  return Object.values(jobs).every(isMap) ? jobs : {};
}

/** A column is `field`, `{ field }` or `{ custom_field }`; undefined: it is none of them. */
function fieldOf(column: unknown): string | undefined {
  if (typeof column === 'string') return column;
  const { field, custom_field: custom } = entriesOf(column);
  if (typeof field === 'string') return field;
  return typeof custom === 'string' ? `custom_fields.${custom}` : undefined;
}

/** Empty: it is no map. */
function entriesOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? { ...value } : {};
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
