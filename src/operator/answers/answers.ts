// All answers by command. The types, the output of --json and docs/commands.md come from their schemas.
import { checkAnswer } from './check.ts';
import { conflictsAnswer, requestsAnswer } from './conflicts.ts';
import { explainAnswer } from './explain.ts';
import { decisionLine, enrolmentLine, logLine } from './history.ts';
import { planAnswer, runShownAnswer, runsAnswer, syncAnswer } from './runs.ts';
import { statusAnswer } from './status.ts';

/** By command, for the docs. */
export const answers = {
  'sync, apply': syncAnswer,
  plan: planAnswer,
  check: checkAnswer,
  status: statusAnswer,
  runs: runsAnswer,
  'runs show': runShownAnswer,
  log: logLine,
  'log, of a decision': decisionLine,
  'log --enrolments': enrolmentLine,
  explain: explainAnswer,
  conflicts: conflictsAnswer,
  'resolve, retry, approve': requestsAnswer,
} as const;
