// One line of the history, for people.
import type { LedgerEntry } from '../../sync/record/ledger.ts';
import type { enrolmentToAnswer } from '../answers.ts';
import type { HistoryLine } from '../../state/port.ts';
import { lineText } from '../../log/printable.ts';
import { recordText, timeText, valueText } from './lines.ts';

export function historyText({ time, sync, side, op, contact, row, field, ...rest }: HistoryLine): string {
  const record = recordText(contact, typeof row === 'number' ? row : null);
  const isField = typeof field === 'string';
  const what = isField ? ` ${lineText(field)}: ${valueText(rest['before'])} -> ${valueText(rest['after'])}` : '';
  const outcome =
    rest['outcome'] === 'done' ? '' : ` ${textOf(rest['outcome']).toUpperCase()}: ${textOf(rest['message'])}`;
  const why = `(${textOf(rest['reason'])}, ${textOf(rest['rule'])})`;
  return `${timeText(time)}  ${sync}  ${textOf(side)} ${textOf(op)}  ${record} ${what} ${why}${outcome}\n`.replaceAll(
    / {3,}/g,
    '  ',
  );
}

const stateWords: Readonly<Record<LedgerEntry['state'], string>> = {
  waiting: 'waits for',
  intended: 'unknown whether in',
  enrolled: 'enrolled in',
  skipped: 'was already in',
  refused: 'refused by',
  unknown: 'unknown whether in',
  cancelling: 'cancelling from',
};

/** One entry of the ledger, for people. */
export function enrolmentText(line: ReturnType<typeof enrolmentToAnswer>): string {
  const { time, sync, contact, state, name, automation, run, message } = line;
  const words = [stateWords[state], name ?? automation, run && `(${run})`, message && `: ${message}`].filter(Boolean);
  return `${timeText(time)}  ${sync}  ${lineText(`${contact}  ${words.join(' ')}`)}\n`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? lineText(value) : '';
}
