// Prints the result of a run.
import { kinds } from '../../engine/kinds.ts';
import type { RunReport, Stopped } from '../../engine/report.ts';
import type { RunAnswer } from '../../operator/answers/runs.ts';
import { lineText } from '../../log/printable.ts';
import type { ProblemAnswer } from '../../operator/answers/shared.ts';
import { runToAnswer } from '../../operator/reports.ts';
import { countText, problemText } from '../../operator/words.ts';
import { columnOf } from '../../operator/problems.ts';
import { bad, hint, quiet, statusWord, strong, urgent } from './style.ts';

export function runText(report: RunReport): string {
  return runAnswerText(runToAnswer(report));
}

/** Prints the result of a run of the daemon. */
export function runAnswerText(answer: RunAnswer): string {
  const {
    name,
    kind,
    run,
    status,
    is_full: isFull,
    counts,
    cost,
    problems,
    holds,
    approvable,
    stopped,
    error,
  } = answer;
  const { fullScans, words } = kinds[kind];
  const calls = `${countText(cost.crm_calls, 'call')}, ${countText(cost.sheet_reads, 'read')} and ${countText(cost.sheet_writes, 'write')} of the sheet`;
  const head = `${strong(name)}: ${statusWord(status)}, run ${run}${isFull && fullScans === 'when asked' ? ', a full scan' : ''}, ${cost.seconds} s, ${calls}\n`;
  if (error !== null) return `${head}  ${bad(lineText(error))}\n`;
  if (holds.length > 0) {
    // G6: records that a person approved one by one were written.
    const done = doneText(kind, counts);
    const said = done === '' ? 'nothing was written' : `${done}; the rest is held`;
    const reasons = holds
      .map((reason, index) => `  ${urgent(`${said}: ${lineText(`${reason}${ruleText(answer.hold_rules[index])}`)}`)}\n`)
      .join('');
    const notLet = problemsText(problems.filter(({ rule }) => rule === 'G6'));
    const remedy =
      approvable === null ? '' : `  to let it through: ${hint(`leadsheet approve ${name} --run ${approvable}`)}\n`;
    return `${head}${reasons}${notLet}${remedy}`;
  }
  const wishes =
    approvable === null ? '' : `  to let ${words.approved}: ${hint(`leadsheet approve ${name} --run ${approvable}`)}\n`;
  const already =
    answer.already_done === 0 ? '' : `  already done: ${countText(answer.already_done, 'record')} of the plan\n`;
  return `${head}  ${countsText(answer)}\n${already}${stopped ? `  ${urgent(stoppedText(stopped))}\n` : ''}${problemsText(problems)}${wishes}`;
}

function ruleText(held: RunAnswer['hold_rules'][number] | undefined): string {
  return held ? ` (${held.rule_words}, ${held.rule})` : '';
}

const doneWords = {
  created: 'created',
  updated: 'updated',
  deleted: 'deleted',
  appended: 'appended',
  set: 'set',
  removed: 'removed',
  enrolled: 'enrolled',
  cancelled: 'asked to be taken out',
} as const;

function countsText({ counts, kind }: RunAnswer): string {
  const done = doneText(kind, counts);
  const linked = kinds[kind].words.linked(counts.linked);
  return done === '' ? `${linked}; nothing to do` : `${linked}; ${done}`;
}

/** The changes of a run on each side; empty: none. */
export function doneText(kind: RunReport['kind'], counts: RunReport['counts']): string {
  const { words } = kinds[kind];
  const done = (names: readonly (keyof typeof doneWords)[]) =>
    names.flatMap((name) => (counts[name] > 0 ? [`${counts[name]} ${doneWords[name]}`] : [])).join(', ');
  const parts = [
    ...(counts.sent > 0 ? [`messages: ${counts.sent} sent now`] : []),
    ...(done(['created', 'updated', 'deleted'])
      ? [`${words.records}: ${done(['created', 'updated', 'deleted'])}`]
      : []),
    ...(done(['appended', 'set', 'removed']) ? [`rows: ${done(['appended', 'set', 'removed'])}`] : []),
    ...(done(['enrolled', 'cancelled']) ? [`automations: ${done(['enrolled', 'cancelled'])}`] : []),
  ];
  return parts.join('; ');
}

/** The sentence for a run that was stopped (W8). */
export function stoppedText({ left, done }: Stopped): string {
  return `stopped before all of it was begun: ${left} left, ${done} done; the next run does the rest`;
}

/** The problems that a terminal shows: more are not read there. */
const urgentShown = 50;
const harmlessShown = 5;

/** Commands of one kind that are shown: the others differ in the id alone. */
const commandsShown = 3;

/** Problems in order of urgency. Advice that is the same for several problems of a kind stands once. */
export function problemsText(problems: readonly ProblemAnswer[]): string {
  const pressing = problems.filter((each) => each.needs_somebody);
  const harmless = problems.filter((each) => !each.needs_somebody);
  return (
    groupText(
      urgent(`${countText(pressing.length, 'problem needs', 'problems need')} somebody`),
      pressing,
      urgentShown,
    ) + groupText(`${harmless.length} waiting or left alone`, harmless, harmlessShown)
  );
}

function groupText(head: string, problems: readonly ProblemAnswer[], shown: number): string {
  if (problems.length === 0) return '';
  const lines = problems
    .slice(0, shown)
    .map(({ id, row, field, kind, reason, rule, rule_words: words }) => {
      const where = row === null || id === `row:${row}` ? '' : ` (row ${row})`;
      return `    ${lineText(columnOf({ id, field }) ?? id)}${where}: ${lineText(problemText({ kind, reason }))} ${quiet(`(${words}, ${rule})`)}\n`;
    })
    .join('');
  const more = problems.length - shown;
  const advice = [...Map.groupBy(problems, ({ kind }) => kind)]
    .map(([kind, ofKind]) => adviceText(kind, ofKind))
    .join('');
  return `  ${head}:\n${lines}${more > 0 ? `    and ${more} more; --json lists all\n` : ''}${advice}`;
}

function adviceText(kind: string, problems: readonly ProblemAnswer[]): string {
  const all = [...new Set(problems.map(({ advice }) => advice))];
  const lines = all.slice(0, commandsShown).map((each) => `    -> ${kind}: ${hint(lineText(each))}\n`);
  const more = all.length - commandsShown;
  return `${lines.join('')}${more > 0 ? `    -> ${kind}: ${more} more in the same way, each by its own id\n` : ''}`;
}
