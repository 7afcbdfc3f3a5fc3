// Turns the reports of the engine into the answers of a run and a plan.
import { ruleWords } from '../engine/rule-words.ts';
import type { PlanReport, RunReport } from '../engine/report.ts';
import type { Change } from '../sync/change.ts';
import type { RuleId } from '../sync/rules.ts';
import type { ChangeAnswer, PlanAnswer, RunAnswer } from './answers/runs.ts';
import type { CostAnswer } from './answers/shared.ts';
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

export function costToAnswer({ crmCalls, sheetReads, sheetWrites, seconds }: RunReport['cost']): CostAnswer {
  return { crm_calls: crmCalls, sheet_reads: sheetReads, sheet_writes: sheetWrites, seconds };
}

/** One line a field, as in the history. */
function changeToAnswer({ side, op, uuid, row, fields, rule, reason }: Change): readonly ChangeAnswer[] {
  const about = { side, op, contact: uuid, row };
  if (fields.length === 0) return [{ ...about, field: null, before: null, after: null, ...ruleOf(rule), reason }];
  return fields.map(({ field, before, after, rule: by, reason: why }) => {
    return { ...about, field, before: before ?? null, after, ...ruleOf(by), reason: why };
  });
}

function ruleOf(rule: RuleId) {
  return { rule, rule_words: ruleWords[rule] };
}
