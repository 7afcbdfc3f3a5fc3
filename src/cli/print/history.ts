// Prints one line of the history, or of the ledger.
import { lineText } from '../../log/printable.ts';
import type { ChangeLine, DecisionLine, EnrolmentLine } from '../../operator/answers/history.ts';
import { valueText } from '../../operator/words.ts';
import { takenText } from './decisions.ts';
import { recordText, timeText } from './lines.ts';
import { bad, changeOf, quiet } from './style.ts';

export function historyText(line: ChangeLine | DecisionLine): string {
  const text = 'decision' in line ? takenText(line) : changeText(line);
  return `${quiet(timeText(line.time))}  ${line.sync}  ${text}\n`;
}

function changeText({ side, op, contact, row, field, before, after, ...line }: ChangeLine): string {
  const values =
    field === null ? enrolledText(line) : `  ${lineText(field)}: ${changeOf(valueText(before), valueText(after))}`;
  const { outcome, message = '', rule, rule_words: words, reason } = line;
  const record = `${side} ${op}  ${recordText(contact, row)}${values}`;
  return outcome === 'done'
    ? `${record} ${quiet(`(${lineText(reason)}, ${rule})`)}`
    : `${record} ${quiet(`(${lineText(reason)}; ${words}, ${rule})`)} ${bad(`${outcome.toUpperCase()}: ${lineText(message)}`)}`;
}

/** The end of a line about a step of the ledger: "  enrolled in Welcome". */
function enrolledText({ state, automation, automation_name: name }: Partial<ChangeLine>): string {
  return state === undefined ? '' : `  ${lineText(`${stateWords[state]} ${name ?? automation ?? ''}`)}`;
}

const stateWords: Readonly<Record<EnrolmentLine['state'], string>> = {
  waiting: 'waits for',
  intended: 'unknown whether in',
  enrolled: 'enrolled in',
  skipped: 'was already in',
  refused: 'refused by',
  unknown: 'unknown whether in',
  cancelling: 'cancelling from',
  cancelled: 'cancelled before it was put into',
};

/** One entry of the ledger. */
export function enrolmentText(line: EnrolmentLine): string {
  const { time, sync, contact, state, name, automation, run, message } = line;
  const words = [stateWords[state], name ?? automation, run && `(${run})`, message && `: ${message}`].filter(Boolean);
  return `${quiet(timeText(time))}  ${sync}  ${lineText(`${contact}  ${words.join(' ')}`)}\n`;
}
