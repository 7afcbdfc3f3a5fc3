// Reads the history of changes and decisions, oldest first, and the ledger of enrolments.
import { readStanding } from '../engine/standing.ts';
import type { LedgerEntry } from '../sync/record/ledger.ts';
import { ruleWords } from '../engine/rule-words.ts';
import type { HistoryLine } from '../state/port.ts';
import type { RuleId } from '../sync/rules.ts';
import {
  type ChangeLine,
  type DecisionLine,
  decisionLine,
  type EnrolmentLine,
  logLine,
  type LogPageAnswer,
} from './answers/history.ts';
import { isMeant, type LogFilter, type LogQuery, readFilter, refuseUnknownRun } from './log-filter.ts';
import type { Operator } from './operator.ts';
import { cursorOf, type PageQuery, placeIn } from './paging.ts';
import { selectSyncs } from './select.ts';

/**
 * Oldest first. `follow`: yields further lines as they are written, until the signal aborts. Throws OperatorError, also if
 * the filter names a run that does not exist, and StateError.
 */
export async function* readLog(
  operator: Operator,
  filter: LogFilter,
  { follow, signal }: { readonly follow: boolean; readonly signal: AbortSignal },
): AsyncGenerator<ChangeLine | DecisionLine> {
  const query = await readFilter(operator, filter);
  const { limit } = filter;
  let count = 0;
  const lines =
    limit === undefined
      ? matching(operator, query, { follow, signal })
      : latestAndOn(operator, query, limit, { follow, signal });
  for await (const line of lines) {
    count += 1;
    yield lineToAnswer(line);
  }
  if (count === 0 && !signal.aborted) await refuseUnknownRun(operator, filter);
}

/**
 * One page, the latest first. A filter that names a run which does not exist is refused only on the first page. Throws
 * OperatorError, also if the cursor is not one of this list, and StateError.
 */
export async function readLogPage(
  operator: Operator,
  filter: Omit<LogFilter, 'limit'>,
  page: PageQuery,
): Promise<LogPageAnswer> {
  const answer = await readLinesPage(operator, filter, page, true);
  if (answer.lines.length === 0 && page.after === undefined) await refuseUnknownRun(operator, filter);
  return answer;
}

/** The same, in either order. */
export async function readLinesPage(
  operator: Operator,
  filter: Omit<LogFilter, 'limit'>,
  { limit, after }: PageQuery,
  newestFirst: boolean,
): Promise<LogPageAnswer> {
  const { sync, run, contacts, fields, outcome, since, until } = await readFilter(operator, filter);
  const place = placeIn('log', after)?.[0];
  const { lines, next } = await operator.store.historyPage({
    ...(sync !== undefined && { sync }),
    ...(run !== undefined && { run }),
    ...(contacts !== undefined && { contact: contacts }),
    ...(fields !== undefined && { field: fields }),
    ...(outcome !== undefined && { outcome }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(typeof place === 'string' && { after: place }),
    limit,
    newestFirst,
  });
  return { lines: lines.map(lineToAnswer), next: next === undefined ? null : cursorOf('log', [next]) };
}

export function lineToAnswer(line: HistoryLine): ChangeLine | DecisionLine {
  return 'decision' in line ? (readableOf(decisionLine, line) as DecisionLine) : changeToLine(line);
}

interface Reading {
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

async function* matching(
  { store }: Operator,
  query: LogQuery,
  { follow, signal }: Reading,
): AsyncGenerator<HistoryLine> {
  const { sync, run, contacts, since } = query;
  const lines = store.history({
    ...(sync !== undefined && { sync }),
    ...(run !== undefined && { run }),
    ...(contacts?.length === 1 && { contact: contacts[0]! }),
    ...(since !== undefined && { since }),
    ...(follow && { follow }),
    signal,
  });
  for await (const line of lines) if (isMeant(line, query)) yield line;
}

/** The latest lines, then with `follow` those that are written after them. */
async function* latestAndOn(
  operator: Operator,
  query: LogQuery,
  limit: number,
  { follow, signal }: Reading,
): AsyncGenerator<HistoryLine> {
  const kept: HistoryLine[] = [];
  for await (const line of matching(operator, query, { follow: false, signal })) {
    kept.push(line);
    if (kept.length > 2 * limit) kept.splice(0, kept.length - limit);
  }
  const latest = kept.slice(-limit);
  if (!follow) {
    yield* latest;
    return;
  }
  // Reads from the instant of the first line on, so that no line is lost in between. Lines of that instant which stand
  // before it were left out by the limit.
  const [first] = latest;
  let left = kept.slice(0, -limit).filter(({ time }) => time === first?.time).length;
  const since = first === undefined ? query.since : Date.parse(first.time);
  for await (const line of matching(operator, { ...query, since }, { follow, signal })) {
    if (left > 0 && line.time === first?.time) left -= 1;
    else yield line;
  }
}

/** The ledger as it is now, sync by sync, each oldest first. Throws OperatorError and StateError. */
export async function readEnrolments(operator: Operator, filter: LogFilter): Promise<readonly EnrolmentLine[]> {
  const { sync, run, contacts, since = 0, until = Infinity } = await readFilter(operator, filter);
  const lines: EnrolmentLine[] = [];
  for (const name of selectSyncs(operator.config, sync === undefined ? [] : [sync])) {
    const { ledger } = await readStanding(operator.store.sync(name));
    const meant = [...ledger].filter(
      ([, entry]) => entry.at >= since && entry.at <= until && (run === undefined || entry.run === run),
    );
    const ofSync = meant.toSorted(([, a], [, b]) => a.at - b.at).map(([key, entry]) => toEnrolment(name, key, entry));
    lines.push(...ofSync.filter(({ contact }) => contacts?.includes(contact) ?? true));
  }
  if (lines.length === 0) await refuseUnknownRun(operator, filter);
  return filter.limit === undefined ? lines : latestOf(lines, filter.limit);
}

/** In the order in which they came. */
function latestOf(lines: readonly EnrolmentLine[], limit: number): readonly EnrolmentLine[] {
  const latest = new Set(lines.toSorted((a, b) => b.time.localeCompare(a.time)).slice(0, limit));
  return lines.filter((line) => latest.has(line));
}

/** A line has the rule ids of the version that wrote it. */
function changeToLine(line: HistoryLine): ChangeLine {
  const rule = line['rule'] as RuleId;
  return readableOf(logLine, { ...line, rule_words: ruleWords[rule] ?? '' }) as ChangeLine;
}

/** Leaves out the keys of a stored line that the answer does not have. */
function readableOf({ shape }: { readonly shape: object }, line: HistoryLine): unknown {
  const known = Object.keys(shape).filter((name) => line[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, line[name]]));
}

function toEnrolment(sync: string, key: string, { at, run, name, state, message }: LedgerEntry): EnrolmentLine {
  const [contact = '', automation = ''] = key.split(' ');
  const time = new Date(at).toISOString();
  return { time, sync, run, contact, automation, name: name ?? null, state, message: message ?? null };
}
