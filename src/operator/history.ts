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
import { cursorOf, type PageQuery, placeIn, refuseBoth } from './paging.ts';
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
  if (answer.lines.length === 0 && page.after === undefined && page.before === undefined)
    await refuseUnknownRun(operator, filter);
  return answer;
}

/** The same, in either order. With `side` a page may have fewer lines than the limit, or none, and yet a next one. */
export async function readLinesPage(
  operator: Operator,
  filter: Omit<LogFilter, 'limit'>,
  page: PageQuery,
  newestFirst: boolean,
): Promise<LogPageAnswer> {
  refuseBoth(page);
  const { limit, after, before } = page;
  const query = await readFilter(operator, filter);
  const isBackwards = before !== undefined;
  const place = placeIn('log', before ?? after)?.[0];
  const from = typeof place === 'string' ? place : undefined;
  const { lines, first, next } = await readMeant(operator, query, {
    limit,
    from,
    newestFirst: newestFirst !== isBackwards,
  });
  const cursor = (text: string | undefined) => (text === undefined ? null : cursorOf('log', [text]));
  const answers = (isBackwards ? lines.toReversed() : lines).map(lineToAnswer);
  if (isBackwards) return { lines: answers, next: cursor(first), previous: cursor(next) };
  return { lines: answers, next: cursor(next), previous: after === undefined ? null : cursor(first) };
}

interface Part {
  readonly limit: number;
  readonly from: string | undefined;
  readonly newestFirst: boolean;
}

/** One page of the store; several, if the store does not know the whole filter. */
async function readMeant(
  { store }: Operator,
  query: LogQuery,
  { limit, from, newestFirst }: Part,
): Promise<{ readonly lines: readonly HistoryLine[]; readonly first?: string; readonly next?: string }> {
  const { sync, run, contacts, fields, outcome, side, since, until } = query;
  const lines: HistoryLine[] = [];
  let first: string | undefined;
  let next = from;
  for (let looks = 0; looks < looksMax; looks += 1) {
    const page = await store.historyPage({
      ...(sync !== undefined && { sync }),
      ...(run !== undefined && { run }),
      ...(contacts !== undefined && { contact: contacts }),
      ...(fields !== undefined && { field: fields }),
      ...(outcome !== undefined && { outcome }),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      ...(next !== undefined && { after: next }),
      limit: limit - lines.length,
      newestFirst,
    });
    first ??= page.first;
    next = page.next;
    lines.push(...page.lines.filter((line) => side === undefined || line['side'] === side));
    if (next === undefined || lines.length === limit) break;
  }
  return { lines, ...(first !== undefined && { first }), ...(next !== undefined && { next }) };
}

/** Pages of the store that are read for one page with `side`. Half of the lines of a history are of either side. */
const looksMax = 30;

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
  for (const name of selectSyncs(operator.config, sync === undefined ? [] : [sync].flat())) {
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
