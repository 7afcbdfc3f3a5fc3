// What commands answer with --json, field by field: tests hold the commands to it, and docs/commands.md is made from it.
import * as z from 'zod';
import type { LastRun } from '../engine/stored/facts.ts';
import { readLedgerKey } from '../sync/record/ledger.ts';
import type { PlanReport, RunReport } from '../engine/report.ts';
import type { OpenConflict } from '../engine/standing.ts';
import type { HistoryLine } from '../state/port.ts';
import type { LedgerEntry } from '../sync/record/ledger.ts';
import { type Change, opOrder } from '../sync/change.ts';

const count = z.number().int().min(0);
const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const contact = z.string().nullable().describe('uuid; null while there is none');
const row = z.number().int().nullable().describe('number in the tab as of the run; null: none');
const field = z.string().nullable().describe('name of the mapped field; null: the record as a whole');
const side = z.enum(['crm', 'sheet']);
const op = z.enum(opOrder);

const counts = z.strictObject({
  linked: count.describe('contacts with a row; of an outbox, rows whose message was sent'),
  waiting: count.describe('not their time yet'),
  conflicts: count.describe('fields'),
  quarantined: count.describe('rows'),
  parked: count.describe('fields left alone until they change'),
  held: count.describe('held, refused, unreadable, failed or of unknown outcome'),
  ignored: count.describe('known, and left alone as configured'),
});
const runCounts = counts.extend({
  created: count.describe('contacts'),
  updated: count.describe('contacts'),
  appended: count.describe('rows'),
  set: count.describe('rows'),
  deleted: count.describe('contacts'),
  removed: count.describe('rows'),
  enrolled: count.describe('wishes carried out'),
  cancelled: count.describe('contacts that were asked to be taken out of automations'),
  sent: count.describe('messages and e-mails of an outbox'),
});
const cost = z.strictObject({
  crm_calls: count.describe('calls to the service'),
  sheet_reads: count,
  sheet_writes: count,
  seconds: z.number().min(0),
});
const problem = z.strictObject({
  id: z.string().describe('what `retry` and `resolve` take'),
  kind: z.string(),
  contact,
  row,
  field,
  reason: z.string(),
});
const run = z.strictObject({
  name: z.string(),
  run: z.string(),
  status: z.enum(['succeeded', 'partial', 'held', 'failed']),
  counts: runCounts,
  cost,
  problems: z.array(problem),
  holds: z.array(z.string()).describe('why nothing was written'),
  approvable: z.string().nullable().describe('the run to name to `approve`'),
  stopped: z
    .strictObject({ left: count.describe('planned changes that were not begun'), done: count })
    .nullable()
    .describe('a signal ended it before all of its plan was begun'),
  error: z.string().nullable(),
});

/** @internal */
export const syncAnswer = z.strictObject({ syncs: z.array(run) });

const change = z.strictObject({
  side,
  op,
  contact,
  row,
  field,
  before: value.describe('what that side holds now; null also where it is not known'),
  after: value,
  rule: z.string(),
  reason: z.string(),
});

export const planAnswer = z.strictObject({
  syncs: z.array(
    run.extend({
      cost: cost.describe('what a run would cost'),
      changes: z.array(change),
      once_approved: z.array(change).describe('what leadsheet approve would let through, and no run does before'),
    }),
  ),
});

const used = z.strictObject({ used: count.describe('in the last minute'), per_minute: count });

export const statusAnswer = z.strictObject({
  daemon: z
    .strictObject({
      state: z.enum(['running', 'draining']),
      written_at: z.string().describe('ISO instant at which it told this'),
      budget: z.strictObject({ crm: used, sheet_reads: used, sheet_writes: used }),
    })
    .nullable()
    .describe('null: none is known to run'),
  syncs: z.array(
    z.strictObject({
      name: z.string(),
      last_run: z
        .strictObject({
          run: z.string(),
          status: z.string(),
          ended_at: z.string().describe('ISO instant'),
          reason: z.string().nullable().describe('why it failed or was held, if a daemon ran it'),
        })
        .nullable()
        .describe('the last one that had something to write, or the last of the daemon'),
      next_run: z.string().nullable().describe('ISO instant; null without a daemon'),
      lag_secs: count.nullable().describe('since a run of the daemon ended well; null without a daemon'),
      counts,
      held_run: z.string().nullable().describe('waits for `approve`'),
      requests: count.describe('decisions of people that the next run carries out'),
      problems: z.array(problem),
    }),
  ),
});

