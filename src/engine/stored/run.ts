// The schema of the stored report of a run, with its counts and problems.
import * as z from 'zod';
import type { JsonObject } from '../../state/port.ts';
import type { Problem } from '../../sync/change.ts';
import type { Hold } from '../../sync/guard/guard.ts';
import type { PlanCounts } from '../../sync/input.ts';
import type { RunCost, RunCounts, RunReport } from '../report.ts';
import { count, flag, instantMs, isoInstant, optional, recordOf, text } from './shape.ts';

/** A stored report: its problems have no values of conflicts, which are contact details. */
export type StoredRun = Omit<RunReport, 'problems'> & { readonly problems: readonly StoredProblem[] };
export interface StoredProblem extends Omit<Problem, 'values'> {
  /** Digest of what the row held, for a row that has no contact: its number changes when people sort. */
  readonly contents?: string;
}

export const runStatus = z.enum(['succeeded', 'partial', 'held', 'failed']);

export const runCounts = recordOf<RunCounts>()({
  linked: count,
  waiting: count,
  conflicts: count,
  quarantined: count,
  parked: count,
  held: count,
  ignored: count,
  created: count,
  updated: count,
  appended: count,
  set: count,
  deleted: count,
  removed: count,
  enrolled: count,
  cancelled: count,
  // States from before the outbox have none.
  sent: optional(count),
});

export const planCounts = recordOf<PlanCounts>()({
  creates: count,
  changes: count,
  blanks: count,
  deletes: count,
  missing: count,
  enrolments: count,
  messages: optional(count),
});

export const problems = z.array(
  recordOf<StoredProblem>()({
    id: text,
    kind: text,
    uuid: text.nullable(),
    row: count.nullable(),
    field: text.nullable(),
    rule: text,
    reason: text,
    retryAt: optional(instantMs),
    contents: optional(text),
  }),
);

export const stopped = recordOf<NonNullable<RunReport['stopped']>>()({ done: count, left: count });

const runSchema = recordOf<StoredRun>()({
  sync: text,
  kind: z.enum(['sync', 'feed', 'outbox']),
  run: text,
  status: runStatus,
  startedAt: isoInstant,
  endedAt: isoInstant,
  isFull: z.boolean(),
  counts: runCounts,
  cost: recordOf<RunCost>()({ crmCalls: count, sheetReads: count, sheetWrites: count, seconds: count }),
  problems,
  holds: z.array(recordOf<Hold>()({ rule: text, reason: text, fails: z.boolean() })),
  planned: planCounts,
  stopped: optional(stopped),
  alreadyDone: optional(count),
  error: optional(text),
  isFinal: flag,
  refused: optional(z.enum(['crm', 'sheet'])),
  approvable: optional(text),
  isRefused: flag,
});

export function isStoredRun(record: JsonObject): record is JsonObject & StoredRun {
  return runSchema.safeParse(record).success;
}
