// A store of which a person sees some jobs: every other job is one that nobody knows.
import type { HistoryFilter, JsonObject, Store } from '../../state/port.ts';
import { OperatorError } from '../errors.ts';
import type { JobNames } from './job-names.ts';

/** `told`: narrows a heartbeat. The names are asked for at each call. */
export function storeOf(store: Store, names: JobNames, told: (heartbeat: unknown) => JsonObject | undefined): Store {
  const seen = (jobs: readonly string[]) => jobs.filter((job) => names().has(job));
  /** Without a job, the lines of all that are seen. */
  const within = <Query extends HistoryFilter>(query: Query): Query => {
    const { sync } = query;
    const wanted = sync === undefined ? [...names()] : seen(typeof sync === 'string' ? [sync] : sync);
    return { ...query, sync: wanted.length === 1 ? wanted[0]! : wanted };
  };
  return {
    jobs: async () => seen(await store.jobs()),
    sync(name) {
      if (!names().has(name)) throw new OperatorError('unknown', `there is no job ${name}`);
      return store.sync(name);
    },
    history: (query) => store.history(within(query)),
    historyPage: (query) => store.historyPage(within(query)),
    runsPage: (query) => store.runsPage({ ...query, jobs: seen(query.jobs) }),
    lastRuns: (query) => store.lastRuns({ ...query, jobs: seen(query.jobs) }),
    mayHave: (jobs, wanted) => store.mayHave(seen(jobs), wanted),
    loadSomeOf: (jobs, wanted) => store.loadSomeOf(seen(jobs), wanted),
    keepIndex: async () => {},
    readHeartbeat: async () => told(await store.readHeartbeat()),
    writeHeartbeat: refuse,
    readLogins: async () => undefined,
    changeLogins: refuse,
  };
}

async function refuse(): Promise<never> {
  throw new Error('a person of some accounts writes nothing of the whole process');
}
