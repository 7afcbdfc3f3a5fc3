// Finds the run that an undo means, and what the history has of it; refuses in words what cannot be taken back.
import { findRun, readRuns } from '../engine/runs.ts';
import { readStanding } from '../engine/standing.ts';
import type { StoredRun } from '../engine/stored/run.ts';
import { readJob } from '../engine/stored/stored.ts';
import { cutShort } from '../engine/undo.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { HistoryLine } from '../state/port.ts';
import { OperatorError } from './errors.ts';
import type { Operator } from './operator.ts';
import { findRecords, isUuid, noContactText } from './records.ts';
import { jobsOf } from './select.ts';

export interface UndoFilter {
  readonly run: string;
  /** Uuid, e-mail address, name or `row:17`. Left out: every contact. */
  readonly contact?: string;
  /** Uuids, for a plan that was saved. */
  readonly contacts?: readonly string[];
  /** Name of a mapped field, or its header. */
  readonly field?: string;
}

export interface Undoable {
  /** The name of the job. */
  readonly name: string;
  /** The changes that are meant, oldest first. */
  readonly lines: readonly HistoryLine[];
  /** What to know about the run. */
  readonly notes: readonly string[];
  /** The contacts and the field that are meant. */
  readonly meant: { readonly contacts?: string[]; readonly field?: string };
}

/** Throws OperatorError and StateError. */
export async function readUndoable(operator: Operator, filter: UndoFilter, signal: AbortSignal): Promise<Undoable> {
  const { run } = filter;
  const lines: HistoryLine[] = [];
  for await (const line of operator.store.history({ run, signal })) if (!('decision' in line)) lines.push(line);
  const report = await findReport(operator, run);
  const name = report?.sync ?? lines[0]?.sync;
  if (name === undefined) throw (await notToldYet(operator, run)) ?? (await unknownRun(operator, run, signal));
  if (!jobsOf(operator.config).some((job) => job.name === name)) {
    throw new OperatorError(
      'unknown',
      `run ${run} is of ${name}, which ${operator.config.path} does not have any more: put it back, then undo`,
    );
  }
  if (lines.length === 0) {
    const { held } = await readStanding(operator.store.sync(name));
    throw nothingChanged(run, report, { begin: await beginOf(operator, signal), heldRun: held?.run });
  }
  const meant = {
    ...(await contactsMeant(operator, name, filter)),
    ...(filter.field !== undefined && { field: fieldMeant(operator, name, filter.field, lines) }),
  };
  const ofMeant = lines.filter(
    ({ contact, field }) =>
      (meant.contacts === undefined || meant.contacts.includes(contact ?? '')) &&
      (meant.field === undefined || field === meant.field),
  );
  if (ofMeant.length === 0) {
    throw new OperatorError(
      'nothing',
      `run ${run} changed nothing of that: leadsheet runs show ${run} lists what it changed`,
    );
  }
  return { name, lines: ofMeant, meant, notes: await notesOn(operator, run, name, { lines, report, signal }) };
}

async function findReport({ config, store }: Operator, run: string): Promise<StoredRun | undefined> {
  for (const { name } of jobsOf(config)) {
    const found = await findRun(store.sync(name), run);
    if (found) return found;
  }
  return undefined;
}

/** A run that was cut short in its first step left neither a report nor a line of the history. */
async function notToldYet({ config, store }: Operator, run: string): Promise<OperatorError | undefined> {
  for (const { name } of jobsOf(config)) {
    const { steps } = readJob(await store.sync(name).loadSome({}));
    const isOpen = [...steps.values()].some(({ lines }) => lines.some((line) => line.run === run));
    if (isOpen) return new OperatorError('nothing', cutShort(run, name));
  }
  return undefined;
}

/** Reports among which a misspelt run is looked for. */
const runsSearched = 200;

const runForm = /^(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})-/;

