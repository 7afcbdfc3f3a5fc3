// Prints why a record is as it is: first what it is and how it stands, then its values, then what is open.
import { lineText } from '../../log/printable.ts';
import type {
  ExplainAnswer,
  ExplainedEnrolment,
  ExplainedField,
  ExplainedMessage,
  ExplainedProblem,
  ExplainedRecord,
  Hit,
  Known,
  Remedy,
} from '../../operator/answers/explain.ts';
import { countText, knownText, problemText, valueText } from '../../operator/words.ts';
import { waitingText } from './decisions.ts';
import { columnsText, timeText } from './lines.ts';

export function explainText({ reference, hits, records }: ExplainAnswer): string {
  if (hits.length > 0) return hitsText(reference, hits);
  return records.map(recordText).join('\n');
}

function hitsText(reference: string, hits: readonly Hit[]): string {
  const rows = hits.map(({ job, name, row, command }) => [
    lineText(name),
    row === null ? job : `${job}, row ${row}`,
    lineText(command),
  ]);
  return `${lineText(reference)} is ${countText(hits.length, 'record')}; say which:\n${columnsText(rows, '  ')}`;
}

function recordText(record: ExplainedRecord): string {
  const { job, id, name, row, standing, status, last_run: run, fields } = record;
  const [only] = fields;
  const head = [
    [row === null ? job : `${job}, row ${row}`, lineText(standing)],
    ...(id === null || id === name ? [] : [['id', lineText(id)]]),
    ...(status === null ? [] : [['status cell', valueText(status)]]),
    ['last run', run ? `${run.run}, ${run.status}, ended ${timeText(run.ended_at)}` : 'none yet'],
  ];
  return [
    `${lineText(name)}\n${columnsText(head, '  ')}`,
    fields.length === 1 && only ? fieldText(only) : fieldsText(fields),
    section('held', [...record.holds.map((why) => [lineText(why)]), ...record.hold_remedies.map(remedyRow)]),
    section('open', record.problems.flatMap(problemRows)),
    section(
      'decided, for the next run',
      record.decisions.map((decision) => [waitingText(decision)]),
    ),
    nextText(record),
    section('automations', [
      ...record.enrolments.flatMap(enrolmentRows),
      ...record.vetoes.map((veto) => [lineText(`vetoed now: ${veto}`)]),
    ]),
    section('messages', record.messages.flatMap(messageRows)),
    record.log === null ? '' : `\n  all that happened: ${lineText(record.log)}\n`,
  ].join('');
}

/** A title and its rows; nothing without rows. */
function section(title: string, rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : `\n  ${title}\n${rows.map((row) => `    ${row.join('  ')}\n`).join('')}`;
}

/** Longer values would push the origins off the screen; the field alone, or --json, shows them whole. */
const valueLength = 36;

function fieldsText(fields: readonly ExplainedField[]): string {
  const rows = fields.flatMap((field) => {
    const label = labelOf(field);
    const values = valuesOf(field);
    const about = [shortOrigin(field), ...field.notes];
    // The notes stand beside the values, below the origin.
    return Array.from({ length: Math.max(values.length, about.length) }, (_, index) => {
      const [side = '', value = ''] = values[index] ?? [];
      return [index === 0 ? label : '', side, shortValue(value), lineText(about[index] ?? '')];
    });
  });
  return rows.length === 0 ? '' : `\n${columnsText(withoutBlankColumns(rows), '  ')}`;
}

function fieldText(field: ExplainedField): string {
  const lines = [
    ...valuesOf(field, true),
    ['origin', lineText(field.origin.text)],
    ...field.lost.flatMap(({ side, value, command }) => [
      ['replaced', `${valueText(value)} in ${sideNames[side]}; the history keeps it: ${lineText(command)}`],
    ]),
    ...field.notes.map((note) => ['note', lineText(note)]),
  ];
  return `\n  ${labelOf(field)}, ${directions[field.direction]}\n${columnsText(lines, '    ')}`;
}

const directions = {
  both: 'synced both ways',
  to_sheet: 'shown in the sheet only',
  to_crm: 'sent to the service, never read back',
} as const;

const sideNames = { crm: 'the service', sheet: 'the sheet' } as const;

