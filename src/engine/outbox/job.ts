// Creates the job of an outbox: run, plan and apply.
import type { OutboxConfig } from '../../config/config.ts';
import { type Job, type JobDep, toJobContext } from '../job.ts';
import type { OutboxContext } from './context.ts';
import { outboxKind } from './kind.ts';
import { runOutbox } from './outbox.ts';
import { planOutboxRun } from './plan.ts';
import { savedMessages } from './saved.ts';
import { createOutboxShape } from './shape.ts';

export function createOutboxJob(config: OutboxConfig, dep: JobDep): Job {
  const { name, schedule, settleMs } = config;
  const shape = createOutboxShape(config);
  const { randomId, sheets } = dep;
  const context: OutboxContext = {
    ...toJobContext(outboxKind, name, shape.table, dep),
    config,
    shape,
    randomId,
    inspect: (signal) => sheets.inspect(shape.table, { signal }),
  };
  return {
    kind: outboxKind,
    name,
    schedule,
    settleMs,
    spreadsheetId: config.sheet.spreadsheetId,
    headerOf: shape.headerOf,
    run: (request) => runOutbox(context, request),
    plan: (request) => planOutboxRun(context, request),
    apply: (saved, request) => runOutbox(context, request, savedMessages(saved)),
  };
}
