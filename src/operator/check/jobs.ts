// The checks of one job, by its kind, on both sides.
import type { JobConfig } from '../../config/jobs.ts';
import type { Crm } from '../../crm/port.ts';
import type { Sheets } from '../../sheets/port.ts';
import type { JobKind } from '../../engine/kind.ts';
import { checkContacts } from './contacts.ts';
import type { Finding } from './finding.ts';
import { checkRecords } from './records.ts';
import { checkSenders } from './senders.ts';
import { checkFeedTab, checkOutboxTab, checkTab, type FoundTab } from './tabs.ts';

/** The first check of `checkService`. */
export const askedOfService: Readonly<Record<JobKind, string>> = { sync: 'list', feed: 'records', outbox: 'senders' };

interface ServiceSide {
  readonly crm: Crm;
  readonly signal: AbortSignal;
}

export function checkServiceFor(job: JobConfig, side: ServiceSide): AsyncGenerator<Finding> {
  switch (job.kind) {
    case 'sync':
      return checkContacts(job.config, side);
    case 'feed':
      return checkRecords(job.config, side);
    case 'outbox':
      return checkSenders(job.config, side);
  }
}

/** Adds the tab to `tabs` if it exists. `known`: the reference of the tab in which the job works, whatever its name is. */
export function checkTabFor(
  job: JobConfig,
  sheets: Sheets,
  signal: AbortSignal,
  tabs: FoundTab[],
  known: string | undefined,
): AsyncGenerator<Finding> {
  switch (job.kind) {
    case 'sync':
      return checkTab(job.config, sheets, signal, tabs, known);
    case 'feed':
      return checkFeedTab(job.config, sheets, signal, tabs, known);
    case 'outbox':
      return checkOutboxTab(job.config, sheets, signal, tabs, known);
  }
}
