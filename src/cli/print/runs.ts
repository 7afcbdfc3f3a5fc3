// Runs that are over, for people: a line each, or one with all that it changed.
import { lineText } from '../../log/printable.ts';
import type { RunLineAnswer, RunsAnswer, RunShownAnswer } from '../../operator/answers/runs.ts';
import { countText } from '../../operator/words.ts';
import { historyText } from './history.ts';
import { columnsText, timeText } from './lines.ts';
import { doneText, problemsText, stoppedText } from './run.ts';
import { bad, hint, quiet, statusWord, strong, urgent } from './style.ts';

export function runsText({ runs }: RunsAnswer): string {
  if (runs.length === 0) return 'no run has left a report yet\n';
  return columnsText(
    runs.map((run) => [
      quiet(timeText(run.ended_at)),
      run.name,
      run.run,
      statusWord(run.status),
      lineText(summaryOf(run)),
    ]),
  );
}

function summaryOf({ error, holds, kind, counts }: RunLineAnswer): string {
  if (error !== null) return error;
  if (holds.length > 0) return holds.join('; ');
  return doneText(kind, counts) || 'nothing to do';
}

export function runShownText(run: RunShownAnswer): string {
  const { name, kind, status, started_at: from, ended_at: to, is_full: isFull, counts, cost, holds, approvable } = run;
  const calls = `${countText(cost.crm_calls, 'call')}, ${countText(cost.sheet_reads, 'read')} and ${countText(cost.sheet_writes, 'write')} of the sheet`;
  return [
    `${strong(name)}: ${statusWord(status)}, run ${run.run}${isFull && kind === 'sync' ? ', a full scan' : ''}\n`,
    `  from ${timeText(from)} to ${timeText(to)}, ${cost.seconds} s, ${calls}\n`,
    run.error === null ? `  ${doneText(kind, counts) || 'nothing to do'}\n` : `  ${bad(lineText(run.error))}\n`,
    run.stopped === null ? '' : `  ${urgent(stoppedText(run.stopped))}\n`,
    ...holds.map((reason) => `  ${urgent(`held: ${lineText(reason)}`)}\n`),
    approvable === null
      ? ''
      : `  to let it through, while it is held: ${hint(`leadsheet approve ${name} --run ${approvable}`)}\n`,
    problemsText(run.problems),
    ...run.changes.map(historyText),
  ].join('');
}
