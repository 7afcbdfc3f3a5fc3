// Prints decisions: when recorded, while they wait, and in the history.
import { lineText } from '../../log/printable.ts';
import type { CancelAnswer } from '../../operator/answers/cancel.ts';
import type { RequestsAnswer } from '../../operator/answers/conflicts.ts';
import type { DecisionLine } from '../../operator/answers/history.ts';
import type { DecisionAnswer } from '../../operator/answers/shared.ts';
import { commandText } from '../../operator/explain/commands.ts';
import { plannedText, problemText, valueText, whyVoid } from '../../operator/words.ts';
import { timeText } from './lines.ts';
import { bad, quiet } from './style.ts';

export function requestsText({ requests }: RequestsAnswer): string {
  return requests.map(({ sync, text }) => `${sync}: ${lineText(text ?? '')}; the next run carries it out\n`).join('');
}

/** S8: an approved undo waits for the person who gives it again. */
export function approvedUndoText({ requests }: RequestsAnswer, undoes: string): string {
  return requests
    .map(({ sync, text }) => `${sync}: ${lineText(text ?? '')}: ${commandText('undo', undoes)}\n`)
    .join('');
}

export function cancelText({ cancels }: CancelAnswer): string {
  return cancels.map(({ sync, said }) => `${sync}: ${lineText(said)}\n`).join('');
}

export function refusedText({ requests }: RequestsAnswer): string {
  return requests
    .map(({ sync }) => `${sync}: refused; it stays held until its cause is changed: leadsheet plan ${sync} shows it\n`)
    .join('');
}

export function pauseText({ requests }: RequestsAnswer): string {
  return requests
    .map(({ sync, text }) => `${sync}: ${lineText(text ?? '')}; to end it: leadsheet resume ${sync}\n`)
    .join('');
}

export function resumeText({ requests }: RequestsAnswer): string {
  return requests.map(({ sync }) => `${sync}: resumed; it runs by its schedule again\n`).join('');
}

/** A decision that waits for the next run, and who made it. */
export function waitingText({ decision, id, text, ...origin }: DecisionAnswer): string {
  return `${decision} ${lineText(text ?? id)} ${quiet(`(${whoText(origin)})`)}`;
}

/** A decision that a run took up, with who made it and what they saw. */
export function takenText({ decision, id, contact, text, seen, ...line }: DecisionLine): string {
  const what = contact === null || (text?.includes(id) ?? false) ? '' : `  ${lineText(id)}`;
  const saw = seen ? `; saw ${seenText(seen)}` : '';
  const came = line.outcome === 'void' ? ` ${bad(`NOTHING CAME OF IT: ${whyVoid(decision)}`)}` : '';
  return `decision ${decision}${what}  ${lineText(text ?? id)} ${quiet(`(${whoText({ ...line, at: line.decided_at })}${saw})`)}${came}`;
}

const throughText = { cli: 'the command line', console: 'the console', hook: 'a hook' } as const;

function whoText({ by, at, through }: Pick<DecisionAnswer, 'by' | 'at' | 'through'>): string {
  if (by === null || at === null || through === null) return 'recorded by an earlier version, which kept no name';
  return `by ${lineText(by)}, ${timeText(at)}, through ${throughText[through]}`;
}

function seenText({
  counts,
  reasons,
  base,
  crm,
  sheet,
  problems,
  state,
  status,
}: NonNullable<DecisionLine['seen']>): string {
  if (state !== undefined) return state;
  if (status !== undefined) return status === null ? 'no run yet' : `the last run ${status}`;
  if (problems)
    return (
      problems.map(({ kind, rule, reason }) => lineText(`${problemText({ kind, reason })} (${rule})`)).join('; ') ||
      'no problem'
    );
  if (!counts)
    return `agreed ${base === undefined ? 'not known' : valueText(base)}, crm ${valueText(crm)}, sheet ${valueText(sheet)}`;
  return [plannedText(counts), ...(reasons ?? []).map(lineText)].filter((part) => part !== '').join(', ');
}
