// Turns the reports of the engine into the answers of a run and a plan.
import { ruleWords } from '../engine/rule-words.ts';
import type { PlanReport, RunReport } from '../engine/report.ts';
import type { ChangeOp } from '../sync/change.ts';
import type { Side } from '../sync/value/value.ts';
import type { ChangeAnswer, PlanAnswer, RunAnswer, SavedPlanAnswer } from './answers/runs.ts';
import type { CostAnswer } from './answers/shared.ts';
import type { PlanFileShown } from './plan-file.ts';
import { problemToAnswer } from './problems.ts';

export function runToAnswer(report: RunReport): RunAnswer {
  return {
    name: report.sync,
    kind: report.kind,
    run: report.run,
    status: report.status,
    is_full: report.isFull,
    counts: { ...report.counts },
    cost: costToAnswer(report.cost),
    problems: report.problems.map(problemToAnswer),
    holds: report.holds.map(({ reason }) => reason),
    hold_rules: report.holds.map(({ rule }) => ruleOf(rule)),
    approvable: report.approvable ?? null,
    stopped: report.stopped ?? null,
    already_done: report.alreadyDone ?? 0,
    error: report.error ?? null,
  };
}

export function planToAnswer(report: PlanReport): PlanAnswer {
  return {
    ...runToAnswer(report),
    cost: costToAnswer(report.estimate),
    changes: report.changes.flatMap(changeToAnswer),
    once_approved: (report.onceApproved ?? []).flatMap(changeToAnswer),
  };
}

export function planFileToAnswer({ madeAt, plans }: PlanFileShown): SavedPlanAnswer {
  return {
    made_at: madeAt,
    plans: plans.map(({ plan: { sync, run, isFull, changes } }) => {
      return { name: sync, run, is_full: isFull, changes: changes.flatMap(changeToAnswer) };
    }),
  };
}

export function costToAnswer({ crmCalls, sheetReads, sheetWrites, seconds }: RunReport['cost']): CostAnswer {
  return { crm_calls: crmCalls, sheet_reads: sheetReads, sheet_writes: sheetWrites, seconds };
}

/** A change of a plan, also of one that was saved: its rule may be one that this version does not know. */
interface PlannedChange {
  readonly side: Side;
  readonly op: ChangeOp;
  readonly uuid: string | null;
  readonly row: number | null;
  readonly fields: readonly {
    readonly field: string;
    readonly before?: ChangeAnswer['before'] | undefined;
    readonly after: ChangeAnswer['after'];
    readonly rule: string;
    readonly reason: string;
  }[];
  readonly rule: string;
  readonly reason: string;
}

/** One line a field, as in the history. */
function changeToAnswer({ side, op, uuid, row, fields, rule, reason }: PlannedChange): readonly ChangeAnswer[] {
  const about = { side, op, contact: uuid, row };
  if (fields.length === 0) return [{ ...about, field: null, before: null, after: null, ...ruleOf(rule), reason }];
  return fields.map(({ field, before, after, rule: by, reason: why }) => {
    return { ...about, field, before: before ?? null, after, ...ruleOf(by), reason: why };
  });
}

export function ruleOf(rule: string) {
  return { rule, rule_words: (ruleWords as Readonly<Record<string, string>>)[rule] ?? '' };
}
