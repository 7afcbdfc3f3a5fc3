// All answers by command. The types, the output of --json and docs/commands.md come from their schemas.
import { checkAnswer } from './check.ts';
import { conflictsAnswer, requestsAnswer } from './conflicts.ts';
import { decisionLine, enrolmentLine, logLine } from './history.ts';
import { planAnswer, runShownAnswer, runsAnswer, syncAnswer } from './runs.ts';
import { statusAnswer } from './status.ts';
import { undoAnswer, undoPlanAnswer } from './undo.ts';

/** By command, for the docs. */
export const answers = {
  'sync, apply': syncAnswer,
  plan: planAnswer,
  undo: undoPlanAnswer,
  'undo --yes': undoAnswer,
  check: checkAnswer,
  status: statusAnswer,
  runs: runsAnswer,
  'runs show': runShownAnswer,
  log: logLine,
  'log, of a decision': decisionLine,
  'log --enrolments': enrolmentLine,
  conflicts: conflictsAnswer,
  'resolve, retry, approve': requestsAnswer,
} as const;
