// Prints the ledgers of outboxes and enrolments, the feeds, and the budgets.
import { lineText } from '../../log/printable.ts';
import type { BudgetsAnswer } from '../../operator/answers/budgets.ts';
import type {
  EnrolmentAnswer,
  EnrolmentsPageAnswer,
  FeedsPageAnswer,
  MessageAnswer,
  MessagesPageAnswer,
} from '../../operator/answers/ledgers.ts';
import { countText } from '../../operator/words.ts';
import { columnsText, recordText, timeText } from './lines.ts';
import { durationText } from './progress.ts';
import { bad, good, hint, quiet, strong, urgent } from './style.ts';

const byState: Readonly<Record<string, (text: string) => string>> = {
  sent: good,
  enrolled: good,
  unknown: urgent,
  refused: bad,
};

function stateText(state: string): string {
  return byState[state]?.(state) ?? state;
}

interface Ledger extends Pick<EnrolmentsPageAnswer['jobs'][number], 'name' | 'cap' | 'counts' | 'held_run'> {
  /** The text behind the counts. */
  readonly note: string;
}

function ledgerText({ name, cap, counts, held_run: held, note }: Ledger): string {
  const parts = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
  const used = `${cap.used} of ${cap.per_hour} in the last hour`;
  const toApprove = held === null ? '' : `  ${urgent('held')}: ${hint(`leadsheet approve ${name} --run ${held}`)}\n`;
  return `${strong(name)}: ${[...parts, used].join(', ')}${note}\n${toApprove}`;
}

/** The text behind the last line of a page. */
function restText(shown: number, { total, next }: { readonly total: number; readonly next: string | null }): string {
  return next === null ? '' : `${quiet(`${shown} of ${total}: -n ${total} shows all`)}\n`;
}

export function messagesText({ outboxes, messages, ...page }: MessagesPageAnswer): string {
  if (outboxes.length === 0) return 'no outbox is configured: nothing is ever sent\n';
  const heads = outboxes.map((each) => ledgerText({ ...each, note: `; sends ${each.resource.replaceAll('_', ' ')}` }));
  const list = messages.length === 0 ? 'no such message\n' : messages.map(messageText).join('');
  return `${heads.join('')}${list}${restText(messages.length, page)}`;
}

function messageText(message: MessageAnswer): string {
  const { job, id, row, state, time, person, delivery, message: refusal, waits, remedies } = message;
  const whom = person === null ? lineText(id) : lineText(person);
  const place = row === null ? job : `${job} row ${row}`;
  const how = delivery === null ? '' : `, delivery: ${lineText(delivery)}`;
  const why = refusal ?? waits;
  const toDo = remedies.map(
    ({ text, command }) => `    ${lineText(text)}${command === null ? '' : `: ${hint(lineText(command))}`}\n`,
  );
  const reason = why === null ? '' : `    ${lineText(why)}\n`;
  return `  ${quiet(timeText(time))}  ${stateText(state)}  ${whom}, ${place}${how}\n${reason}${toDo.join('')}`;
}

export function enrolmentsText({ jobs, enrolments, ...page }: EnrolmentsPageAnswer): string {
  if (jobs.length === 0 && enrolments.length === 0) return 'no sync puts contacts into automations\n';
  const heads = jobs.map((each) => ledgerText({ ...each, note: vetoesText(each.vetoes) }));
  const list = enrolments.length === 0 ? 'no such enrolment\n' : enrolments.map(enrolmentText).join('');
  return `${heads.join('')}${list}${restText(enrolments.length, page)}`;
}

function vetoesText(vetoes: EnrolmentsPageAnswer['jobs'][number]['vetoes']): string {
  const texts = vetoes.map(({ header, values }) => `${lineText(header)} is ${values.map(lineText).join(' or ')}`);
  return texts.length === 0 ? '' : `; nobody where ${texts.join(', or ')}`;
}

function enrolmentText(enrolment: EnrolmentAnswer): string {
  const { job, contact, person, row, automation, name, state, time, message, waits } = enrolment;
  const why = message ?? waits;
  const what = `${recordText(person ?? contact, row)}, ${job}: ${lineText(name ?? automation)}`;
  const reason = why === null ? '' : `    ${lineText(why)}\n`;
  return `  ${quiet(timeText(time))}  ${stateText(state)}  ${what}\n${reason}`;
}

export function feedsText({ feeds, ...page }: FeedsPageAnswer): string {
  if (feeds.length === 0) return 'no feed is configured\n';
  const lines = feeds.map(({ name, resource, tab, rows_max: most, controlled, rows, gone }) => {
    const parts = [
      `${resource.replaceAll('_', ' ')} in the tab ${lineText(tab)}`,
      most === null ? countText(rows, 'row') : `${rows} of at most ${countText(most, 'row')}`,
      ...(gone === 0 ? [] : [`${gone} of records that are gone`]),
      ...(controlled === null ? [] : [`people may set ${lineText(controlled)}`]),
    ];
    return `${strong(name)}: ${parts.join('; ')}\n`;
  });
  return `${lines.join('')}${restText(feeds.length, page)}`;
}

export function budgetsText({ budgets, accounts, jobs }: BudgetsAnswer): string {
  const used = budgets.map(({ name, used: calls, per_minute: most }) => [
    name,
    `${calls} of ${most} in the last minute`,
  ]);
  const head = used.length === 0 ? 'no daemon is known to run: leadsheet run starts one\n' : columnsText(used);
  const shares = accounts.map(({ name, budgets: own }) => [
    strong(lineText(name)),
    ...own.map((each) => `${each.name.toLowerCase()}: ${each.used} of ${each.per_minute}`),
  ]);
  const behind = jobs.map(({ name, lag_secs: lag }) => {
    return [
      strong(name),
      lag === null ? quiet('no run of this daemon ended well yet') : `in sync ${durationText(lag)} ago`,
    ];
  });
  return `${head}${columnsText(shares)}${columnsText(behind)}`;
}
