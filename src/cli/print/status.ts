// Prints how each sync, feed and outbox stands.
import { lineText } from '../../log/printable.ts';
import type { StandingAnswer, StatusAnswer } from '../../operator/answers/status.ts';
import { type Refusal, refusalsOf, refusalWords } from '../../operator/refusals.ts';
import { approvalOf, givenAgain, whenCarriedOut } from '../../operator/decide.ts';
import { countText } from '../../operator/words.ts';
import { waitingText } from './decisions.ts';
import { timeText } from './lines.ts';
import { durationText, progressText } from './progress.ts';
import { problemsText, stoppedText } from './run.ts';
import { bad, hint, quiet, statusWord, strong, urgent } from './style.ts';

export function statusText(answer: StatusAnswer): string {
  const { syncs, daemon, last_daemon: last, daemon_notice: notice } = answer;
  const line = daemon ? daemonText(daemon) : notice === null ? noDaemonText(last) : 'the daemon could not be asked\n';
  const accounts = Map.groupBy(syncs, ({ account }) => account);
  const jobs = [...accounts].map(([name, own]) => {
    const head = accounts.size < 2 ? '' : `${quiet(`account ${name}`)}\n`;
    const refusals = refusalsOf(own);
    const told = new Set(refusals.flatMap(({ jobs: names }) => names));
    const text = own.map((each) => standingText(each, told.has(each.name))).join('');
    return `${head}${refusals.map(refusalText).join('')}${text}`;
  });
  return jobs.join('') + configurationText(answer) + line;
}

function refusalText(refusal: Refusal): string {
  const { what, remedy } = refusalWords(refusal);
  const command = 'leadsheet reload';
  return `${bad(what)}; ${remedy.replace(command, hint(command))}\n  ${bad(lineText(refusal.reason))}\n`;
}

/** Lists jobs that do not run, and a changed file that was not taken up. */
function configurationText({ left_out: leftOut, refused_configuration: refused }: StatusAnswer): string {
  const out = leftOut.map(({ kind, name, reason, jobs }) => {
    const affected = kind === 'job' || jobs.length === 0 ? '' : ` (${countText(jobs.length, 'job')})`;
    return `${bad(`${kind} ${lineText(name)} is left out`)}${affected}: ${lineText(reason)}\n`;
  });
  const problems = (refused?.problems ?? []).map((problem) => `  ${lineText(problem)}\n`).join('');
  const why = refused
    ? `${bad(`the file of ${timeText(refused.at)} was not taken up, the old one is in force`)}:\n${problems}`
    : '';
  const remedy =
    out.length > 0 || refused
      ? `all faults: ${hint('leadsheet check')}; after a correction: ${hint('leadsheet reload')}\n`
      : '';
  return `${out.join('')}${why}${remedy}`;
}

/** `isReasonTold`: with the account. */
function standingText(standing: StandingAnswer, isReasonTold: boolean): string {
  const { name, kind, last_run: run, next_run: next, lag_secs: lag, counts, held_run: held, decisions } = standing;
  const isStopped = standing.phase === 'stopped' && standing.running === null;
  const parts = [
    statusWord(isStopped ? 'stopped' : held === null ? (run?.status ?? 'has not run yet') : 'held'),
    ...(run ? [`last run ${run.run}, ended ${timeText(run.ended_at)}`] : []),
    ...(next === null ? [] : [`next ${timeText(next)}`]),
    ...(lag === null ? [] : [`in sync ${durationText(lag)} ago`]),
  ];
  const remedy = isStopped && !isReasonTold ? `  it runs no more: do what this says, then leadsheet reload\n` : '';
  const open = Object.entries(counts).flatMap(([what, count]) => {
    if (count === 0 && what !== 'linked') return [];
    if (what === 'linked' && kind === 'outbox') return [`${count} sent`];
    if (what === 'held') return heldCounts(standing.problems, count);
    return [`${count} ${count === 1 && what === 'conflicts' ? 'conflict' : what}`];
  });
  // The reason for the hold follows, with what to do.
  const reason =
    run?.reason && !isReasonTold && !(run.status === 'held' && held !== null) ? `  ${bad(lineText(run.reason))}\n` : '';
  const stopped = run?.stopped ? `  ${urgent(stoppedText(run.stopped))}\n` : '';
  return `${strong(name)}: ${parts.join('; ')}\n${runningText(standing.running)}  ${open.join(', ')}\n${reason}${remedy}${stopped}${pausedText(standing)}${heldText(standing)}${decisionsText(decisions)}${earlierText(standing)}${problemsText(standing.problems)}`;
}