export const conflictsAnswer = z.strictObject({
  conflicts: z.array(
    z.strictObject({
      id: z.string().describe('what `resolve` takes'),
      sync: z.string(),
      contact: z.string(),
      row,
      field: z.string(),
      base: value.describe('what both last agreed on; null also where they never did'),
      crm: value,
      sheet: value,
      since: z.string().describe('ISO instant'),
    }),
  ),
});

export const logLine = z.strictObject({
  time: z.string().describe('ISO instant'),
  sync: z.string(),
  run: z.string(),
  side,
  op,
  contact,
  row,
  field,
  before: value,
  after: value,
  rule: z.string(),
  reason: z.string(),
  outcome: z.string(),
  message: z.string().optional().describe('why it did not succeed'),
});

export const enrolmentLine = z.strictObject({
  time: z.string().describe('ISO instant: when, or since when'),
  sync: z.string(),
  run: z.string().describe('empty: none yet'),
  contact: z.string().describe('uuid'),
  automation: z.string().describe('uuid'),
  name: z.string().nullable().describe('of the automation, as of the call'),
  state: z.enum(['waiting', 'intended', 'enrolled', 'skipped', 'refused', 'unknown', 'cancelling']),
  message: z.string().nullable().describe('the words of a refusal'),
});

/** @internal */
export const requestsAnswer = z.strictObject({
  requests: z.array(z.strictObject({ sync: z.string(), id: z.string().describe('of the record, or of the run') })),
});

/** @internal */
export const checkAnswer = z.strictObject({
  findings: z.array(
    z.strictObject({
      verdict: z.enum(['ok', 'warning', 'failed', 'skipped']),
      about: z.string(),
      what: z.string(),
      detail: z.string(),
    }),
  ),
});

/** By command, for docs. */
export const answers = {
  'sync, apply': syncAnswer,
  plan: planAnswer,
  check: checkAnswer,
  status: statusAnswer,
  log: logLine,
  'log --enrolments': enrolmentLine,
  conflicts: conflictsAnswer,
  'resolve, retry, approve': requestsAnswer,
} as const;

export function runToAnswer(report: RunReport): z.infer<typeof run> {
  return {
    name: report.sync,
    run: report.run,
    status: report.status,
    counts: { ...report.counts },
    cost: costToAnswer(report.cost),
    problems: report.problems.map(problemToAnswer),
    holds: report.holds.map(({ reason }) => reason),
    approvable: report.approvable ?? null,
    stopped: report.stopped ?? null,
    error: report.error ?? null,
  };
}

export function planToAnswer(report: PlanReport): z.infer<typeof planAnswer>['syncs'][number] {
  return {
    ...runToAnswer(report),
    cost: costToAnswer(report.estimate),
    changes: report.changes.flatMap(changeToAnswer),
    once_approved: (report.onceApproved ?? []).flatMap(changeToAnswer),
  };
}

function costToAnswer({ crmCalls, sheetReads, sheetWrites, seconds }: RunReport['cost']): z.infer<typeof cost> {
  return { crm_calls: crmCalls, sheet_reads: sheetReads, sheet_writes: sheetWrites, seconds };
}

export function problemToAnswer({ id, kind, uuid, row: number, field: name, reason }: LastRun['problems'][number]) {
  return { id, kind, contact: uuid, row: number, field: name, reason };
}

/** One line a field, as in the history. */
function changeToAnswer({ side: changed, op: done, uuid, row: number, ...whole }: Change): z.infer<typeof change>[] {
  const about = { side: changed, op: done, contact: uuid, row: number };
  if (whole.fields.length === 0) {
    return [{ ...about, field: null, before: null, after: null, rule: whole.rule, reason: whole.reason }];
  }
  return whole.fields.map(({ field: name, before, after, rule, reason }) => ({
    ...about,
    field: name,
    before: before ?? null,
    after,
    rule,
    reason,
  }));
}

export function conflictToAnswer(
  sync: string,
  conflict: OpenConflict,
): z.infer<typeof conflictsAnswer>['conflicts'][number] {
  const { base, crm, sheet, ...rest } = conflict;
  return { sync, ...rest, base: base ?? null, crm: crm ?? null, sheet: sheet ?? null };
}

export function enrolmentToAnswer(
  sync: string,
  key: string,
  { at, run: by, name, state, message }: LedgerEntry,
): z.infer<typeof enrolmentLine> {
  const { uuid, automation } = readLedgerKey(key);
  const time = new Date(at).toISOString();
  return { time, sync, run: by, contact: uuid, automation, name: name ?? null, state, message: message ?? null };
}

/** What else stands in a line is not for readers of the log. */
export function historyToAnswer(line: HistoryLine): z.infer<typeof logLine> {
  const known = Object.keys(logLine.shape).filter((name) => line[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, line[name]])) as z.infer<typeof logLine>;
}
