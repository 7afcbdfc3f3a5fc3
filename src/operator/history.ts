// Reads the history of changes and decisions, oldest first, and the ledger of enrolments.
import { readStanding } from '../engine/standing.ts';
import type { LedgerEntry } from '../sync/record/ledger.ts';
import { ruleWords } from '../engine/rule-words.ts';
import type { HistoryLine } from '../state/port.ts';
import type { RuleId } from '../sync/rules.ts';
import { type ChangeLine, type DecisionLine, decisionLine, type EnrolmentLine, logLine } from './answers/history.ts';
import { OperatorError } from './errors.ts';
import type { Operator } from './operator.ts';
import { findRecords, isUuid, referenceText } from './records.ts';
import { selectAll, selectSyncs } from './select.ts';

/** A filter that is left out selects everything. */
export interface LogFilter {
  readonly sync?: string | undefined;
  readonly run?: string | undefined;
  /** A uuid; or the e-mail address, the name or `row:17` of a linked contact. */
  readonly contact?: string | undefined;
  /** An instant or a day, or 30m, 12h, 7d before now. */
  readonly since?: string | undefined;
}

/** `follow`: yields further lines as they are written, until the signal aborts. Throws OperatorError and StateError. */
export async function* readLog(
  operator: Operator,
  filter: LogFilter,
  { follow, signal }: { readonly follow: boolean; readonly signal: AbortSignal },
): AsyncGenerator<ChangeLine | DecisionLine> {
  const { sync, run, contacts, since } = await readFilter(operator, filter);
  const query = {
    ...(sync !== undefined && { sync }),
    ...(run !== undefined && { run }),
    ...(contacts?.length === 1 && { contact: contacts[0]! }),
    ...(since !== undefined && { since }),
    ...(follow && { follow }),
    signal,
  };
  for await (const line of operator.store.history(query)) {
    if (contacts && !contacts.includes(line.contact ?? '')) continue;
    yield 'decision' in line ? (readableOf(decisionLine, line) as DecisionLine) : changeToLine(line);
  }
}

/** The ledger as it is now, sync by sync, each oldest first. */
export async function readEnrolments(operator: Operator, filter: LogFilter): Promise<readonly EnrolmentLine[]> {
  const { sync, run, contacts, since = 0 } = await readFilter(operator, filter);
  const lines: EnrolmentLine[] = [];
  for (const name of selectSyncs(operator.config, sync === undefined ? [] : [sync])) {
    const { ledger } = await readStanding(operator.store.sync(name));
    const meant = [...ledger].filter(([, entry]) => entry.at >= since && (run === undefined || entry.run === run));
    const ofSync = meant.toSorted(([, a], [, b]) => a.at - b.at).map(([key, entry]) => toEnrolment(name, key, entry));
    lines.push(...ofSync.filter(({ contact }) => contacts?.includes(contact) ?? true));
  }
  return lines;
}

async function readFilter(operator: Operator, { sync, run, contact, since }: LogFilter) {
  const { config, now } = operator;
  if (sync !== undefined) selectAll(config, [sync]);
  const contacts = contact === undefined ? undefined : await findContacts(operator, contact, sync);
  return { sync, run, contacts, since: since === undefined ? undefined : readSince(since, now()) };
}

/** The history knows contacts by uuid, also deleted ones. Only links know a contact's other identifiers. */
async function findContacts(operator: Operator, contact: string, sync: string | undefined): Promise<readonly string[]> {
  if (isUuid(contact)) return [contact.toLowerCase()];
  const syncs = operator.config.syncs.map(({ name }) => name).filter((name) => sync === undefined || sync === name);
  const found = await findRecords(operator, contact, syncs);
  if (found.length === 0) {
    throw new OperatorError(
      'nothing',
      `no linked contact has ${referenceText(contact)}; the history knows others by their uuid`,
    );
  }
  return [...new Set(found.map((record) => record.contact))];
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

const unitsMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function readSince(text: string, now: number): number {
  const [, amount, unit] = /^(\d+)([mhd])$/.exec(text) ?? [];
  if (amount !== undefined) return now - Number(amount) * unitsMs[unit as keyof typeof unitsMs];
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new OperatorError(
      'invalid',
      `--since ${text} is no time: write 2026-11-21, 2026-11-21T09:00Z, or 30m, 12h, 7d`,
    );
  }
  return time;
}
