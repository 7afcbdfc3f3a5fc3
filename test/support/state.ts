// Opens stores on a test machine, for tests of the state.
import * as nodeDisk from 'node:fs/promises';
import { createFileStore } from '../../src/state/file/driver.ts';
import type { FileDriverDep } from '../../src/state/file/dep.ts';
import { lockTimes } from '../../src/state/file/lock.ts';
import { currentSchema } from '../../src/state/file/schema.ts';
import type {
  Batch,
  HistoryLine,
  Json,
  JsonObject,
  LoadedState,
  Notice,
  RunRecord,
  Store,
  Terms,
} from '../../src/state/port.ts';
import { createMemoryKernel, never } from './memory-kernel.ts';
import type { MemoryKernel } from './memory-kernel.ts';

/** A machine on which the test starts and ends processes. */
export interface TestMachine {
  readonly host: string;
  readonly startByPid: Map<number, string | null>;
  readonly kernel: MemoryKernel;
}

export function createMachine(host = 'here', pid = 1): TestMachine {
  const startByPid = new Map<number, string | null>([[pid, `boot/${pid}`]]);
  return { host, startByPid, kernel: createMemoryKernel((asked) => startByPid.get(asked)) };
}

export interface StateTrial {
  readonly store: Store;
  readonly warnings: Notice[];
}

let ids = 0;

/** A store as one process has it. */
export function openTrial(root: string, dep: Partial<FileDriverDep> & { machine?: TestMachine; pid?: number } = {}) {
  const { machine = createMachine(), pid = 1, ...rest } = dep;
  const warnings: Notice[] = [];
  const store = createFileStore(root, {
    disk: nodeDisk,
    processes: {
      host: machine.host,
      pid,
      space: async () => null,
      async startOf(asked) {
        const start = machine.startByPid.get(asked);
        return start === undefined ? 'gone' : { start };
      },
    },
    kernelLocks: machine.kernel.locksOf(pid),
    every: never,
    elapsed: () => performance.now(),
    lockTimes,
    terms: trialTerms,
    now: () => Date.UTC(2026, 0, 31, 12),
    randomId: () => {
      ids += 1;
      // Later ids sort before earlier ones: nothing may take them for an order.
      return `${99_999_999 - ids}-test`;
    },
    warn: (notice) => warnings.push(notice),
    schema: currentSchema,
    historyDays: 90,
    runsMax: 1_000,
    runDays: 90,
    foldFloorBytes: 256 * 1024,
    keptRecordsMax: 200_000,
    hasIndex: dep.disk === undefined,
    ...rest,
  });
  return { store, warnings } satisfies StateTrial;
}

function textIn(fact: Json | undefined): string {
  return typeof fact === 'string' ? fact : '';
}

/** Records are found by each of their words; the terms begin with the fact `prefix`. */
export const trialTerms: Terms = {
  version: 'trial',
  basis: (facts) => JSON.stringify(facts.get('prefix') ?? ''),
  of(_collection, _key, record, facts) {
    const words = JSON.stringify(record)
      .normalize('NFC')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u);
    return words.filter((word) => word !== '').map((word) => `${textIn(facts.get('prefix'))}${word}`);
  },
};

/** One lease: load, commit each batch, release. */
export async function commitAll(store: Store, sync: string, batches: readonly Batch[]): Promise<LoadedState> {
  await using lease = await store.sync(sync).acquireLease();
  await lease.load();
  for (const batch of batches) await lease.commit(batch);
  return lease.load();
}

/** The loaded state as plain data, without the notices. */
export function contentOf({ links, strays, ledger, outbox, setAside, facts, requests }: LoadedState) {
  return {
    links: Object.fromEntries(links),
    strays: Object.fromEntries(strays),
    ledger: Object.fromEntries(ledger),
    outbox: Object.fromEntries(outbox),
    setAside: Object.fromEntries(setAside),
    facts: Object.fromEntries(facts),
    requests: Object.fromEntries(requests),
  };
}

export function runRecord(run: string, endedAt: string, more: JsonObject = {}): RunRecord {
  return { run, endedAt, status: 'succeeded', ...more };
}

export function historyLine(time: string, more: Partial<HistoryLine> = {}): HistoryLine {
  return { time, sync: 'prospects', run: 'run-1', contact: 'c1', field: 'position', before: 'a', after: 'b', ...more };
}
