// All answers by command. The types, the output of --json and docs/commands.md come from their schemas.
import { budgetsPage } from './budgets.ts';
import { cancelAnswer } from './cancel.ts';
import { checkAnswer } from './check.ts';
import { conflictsAnswer, requestsAnswer } from './conflicts.ts';
import { doctorAnswer } from './doctor.ts';
import { explainAnswer } from './explain.ts';
import { heldAnswer } from './held.ts';
import { decisionLine, enrolmentLine, logLine } from './history.ts';
import { initAnswer } from './init.ts';
import { enrolmentsPage, feedsPage, messagesPage } from './ledgers.ts';
import { consoleLinkTold } from './live.ts';
import { reloadAnswer } from './reload.ts';
import { planAnswer, runShownAnswer, runsAnswer, savedPlanAnswer, syncAnswer } from './runs.ts';
import { stateCheckAnswer, stateCopyAnswer, stateMigrateAnswer } from './state.ts';
import { statusAnswer } from './status.ts';
import { undoAnswer, undoPlanAnswer } from './undo.ts';
import { usersAnswer } from './users.ts';
import { workersAnswer } from './workers.ts';

/** By command, for the docs. */
export const answers = {
  'sync, apply': syncAnswer,
  plan: planAnswer,
  'plan --show': savedPlanAnswer,
  undo: undoPlanAnswer,
  'undo --yes': undoAnswer,
  check: checkAnswer,
  doctor: doctorAnswer,
  init: initAnswer,
  status: statusAnswer,
  reload: reloadAnswer,
  runs: runsAnswer,
  'runs show': runShownAnswer,
  log: logLine,
  'log, of a decision': decisionLine,
  'log --enrolments': enrolmentLine,
  explain: explainAnswer,
  enrolments: enrolmentsPage,
  outbox: messagesPage,
  feeds: feedsPage,
  budgets: budgetsPage,
  conflicts: conflictsAnswer,
  'resolve, retry, approve, refuse, pause, resume': requestsAnswer,
  cancel: cancelAnswer,
  'approve, of what is held': heldAnswer,
  'state check': stateCheckAnswer,
  'state copy': stateCopyAnswer,
  'state migrate': stateMigrateAnswer,
  'user list': usersAnswer,
  console: consoleLinkTold,
  workers: workersAnswer,
} as const;
