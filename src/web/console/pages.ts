// Every page by the address that it answers.
import type { Page, PageContext } from './page.ts';
import { auditPage, loginsPage, sessionsPage } from './pages/audit.ts';
import { conflictsPage } from './pages/conflicts.ts';
import { jobPage } from './pages/job.ts';
import { jobsPage } from './pages/jobs.ts';
import { logPage } from './pages/log.ts';
import { problemsPage } from './pages/problems.ts';
import { recordsPage } from './pages/records.ts';
import { runPage } from './pages/run.ts';
import { runsPage } from './pages/runs.ts';

export const pages: Readonly<Record<string, (context: PageContext) => Promise<Page>>> = {
  '/': jobsPage,
  '/jobs/:name': jobPage,
  '/runs': runsPage,
  '/runs/:run': runPage,
  '/records': recordsPage,
  '/conflicts': conflictsPage,
  '/problems': problemsPage,
  '/log': logPage,
  '/audit': auditPage,
  '/audit/logins': loginsPage,
  '/audit/sessions': sessionsPage,
};