function labelOf({ header, field, cell }: ExplainedField): string {
  const name = lineText(header === '' ? field : header);
  return cell === null ? name : `${name} (${cell})`;
}

/** One value if all are alike. `isWhole`: always all three. */
function valuesOf({ agreed, crm, sheet, live, is_open: isOpen, direction }: ExplainedField, isWhole = false) {
  const seen: [string, Known][] = [
    ['agreed', agreed],
    ...(direction === 'to_crm' ? [] : [['service', crm] as [string, Known]]),
    ['sheet', sheet],
    ...(live && direction !== 'to_crm' ? [['service now', live.crm] as [string, Known]] : []),
    ...(live ? [['sheet now', live.sheet] as [string, Known]] : []),
  ];
  const texts = seen.map(([side, known]) => [side, knownText(known)]);
  const isAlike = texts.every(([, text]) => text === texts[0]![1]);
  return isAlike && !isOpen && !isWhole ? [['', texts[0]![1]!]] : texts;
}

function shortValue(text: string): string {
  return text.length > valueLength ? `${text.slice(0, valueLength - 1)}…` : text;
}

function shortOrigin({ origin: { kind, from, time, reason, text } }: ExplainedField): string {
  if (kind !== 'written' || from === null || time === null) return text;
  return `from ${sideNames[from]}, ${timeText(time)}: ${reason ?? ''}`;
}

function withoutBlankColumns(rows: readonly (readonly string[])[]): string[][] {
  const used = rows[0]!.map((_, index) => rows.some((row) => row[index] !== ''));
  return rows.map((row) => row.filter((_, index) => used[index]));
}

function problemRows({ kind, reason, rule, rule_words: words, retry_at: retryAt, remedies }: ExplainedProblem) {
  const again = retryAt === null ? '' : `; tried again by itself from ${timeText(retryAt)}`;
  return [[`${lineText(problemText({ kind, reason }))} (${words}, ${rule})${again}`], ...remedies.map(remedyRow)];
}

/** The row of a remedy, indented below its subject. */
function remedyRow({ text, command }: Remedy): string[] {
  return [command === null ? `  - ${lineText(text)}` : `  - ${lineText(text)}: ${lineText(command)}`];
}

function nextText({ next }: ExplainedRecord): string {
  if (!next) return '';
  const rows = [
    ...next.changes.map(({ side, op, field, before, after, reason, rule }) => {
      const values = field === null ? '' : `  ${lineText(field)}: ${valueText(before)} -> ${valueText(after)}`;
      return [`${side} ${op}${values} (${lineText(reason)}, ${rule})`];
    }),
    ...next.asks.map((what) => [lineText(`asks the service: ${what}`)]),
    ...next.waits.map((why) => [lineText(why)]),
  ];
  return section('next run, if nothing else changes', rows.length === 0 ? [['nothing to do']] : rows);
}

const stateWords: Readonly<Record<ExplainedEnrolment['state'], string>> = {
  waiting: 'waits for',
  intended: 'unknown whether it is in',
  enrolled: 'enrolled in',
  skipped: 'was already in',
  refused: 'refused by',
  unknown: 'unknown whether it is in',
  cancelling: 'being taken out of',
  cancelled: 'cancelled by a person: not put into',
};

function enrolmentRows({ state, name, automation, time, run, message, remedies }: ExplainedEnrolment): string[][] {
  const since = state === 'waiting' ? 'since ' : '';
  const by = run === null ? '' : `, run ${run}`;
  const why = message === null ? '' : `: ${message}`;
  return [
    [lineText(`${stateWords[state]} ${name ?? automation}, ${since}${timeText(time)}${by}${why}`)],
    ...remedies.map(remedyRow),
  ];
}

function messageRows({ outbox, id, row, standing, time, run, to, remedies, decision }: ExplainedMessage): string[][] {
  const parts = [
    `${outbox}${row === null ? '' : ` row ${row}`}`,
    to === null ? '' : `to ${to}`,
    timeText(time),
    run === null ? '' : `run ${run}`,
    id,
  ];
  return [
    [lineText(`${standing} (${parts.filter((part) => part !== '').join(', ')})`)],
    ...(decision === null ? [] : [[`  decided: ${waitingText(decision)}`]]),
    ...remedies.map(remedyRow),
  ];
}
