// Turns problems into answers: the reason, the rule in words, and what to do.
import { ruleWords } from '../engine/rule-words.ts';
import type { StoredProblem } from '../engine/stored/run.ts';
import { isHarmless } from '../sync/status.ts';
import { type AdvisedJob, adviceFor } from './advice.ts';
import type { ProblemAnswer } from './answers/shared.ts';

export function problemToAnswer(problem: StoredProblem, job: AdvisedJob): ProblemAnswer {
  const { id, kind, uuid, row, field, rule, reason } = problem;
  const about = { id, kind, contact: uuid, row, field, rule, rule_words: ruleWords[rule], reason };
  return { ...about, needs_somebody: !isHarmless(kind), advice: adviceFor(problem, job) };
}