/** L12: a plan that is held may have ended some of them. */
function earlierText({ problems_of: run }: StandingAnswer): string {
  return run === null ? '' : `  ${quiet(`as run ${run} told them, before this; some may be over:`)}\n`;
}

const heldKinds: readonly string[] = ['held', 'refused', 'unreadable', 'failed', 'unknown'];

/** The count has all of these kinds. Only what is held waits for an approval, so each is told by its own word. */
function heldCounts(problems: StandingAnswer['problems'], count: number): readonly string[] {
  const kinds = problems.map(({ kind }) => kind).filter((kind) => heldKinds.includes(kind));
  if (kinds.length !== count) return [`${count} held or refused`];
  const words = { unknown: 'of unknown outcome' } as Readonly<Record<string, string>>;
  return heldKinds.flatMap((kind) => {
    const own = kinds.filter((each) => each === kind).length;
    return own === 0 ? [] : [`${own} ${words[kind] ?? kind}`];
  });
}

function runningText(running: StandingAnswer['running']): string {
  if (running === null) return '';
  const { run, started_at: since, is_full: isFull, step, done, total, per_second: rate } = running;
  const now = step === null || done === null ? 'begins' : progressText({ step, done, total, rate: rate ?? 0 });
  return `  running: ${now}; run ${run}${isFull ? ', a full scan' : ''}, since ${timeText(since)}\n`;
}

const waits = { writes: 'nothing is written', enrolments: 'nobody is enrolled', messages: 'messages wait' } as const;

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
  decisions,
}: StandingAnswer): string {
  if (run === null || what === null) return '';
  const approval = approvalOf(run, decisions);
  if (no && approval === 'none') {
    const why = reasons.map((each) => `  ${urgent(`held: ${lineText(each)}`)}\n`).join('');
    return `${why}  refused by ${lineText(no.by)} on ${timeText(no.at)}: change the cause (${hint(`leadsheet plan ${name}`)}), or after all ${hint(`leadsheet approve ${name} --run ${run}`)}\n`;
  }
  const why = reasons.map((each) => `  ${urgent(`${waits[what]}: ${lineText(each)}`)}\n`).join('');
  if (approval === 'whole') return `${why}  it is approved, and the next run carries it out\n`;
  const it = approval === 'some' ? 'the rest of it' : 'it';
  return `${why}  to let ${it} through: ${hint(`leadsheet approve ${name} --run ${run}`)}\n`;
}

/** The problems that a terminal shows: more are not read there. */
const decisionsShown = 20;

function decisionsText(decisions: StandingAnswer['decisions']): string {
  if (decisions.length === 0) return '';
  const shown = decisions.slice(0, decisionsShown).map((each) => `    ${namedText(each)}\n`);
  const more = decisions.length - shown.length;
  const rest = more > 0 ? `    and ${more} more; --json lists all\n` : '';
  const isForRun = decisions.every((each) => whenCarriedOut(each) !== givenAgain);
  const what = isForRun ? 'for the next run to carry out' : 'that no run has carried out yet';
  return `  ${countText(decisions.length, 'decision')} ${what}\n${shown.join('')}${rest}`;
}

/** Decisions of other kinds name what they are about. */
const ofRecords: ReadonlySet<string> = new Set(['resolve', 'retry', 'cancel']);

/** With the record: `status` is about a whole job. */
function namedText(decision: StandingAnswer['decisions'][number]): string {
  const { decision: kind, id, text } = decision;
  const isNamed = !ofRecords.has(kind) || text === null || text.includes(id);
  return `${isNamed ? '' : `${lineText(id)}: `}${waitingText(decision)}`;
}

function noDaemonText(last: StatusAnswer['last_daemon']): string {
  if (!last) return `${quiet('no daemon is known to run: leadsheet run starts one')}\n`;
  const { pid, end, at } = last;
  const how = end === 'ended' ? `ended ${timeText(at)}` : `was killed; its last sign is of ${timeText(at)}`;
  return `no daemon runs (the last one, process ${pid}, ${how}): leadsheet run starts one\n`;
}

function daemonText(daemon: NonNullable<StatusAnswer['daemon']>): string {
  const { crm, sheet_reads: reads, sheet_writes: writes, drive } = daemon.budget;
  const share = ({ used, per_minute: most }: typeof crm, what: string) => `${used} of ${most} ${what}`;
  const told = daemon.told === 'now' ? '' : ` as of ${timeText(daemon.written_at)}`;
  const asked = drive ? `, ${share(drive, 'questions to Drive')}` : '';
  return `the daemon is ${daemon.state}${told}; in the last minute ${share(crm, 'calls')}, ${share(reads, 'reads')}, ${share(writes, 'writes')}${asked}\n`;
}
