// Every page by the address that it answers.
import type { MakePage } from './page.ts';
import { auditPage, loginsPage, sessionsPage } from './pages/audit.ts';
import { budgetsFile, budgetsPage } from './pages/budgets.ts';
import { workersPage } from './pages/workers.ts';
import { configPage } from './pages/config.ts';
import { conflictsPage } from './pages/conflicts.ts';
import { enrolmentsPage } from './pages/enrolments.ts';
import { feedsPage } from './pages/feeds.ts';
import { heldPage } from './pages/held.ts';
import { jobPage } from './pages/job.ts';
import { jobsPage } from './pages/jobs.ts';
import { logPage } from './pages/log.ts';
import { outboxPage } from './pages/outbox.ts';
import { problemsPage } from './pages/problems.ts';
import { recordsPage } from './pages/records.ts';
import { runPage } from './pages/run.ts';
import { runsPage } from './pages/runs.ts';
import { undoPage } from './pages/undo.ts';

export const pages: Readonly<Record<string, MakePage>> = {
  '/': jobsPage,
  '/jobs/:name': jobPage,
  '/jobs/:name/held': heldPage,
  '/runs': runsPage,
  '/runs/:run': runPage,
  '/runs/:run/undo': undoPage,
  '/records': recordsPage,
  '/enrolments': enrolmentsPage,
  '/outbox': outboxPage,
  '/feeds': feedsPage,
  '/workers': workersPage,
  '/config': configPage,
  '/budgets': budgetsPage,
  '/budgets.json': budgetsFile,
  '/conflicts': conflictsPage,
  '/problems': problemsPage,
  '/log': logPage,
  '/audit': auditPage,
  '/audit/logins': loginsPage,
  '/audit/sessions': sessionsPage,
};
