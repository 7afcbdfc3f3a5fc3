// Prints how each sync, feed and outbox stands.
import { lineText } from '../../log/printable.ts';
import type { StandingAnswer, StatusAnswer } from '../../operator/answers/status.ts';
import { countText } from '../../operator/words.ts';
import { waitingText } from './decisions.ts';
import { timeText } from './lines.ts';
import { durationText } from './progress.ts';
import { problemsText, stoppedText } from './run.ts';

export function statusText(answer: StatusAnswer): string {
  return answer.syncs.map(standingText).join('') + daemonText(answer);
}

function standingText(standing: StandingAnswer): string {
  const { name, kind, last_run: run, next_run: next, lag_secs: lag, counts, held_run: held, decisions } = standing;
  const parts = [
    held === null ? (run?.status ?? 'has not run yet') : 'held',
    ...(run ? [`last run ${run.run}, ended ${timeText(run.ended_at)}`] : []),
    ...(next === null ? [] : [`next ${timeText(next)}`]),
    ...(lag === null ? [] : [`in sync ${durationText(lag)} ago`]),
  ];
  const open = Object.entries(counts).flatMap(([what, count]) => {
    if (count === 0 && what !== 'linked') return [];
    if (what === 'linked' && kind === 'outbox') return [`${count} sent`];
    return [`${count} ${count === 1 && what === 'conflicts' ? 'conflict' : what}`];
  });
  const reason = run?.reason ? `  ${lineText(run.reason)}\n` : '';
  const stopped = run?.stopped ? `  ${stoppedText(run.stopped)}\n` : '';
  return `${name}: ${parts.join('; ')}\n  ${open.join(', ')}\n${reason}${stopped}${pausedText(standing)}${heldText(standing)}${decisionsText(decisions)}${problemsText(standing.problems)}`;
}

const waits = { writes: 'nothing is written', enrolments: 'nobody is enrolled', messages: 'nothing is sent' } as const;

/** Why the job is not run by itself. */
function pausedText({ name, paused }: StandingAnswer): string {
  if (paused === null) return '';
  const why = paused.reason === null ? '' : ` (${lineText(paused.reason)})`;
  const end = paused.until === null ? '' : `, until ${timeText(paused.until)}`;
  return `  paused by ${lineText(paused.by)} since ${timeText(paused.at)}${why}${end}: leadsheet resume ${name}\n`;
}

function heldText({
  name,
  held_run: run,
  held_reasons: reasons,
  held_what: what,
  held_refused: no,
}: StandingAnswer): string {
  if (run === null || what === null) return '';
  if (no) {
    const why = reasons.map((each) => `  held: ${lineText(each)}\n`).join('');
    return `${why}  refused by ${lineText(no.by)} on ${timeText(no.at)}: change the cause (leadsheet plan ${name}), or after all leadsheet approve ${name} --run ${run}\n`;
  }
  const why = reasons.map((each) => `  ${waits[what]}: ${lineText(each)}\n`).join('');
  return `${why}  to let it through: leadsheet approve ${name} --run ${run}\n`;
}

/** More than a person reads at a terminal. */
const decisionsShown = 20;

function decisionsText(decisions: StandingAnswer['decisions']): string {
  if (decisions.length === 0) return '';
  const shown = decisions.slice(0, decisionsShown).map((each) => `    ${waitingText(each)}\n`);
  const more = decisions.length - shown.length;
  const rest = more > 0 ? `    and ${more} more; --json lists all\n` : '';
  return `  ${countText(decisions.length, 'decision')} for the next run to carry out\n${shown.join('')}${rest}`;
}

function daemonText({ daemon, daemon_lost: isLost }: StatusAnswer): string {
  if (!daemon) {
    const how = isLost ? 'the daemon is gone, and nobody stopped it' : 'no daemon is known to run';
    return `${how}: leadsheet run starts one\n`;
  }
  const { crm, sheet_reads: reads, sheet_writes: writes } = daemon.budget;
  const share = ({ used, per_minute: most }: typeof crm, what: string) => `${used} of ${most} ${what}`;
  return `the daemon is ${daemon.state}; in the last minute ${share(crm, 'calls')}, ${share(reads, 'reads')}, ${share(writes, 'writes')}\n`;
}
