// The report of a run that did nothing, for tests of who runs jobs.
import { nothingPlanned, type RunReport } from '../../src/engine/report.ts';

const counts = { linked: 0, waiting: 0, conflicts: 0, quarantined: 0, parked: 0, held: 0, ignored: 0 };
const did = { created: 0, updated: 0, appended: 0, set: 0, deleted: 0, removed: 0, enrolled: 0, cancelled: 0, sent: 0 };

export function nothingRan(job: string, run: string): RunReport {
  const at = new Date(0).toISOString();
  return {
    sync: job,
    kind: 'feed',
    run,
    status: 'succeeded',
    isFull: true,
    startedAt: at,
    endedAt: at,
    counts: { ...counts, ...did },
    cost: { crmCalls: 0, sheetReads: 0, sheetWrites: 0, seconds: 0 },
    problems: [],
    holds: [],
    planned: nothingPlanned,
  };
}
