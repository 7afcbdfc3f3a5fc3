// Tells what the status cell of a row says, from the state alone: no page reads a spreadsheet.
import type { SyncConfig } from '../../config/config.ts';
import { isStoredRun, type StoredProblem } from '../../engine/stored/run.ts';
import type { HistoryLine } from '../../state/port.ts';
import type { Link } from '../../sync/record/base.ts';
import { inSync, statusByRow } from '../../sync/status.ts';
import type { Operator } from '../operator.ts';
import type { Life } from './origin.ts';

export interface StatusInput {
  readonly job: string;
  readonly config: Pick<SyncConfig, 'sheet'>;
  /** Of the last run. */
  readonly problems: readonly StoredProblem[];
  readonly row: number | null;
  readonly link: Link | undefined;
  readonly life: Life | undefined;
}

/** Null: there is no such cell, or it is of a row that is not linked. Throws StateError. */
export async function statusText(
  { store }: Pick<Operator, 'store'>,
  { job, config: { sheet }, problems, row, link, life }: StatusInput,
): Promise<string | null> {
  if (sheet.statusHeader === undefined || row === null) return null;
  const open = statusByRow(problems).get(row);
  if (open !== undefined) return open;
  if (!link) return null;
  const undo = life && undoThatWrote(life.lines);
  if (!undo) return inSync;
  const hadProblem = await hadProblemSince({ store }, job, undo);
  return hadProblem ? inSync : `${inSync}: ${undo.reason}`;
}

interface UndoLine {
  readonly run: string;
  readonly contact: string;
  readonly reason: string;
}

/** S8: an undo says so in the rows that it writes. A later write to the row says "in sync" again, and one to the contact does not. */
function undoThatWrote(newestFirst: readonly HistoryLine[]): UndoLine | undefined {
  const last = newestFirst.find(({ side, rule, outcome }) => outcome === 'done' && (side === 'sheet' || rule === 'S4'));
  if (last?.['rule'] !== 'S4' || typeof last['reason'] !== 'string') return undefined;
  return { run: last.run, contact: String(last['contact']), reason: last['reason'] };
}

/** Reports of one question, and questions. A job that left more reports since is taken for one without a problem of the row. */
const [reportsMax, looksMax] = [100, 5];

/** A problem replaces the text of an undo, and its end leaves "in sync" without a line of the history. */
async function hadProblemSince(
  { store }: Pick<Operator, 'store'>,
  job: string,
  { run, contact }: UndoLine,
): Promise<boolean> {
  let after;
  for (let looks = 0; looks < looksMax; looks += 1) {
    const page = await store.runsPage({ jobs: [job], limit: reportsMax, ...(after && { after }) });
    for (const { place, record } of page.runs) {
      after = place;
      if (!isStoredRun(record)) continue;
      // The undo itself may have left a part of the record as it was.
      if (record.problems.some(({ uuid, row }) => uuid === contact && row !== null)) return true;
      if (record.run === run) return false;
    }
    if (!page.hasMore) return false;
  }
  return false;
}
