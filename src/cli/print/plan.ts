// Prints a plan: by operation, record by record, field by field.
import type { KindWords } from '../../engine/kind.ts';
import { kinds } from '../../engine/kinds.ts';
import type { PlanReport } from '../../engine/report.ts';
import { commandText } from '../../operator/explain/commands.ts';
import type { PlanFileShown } from '../../operator/plan-file.ts';
import type { ChangeOp } from '../../sync/change.ts';
import type { Reading, Value } from '../../sync/value/value.ts';
import { withRule } from '../../engine/rule-words.ts';
import { lineText } from '../../log/printable.ts';
import { durationText } from './progress.ts';
import { countText, valueText } from '../../operator/words.ts';
import { columnsText, recordText, timeText } from './lines.ts';
import { runToAnswer } from '../../operator/reports.ts';
import { problemsText } from './run.ts';
import { bad, changeOf, hint, quiet, statusWord, strong, urgent } from './style.ts';

/** The records that are shown of each group. Deletes and messages are all shown. */
const recordsShown = 20;

interface Group {
  readonly ops: readonly ChangeOp[];
  readonly one: string;
  readonly many: string;
}

const groupsOf = ({ update }: KindWords): readonly Group[] => [
  { ops: ['create'], one: 'contact to create in the service', many: 'contacts to create in the service' },
  { ops: ['update'], ...update },
  { ops: ['enrol'], one: 'contact to enrol', many: 'contacts to enrol' },
  { ops: ['cancel'], one: 'contact to take out of automations', many: 'contacts to take out of automations' },
  { ops: ['send'], one: 'message to SEND', many: 'messages to SEND' },
  { ops: ['set'], one: 'row to change in the sheet', many: 'rows to change in the sheet' },
  { ops: ['append'], one: 'row to append to the sheet', many: 'rows to append to the sheet' },
  { ops: ['delete'], one: 'contact to DELETE from the service', many: 'contacts to DELETE from the service' },
  { ops: ['remove'], one: 'row to DELETE from the sheet', many: 'rows to DELETE from the sheet' },
];

/** A change of a fresh plan or of a saved one. `to` and `from`: of a message. */
interface ShownChange {
  readonly op: ChangeOp;
  readonly uuid: string | null;
  readonly row: number | null;
  readonly fields: readonly {
    readonly field: string;
    readonly before?: Reading;
    readonly after: Value;
    readonly rule: string;
    readonly reason: string;
  }[];
  readonly rule: string;
  readonly reason: string;
  readonly enrol?: string | undefined;
  readonly to?: string | undefined;
  readonly from?: string | undefined;
}

/** The plans of a file, as `plan` shows fresh ones. */
export function savedPlansText({ madeAt, plans }: PlanFileShown, file: string): string {
  const texts = plans.map(({ plan: { sync, changes }, kind = 'sync', headerOf }) => {
    const head = `${strong(sync)}: ${countText(changes.length, 'change')} of ${countText(recordCount(changes), 'record')}\n`;
    return `${head}${groupsText(changes, headerOf, kinds[kind].words)}`;
  });
  const foot = `saved ${timeText(madeAt)}; ${hint(commandText('apply', lineText(file)))} does exactly this\n`;
  return `${texts.join('\n')}\n${foot}`;
}

/** A plan of more lines gets a summary at its end. It is about a screen. */
const linesWithoutSummary = 30;

/** A short summary at the end of a long plan, because the end is what a person sees last. Empty for short plans. */
export function plansSummary(reports: readonly PlanReport[], text: string): string {
  if (text.split('\n').length - 1 <= linesWithoutSummary) return '';
  return reports.map(summaryText).join('');
}

function summaryText(report: PlanReport): string {
  const { sync, status, kind, changes, onceApproved = [], holds, estimate, error } = report;
  if (error !== undefined) return `\n${strong(sync)}: ${statusWord(status)}: ${bad(lineText(error))}\n`;
  const needed = runToAnswer(report).problems.filter((each) => each.needs_somebody).length;
  const parts = [
    ...countsOf(changes, kinds[kind].words),
    ...countsOf(onceApproved, kinds[kind].words).map((each) => `once it is approved: ${each}`),
    ...holds.map(({ reason, rule }) => urgent(`nothing of it would be written: ${lineText(withRule(reason, rule))}`)),
    ...stillHeldText(report),
    ...(needed > 0 ? [urgent(`${countText(needed, 'problem needs', 'problems need')} somebody`)] : []),
    ...(changes.length > 0 ? [costText(estimate)] : []),
  ];
  if (parts.length === 0) return `\n${strong(sync)}: nothing to do\n`;
  return `\n${strong(sync)}, in all:\n${parts.map((each) => `  ${each}\n`).join('')}`;
}

/** G6: the plan has the approved records alone. */
function stillHeldText({ stillHeld = [] }: PlanReport): readonly string[] {
  return stillHeld.map(({ reason, rule }) => urgent(`the rest stays held: ${lineText(withRule(reason, rule))}`));
}

