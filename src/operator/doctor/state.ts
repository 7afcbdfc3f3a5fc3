// Tells how the state is: of each job its versions, size, lock and damage, and the errors of the last runs.
import type { Config } from '../../config/config.ts';
import { isStoredRun } from '../../engine/stored/run.ts';
import { readBriefs } from '../../engine/standing.ts';
import { StateError } from '../../state/errors.ts';
import type { JobHealth, Store, StoreHealth } from '../../state/port.ts';
import type { DoctorAnswer } from '../answers/doctor.ts';
import { jobsOf } from '../select.ts';
import { countRecords } from '../state/content.ts';
import type { Hiders, Opened } from './patient.ts';

type StateAnswer = DoctorAnswer['state'];
type JobAnswer = StateAnswer['jobs'][number];

/** A report has no use for more. */
const errorsMax = 10;

export async function describeState(
  config: Config | undefined,
  { place, look, store }: Opened,
  hide: Hiders,
): Promise<{ readonly answer: StateAnswer; readonly server: string | null }> {
  const health = await attempt(look);
  const about = { place, is_default: config === undefined };
  if (health instanceof StateError) {
    const nothing = { is_there: false, schema: null, schema_known: null, bytes: 0, index: null, jobs: [] };
    return { answer: { ...about, ...nothing, fault: hide.messages(health.message) }, server: null };
  }
  const kinds = new Map(config ? jobsOf(config).map(({ name, kind }) => [name, kind] as const) : []);
  const jobs: JobAnswer[] = [];
  for (const job of withConfigured(health, kinds.keys())) {
    jobs.push({ ...(await describeJob(job, store, hide)), kind: kinds.get(job.name) ?? null });
  }
  const { isThere, schema = null, schemaKnown, bytes, index, server = null } = health;
  const answer: StateAnswer = {
    ...about,
    is_there: isThere,
    schema,
    schema_known: schemaKnown,
    bytes,
    index: index ? { bytes: index.bytes, written_at: index.writtenAt } : null,
    fault: faultOfTables(health, place),
    jobs,
  };
  return { answer, server };
}

/** Tables of a newer version are not asked. */
function faultOfTables({ schema, schemaKnown, isThere, server }: StoreHealth, place: string): string | null {
  if (server === undefined || !isThere || schema === schemaKnown) return null;
  if (schema === undefined) return `${place}: the schema holds tables that leadsheet did not make`;
  return schema > schemaKnown
    ? `${place}: the tables are of version ${schema}, and this program knows versions up to ${schemaKnown}. Run the newer leadsheet`
    : `${place}: the tables are of version ${schema}, and this program needs ${schemaKnown}. Run: leadsheet state migrate`;
}

/** Those of the state, and those of the configuration that never ran. */
function withConfigured({ jobs }: StoreHealth, configured: Iterable<string>): readonly JobHealth[] {
  const known = new Set(jobs.map(({ name }) => name));
  return [...jobs, ...[...configured].filter((name) => !known.has(name)).map((name) => ({ name }))];
}

async function describeJob(job: JobHealth, store: Store, hide: Hiders): Promise<Omit<JobAnswer, 'kind'>> {
  const { name, schema, bytes, foldedAt, holder, isHolderRunning } = job;
  const about = {
    name,
    schema: schema ?? null,
    bytes: bytes ?? null,
    folded_at: foldedAt ?? null,
    holder: holder ?? null,
    is_holder_running: isHolderRunning ?? null,
    phase: null,
    lag_secs: null,
  };
  const loaded = await attempt(() => store.sync(name).load());
  if (loaded instanceof StateError) {
    const fault = hide.messages(loaded.message);
    return { ...about, records: null, requests: null, problems: [], notices: [], fault };
  }
  const damage = loaded.notices.filter(({ kind }) => kind !== 'absent').map(({ message }) => hide.messages(message));
  return {
    ...about,
    records: countRecords(loaded),
    requests: loaded.requests.size,
    problems: await countProblems(name, store),
    notices: damage,
    fault: null,
  };
}

/** Kinds and rules: reasons of problems may name people. */
async function countProblems(name: string, store: Store): Promise<JobAnswer['problems']> {
  const standings = await attempt(() => readBriefs(store, [name]));
  if (standings instanceof StateError) return [];
  const problems = standings.get(name)?.lastRun?.problems ?? [];
  return [...Map.groupBy(problems, ({ kind, rule }) => `${kind} ${rule}`)].map(([, same]) => {
    const { kind, rule } = same[0]!;
    return { kind, rule, count: same.length };
  });
}

/** Of all jobs of the state, also those that are not configured any more. */
export async function describeErrors(
  store: Store,
  { fault, jobs }: StateAnswer,
  hide: Hiders,
): Promise<DoctorAnswer['errors']> {
  if (fault !== null || jobs.length === 0) return [];
  const names = jobs.map(({ name }) => name);
  const found: DoctorAnswer['errors'] = [];
  for (const status of ['failed', 'held'] as const) {
    const page = await attempt(() => store.runsPage({ jobs: names, status, limit: errorsMax }));
    if (page instanceof StateError) continue;
    for (const { record, place } of page.runs) {
      if (!isStoredRun(record)) continue;
      const reasons = [
        ...(record.error === undefined ? [] : [record.error]),
        ...record.holds.map(({ reason }) => reason),
      ];
      const text = hide.messages(reasons.join('; '));
      found.push({ job: place.job, run: record.run, ended_at: record.endedAt, status, text });
    }
  }
  return found.toSorted((a, b) => (a.ended_at < b.ended_at ? 1 : -1)).slice(0, errorsMax);
}

/** The jobs whose latest run failed: an error of before a run that succeeded is over. */
export async function findFailing(store: Store, { fault, jobs }: StateAnswer): Promise<ReadonlySet<string>> {
  if (fault !== null || jobs.length === 0) return new Set();
  const last = await attempt(() => store.lastRuns({ jobs: jobs.map(({ name }) => name), limit: 1 }));
  if (last instanceof StateError) return new Set();
  return new Set([...last].flatMap(([name, [run]]) => (run?.status === 'failed' ? [name] : [])));
}

/** A state that cannot be read is part of the answer. */
async function attempt<Value>(work: () => Promise<Value>): Promise<Value | StateError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StateError) return error;
    throw error;
  }
}
