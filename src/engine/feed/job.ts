// A feed as a job.
import type { FeedConfig } from '../../config/config.ts';
import { type Job, type JobDep, toJobContext } from '../job.ts';
import type { FeedContext } from './context.ts';
import { planFeedRun, runFeed } from './feed.ts';
import { feedKind } from './kind.ts';
import { createFeedShape } from './shape.ts';
import { planFeedRunUndo, undoFeed } from './undo.ts';

export function createFeedJob(config: FeedConfig, dep: JobDep): Job {
  const { name, schedule, columns } = config;
  const shape = createFeedShape(config);
  const context: FeedContext = {
    ...toJobContext(feedKind, name, shape.table, dep),
    config,
    shape,
    inspect: (signal) => dep.sheets.inspect(shape.table, { signal }),
  };
  return {
    kind: feedKind,
    name,
    schedule,
    // A wish to start or stop an automation is one word, and taken at once (E7).
    settleMs: 0,
    spreadsheetId: config.sheet.spreadsheetId,
    headerOf: (field) => columns.find(({ key }) => key === field)?.header ?? field,
    run: (request) => runFeed(context, request),
    plan: (request) => planFeedRun(context, request),
    planUndo: (undoing, request) => planFeedRunUndo(context, undoing, request),
    undo: (undoing, decided, request) => undoFeed(context, undoing, decided, request),
  };
}