function countsOf(changes: readonly ShownChange[], words: KindWords): readonly string[] {
  return groupsOf(words).flatMap(({ ops, one, many }) => {
    const count = changes.filter(({ op }) => ops.includes(op)).length;
    return count === 0 ? [] : [styleOf(ops)(countText(count, one, many))];
  });
}

/** A deletion or a message, which cannot be taken back. */
function isFinal(ops: readonly ChangeOp[]): boolean {
  return ops.includes('delete') || ops.includes('remove') || ops.includes('send');
}

function styleOf(ops: readonly ChangeOp[]): (text: string) => string {
  return isFinal(ops) ? bad : strong;
}

function costText({ crmCalls, sheetReads, sheetWrites, seconds }: PlanReport['estimate']): string {
  return (
    `${countText(crmCalls, 'call')} to the service, ${countText(sheetReads, 'read')} and ` +
    `${countText(sheetWrites, 'write')} of the sheet, about ${durationText(seconds)}`
  );
}

/** `headerOf`: the header of a mapped field. */
export function planText(report: PlanReport, headerOf: (field: string) => string): string {
  const { sync, status, changes, onceApproved = [], estimate, holds, error, kind } = report;
  const { words } = kinds[kind];
  if (error !== undefined) return `${strong(sync)}: ${statusWord(status)}: ${bad(lineText(error))}\n`;
  const held = holds
    .map(({ reason, rule }) => `  ${urgent(`nothing of it would be written: ${lineText(withRule(reason, rule))}`)}\n`)
    .join('');
  // G1: a plan that a guard stopped compared no record.
  const none = holds.length === 0 ? 'nothing to do' : 'nothing is planned';
  const head =
    changes.length === 0
      ? `${strong(sync)}: ${none}\n`
      : `${strong(sync)}: ${countText(changes.length, 'change')} of ${countText(recordCount(changes), 'record')}, ${costText(estimate)}\n`;
  const open = problemsText(runToAnswer(report).problems);
  const rest = stillHeldText(report)
    .map((each) => `\n  ${each}\n`)
    .join('');
  const approved =
    onceApproved.length === 0 ? '' : `\n  once it is approved:${groupsText(onceApproved, headerOf, words)}`;
  return `${head}${held}${groupsText(changes, headerOf, words)}${rest}${approved}${open === '' ? '' : `\n${open}`}`;
}

function groupsText(changes: readonly ShownChange[], headerOf: (field: string) => string, words: KindWords): string {
  const texts = groupsOf(words).map(({ ops, one, many }) => {
    const group = changes.filter(({ op }) => ops.includes(op));
    if (group.length === 0) return '';
    const shown = isFinal(ops) ? group : group.slice(0, recordsShown);
    const more = group.length - shown.length;
    const rest = more > 0 ? `    and ${more} more; --json lists all\n` : '';
    const head = countText(group.length, one, many);
    return `\n  ${styleOf(ops)(head)}\n${shown.map((change) => changeText(change, headerOf)).join('')}${rest}`;
  });
  return texts.join('');
}

function recordCount(changes: readonly ShownChange[]): number {
  return new Set(changes.map(({ uuid, row }) => uuid ?? `row ${row}`)).size;
}

function changeText(change: ShownChange, headerOf: (field: string) => string): string {
  const { uuid, row, fields, reason, rule } = change;
  if (change.op === 'send') return messageText(change, headerOf);
  const name = recordText(uuid, row);
  const rows = fields.map(({ field, before, after, reason: why, rule: by }) => [
    lineText(headerOf(field)),
    changeOf(valueText(before), valueText(after)),
    quiet(lineText(`${why} (${by})`)),
  ]);
  const isEnrolled = change.op === 'create' && change.enrol !== undefined;
  const whole = fields.length === 0 || isEnrolled ? `: ${quiet(`${lineText(reason)} (${rule})`)}` : '';
  return `    ${name}${whole}\n${columnsText(rows, '      ')}`;
}

/**
 * Prints a message in full, because it cannot be taken back. Further lines of a text stand behind a bar, so that none looks
 * like a line of the plan. Names are printed on one line.
 */
function messageText({ row, to = '', from = '', fields }: ShownChange, headerOf: (field: string) => string): string {
  const parts = fields.filter(({ field }) => field !== 'lead_uuid' && field !== 'sender_profile_uuid');
  const texts = parts.map(({ field, after }) => {
    const [first = '', ...more] = String(after).split(/\r?\n/);
    const begin = `      ${lineText(headerOf(field))}: ${lineText(first)}`.trimEnd();
    return [begin, ...more.map((line) => `        | ${lineText(line)}`.trimEnd())].map((line) => `${line}\n`).join('');
  });
  return `    row ${row}, to ${lineText(to)}, from ${lineText(from)}\n${texts.join('')}`;
}
