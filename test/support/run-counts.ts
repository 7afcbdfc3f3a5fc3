// The counts of a run that did nothing and found nothing, to begin with.
import type { RunCounts } from '../../src/engine/report.ts';

export const noRunCounts: RunCounts = {
  linked: 0,
  waiting: 0,
  conflicts: 0,
  quarantined: 0,
  parked: 0,
  held: 0,
  ignored: 0,
  created: 0,
  updated: 0,
  appended: 0,
  set: 0,
  deleted: 0,
  removed: 0,
  enrolled: 0,
  cancelled: 0,
  sent: 0,
};