async function unknownRun(operator: Operator, run: string, signal: AbortSignal): Promise<OperatorError> {
  const known: string[] = [];
  for (const { name } of jobsOf(operator.config)) {
    const reports = await readRuns(operator.store.sync(name), { limit: runsSearched });
    known.push(...reports.map((report) => report.run));
  }
  const begin = await beginOf(operator, signal);
  const [, year, month, day, hour, minute, second] = runForm.exec(run) ?? [];
  const at = year === undefined ? undefined : `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  if (begin !== undefined && at !== undefined && at < begin.slice(0, at.length))
    return new OperatorError(
      'unknown',
      `run ${run} is older than the history, which begins at ${begin}: it cannot be undone`,
    );
  const hint = didYouMean(run, known) || ': leadsheet runs lists them';
  return new OperatorError('unknown', `no run ${run} is known${hint}`);
}

/** The instant of the oldest line that is kept; undefined: there is none. */
async function beginOf({ store }: Operator, signal: AbortSignal): Promise<string | undefined> {
  for await (const { time } of store.history({ signal })) return time;
  return undefined;
}

/** `heldRun`: the run whose plan a refusal can be about. A held undo is none: it is done only when it is asked for again (S8). */
function nothingChanged(
  run: string,
  report: StoredRun | undefined,
  { begin, heldRun }: { readonly begin: string | undefined; readonly heldRun: string | undefined },
): OperatorError {
  const refuse = heldRun === run ? `; to say no to its plan: leadsheet refuse ${report?.sync ?? ''} --run ${run}` : '';
  if (report?.status === 'held')
    return new OperatorError('nothing', `run ${run} was held and wrote nothing: there is nothing to undo${refuse}`);
  const { created = 0, updated = 0, appended = 0, set = 0, deleted = 0, removed = 0 } = report?.counts ?? {};
  const { enrolled = 0, cancelled = 0, sent = 0 } = report?.counts ?? {};
  const wrote = created + updated + appended + set + deleted + removed + enrolled + cancelled + sent > 0;
  return wrote
    ? new OperatorError(
        'nothing',
        `the history does not have what run ${run} changed: ${begin === undefined ? 'it is empty' : `it begins at ${begin}`}: it cannot be undone`,
      )
    : new OperatorError('nothing', `run ${run} changed nothing: there is nothing to undo`);
}

async function contactsMeant(
  operator: Operator,
  name: string,
  { contact, contacts }: UndoFilter,
): Promise<{ readonly contacts?: string[] }> {
  if (contacts) return { contacts: [...contacts] };
  if (contact === undefined) return {};
  if (isUuid(contact)) return { contacts: [contact.toLowerCase()] };
  const isSync = operator.config.syncs.some((sync) => sync.name === name);
  const found = isSync ? await findRecords(operator, contact, [name]) : [];
  const uuids = [...new Set(found.map((record) => record.contact))];
  if (uuids.length === 0) {
    throw new OperatorError(
      'unknown',
      `${noContactText(contact, ` of ${name}`)}; the history knows others by their uuid`,
    );
  }
  return { contacts: uuids };
}

function fieldMeant({ config }: Operator, name: string, field: string, lines: readonly HistoryLine[]): string {
  const columns = [...config.syncs, ...config.feeds].find((job) => job.name === name)?.columns ?? [];
  const isAlike = (text: string) => text.trim().toLowerCase() === field.trim().toLowerCase();
  const column = columns.find(({ key, header }) => isAlike(key) || isAlike(header));
  if (column) return column.key;
  const written = lines.flatMap((line) => (typeof line['field'] === 'string' ? [line['field']] : []));
  const known = written.find(isAlike);
  if (known !== undefined) return known;
  const headers = columns.map(({ header }) => header);
  const hint = didYouMean(field, headers) || `; there are ${headers.join(', ')}`;
  throw new OperatorError('unknown', `${name} has no field ${field}${hint}`);
}

async function notesOn(
  { store }: Operator,
  run: string,
  sync: string,
  {
    lines,
    report,
    signal,
  }: { readonly lines: readonly HistoryLine[]; readonly report: StoredRun | undefined; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const notes: string[] = [];
  if (!report) {
    notes.push(
      `no report of run ${run} is kept: it never ended, or it is older than the reports; only what the history has of it is taken back`,
    );
  }
  const since = Date.parse(lines[0]!.time);
  for await (const line of store.history({ sync, since, signal })) {
    if (line['decision'] !== 'undo' || line['id'] !== run) continue;
    notes.push(`run ${line.run} took it back already, or a part of it: to take that back, leadsheet undo ${line.run}`);
  }
  return notes;
}
