// Creates the job of a sync: run, plan and apply.
import type { SyncConfig } from '../../config/config.ts';
import type { SyncContext } from './context.ts';
import { scheduleIntervalMs } from '../interval.ts';
import { type Job, type JobDep, toJobContext } from '../job.ts';
import { chooseSaved } from './choose-saved.ts';
import { syncKind } from './kind.ts';
import { planSync, runSync } from './run.ts';
import { createShape } from './shape.ts';
import { planSyncUndo, undoSync } from './undo.ts';

export function createSyncJob(config: SyncConfig, dep: JobDep): Job {
  const { name, schedule, fullScan, settleMs, columns } = config;
  // Only M1 `newest` counts in intervals. The calendar takes as long as a tenth of an idle run with its start.
  const isCounted = columns.some(({ conflict }) => conflict === 'newest');
  const shape = createShape(config, isCounted ? scheduleIntervalMs(schedule, dep.now()) : Infinity);
  const context: SyncContext = {
    ...toJobContext(syncKind, name, shape.table, dep),
    config,
    shape,
    contacts: dep.crm.openContacts({
      fields: columns,
      ...(config.contacts.filter && { filter: config.contacts.filter }),
    }),
  };
  return {
    kind: syncKind,
    name,
    schedule,
    fullScan,
    settleMs,
    spreadsheetId: config.sheet.spreadsheetId,
    headerOf: (field) => columns.find(({ key }) => key === field)?.header ?? field,
    run: (request) => runSync(context, request),
    plan: (request) => planSync(context, request),
    planUndo: (undoing, request) => planSyncUndo(context, undoing, request),
    undo: (undoing, decided, request) => undoSync(context, undoing, decided, request),
    apply: (saved, request) =>
      runSync(context, { ...request, isFull: saved.isFull }, (changes, input) => chooseSaved(saved, changes, input)),
  };
}
