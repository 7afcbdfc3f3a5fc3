// Checks the filter of a person for lines of the history, and turns it into keys and instants.
import { didYouMean } from '../lib/nearest.ts';
import type { HistoryLine } from '../state/port.ts';
import type { Side } from '../sync/value/value.ts';
import { OperatorError } from './errors.ts';
import { readInstant } from './instant.ts';
import type { Operator } from './operator.ts';
import { findRecords, isUuid, noContactText } from './records.ts';
import { selectAll } from './select.ts';

/** A filter that is left out selects everything. */
export interface LogFilter {
  readonly sync?: string | readonly string[] | undefined;
  readonly run?: string | undefined;
  /** A uuid; or the e-mail address, the name or `row:17` of a linked contact. */
  readonly contact?: string | undefined;
  /** The name of a mapped field, or the header of its column, in any case. */
  readonly field?: string | undefined;
  /** One of `outcomes` (outcomes.ts). */
  readonly outcome?: string | undefined;
  /** The side that was changed: `crm` or `sheet`. Decisions have none. */
  readonly side?: Side | undefined;
  /** A day, an instant, or how long ago (instant.ts). */
  readonly since?: string | undefined;
  /** The same; a day counts whole. */
  readonly until?: string | undefined;
  /** At most so many lines, the latest ones. */
  readonly limit?: number | undefined;
}

/** A filter that was checked. Times are epoch milliseconds. */
export interface LogQuery {
  readonly sync: string | readonly string[] | undefined;
  readonly run: string | undefined;
  readonly contacts: readonly string[] | undefined;
  readonly fields: readonly string[] | undefined;
  readonly outcome: string | undefined;
  readonly side: Side | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** Throws OperatorError. */
export async function readFilter(operator: Operator, filter: LogFilter): Promise<LogQuery> {
  const { sync, run, contact, field, outcome, side, since, until } = filter;
  const now = operator.now();
  const syncs = sync === undefined ? undefined : [sync].flat();
  if (syncs) selectAll(operator.config, syncs);
  return {
    sync,
    run,
    contacts: contact === undefined ? undefined : await findContacts(operator, contact, syncs),
    fields: field === undefined ? undefined : fieldsOf(operator, field, syncs),
    outcome,
    side,
    since: since === undefined ? undefined : readInstant('since', since, now, 'start'),
    until: until === undefined ? undefined : readInstant('until', until, now, 'end'),
  };
}

/** Parts that the store does not look at. */
export function isMeant(line: HistoryLine, { contacts, fields, outcome, side, until }: LogQuery): boolean {
  if (contacts && !contacts.includes(line.contact ?? '')) return false;
  if (fields && !fields.some((field) => field === line['field'])) return false;
  if (outcome !== undefined && line['outcome'] !== outcome) return false;
  if (side !== undefined && line['side'] !== side) return false;
  return until === undefined || Date.parse(line.time) <= until;
}

/** For a filter that found nothing. Throws OperatorError if it names a run that does not exist. */
export async function refuseUnknownRun({ config, store }: Operator, { sync, run }: LogFilter): Promise<void> {
  if (run === undefined) return;
  const jobs = selectAll(config, sync === undefined ? [] : [sync].flat());
  for (const name of jobs) if ((await store.sync(name).readRun(run)) !== undefined) return;
  const { lines } = await store.historyPage({ run, limit: 1, ...(sync !== undefined && { sync }) });
  if (lines.length > 0) return;
  const last = await store.lastRuns({ jobs, limit: Math.ceil(runsMax / jobs.length) });
  const known = [...last.values()].flat().map((each) => each.run);
  const of = sync === undefined ? '' : ` of ${[sync].flat().join(' and ')}`;
  const hint = didYouMean(run, known) || '; leadsheet runs lists the latest';
  // Status names the last run, whatever it did.
  const more = runForm.test(run)
    ? `${hint.endsWith('?') ? ' A' : '; a'} run that finds nothing to do leaves no trace`
    : '';
  throw new OperatorError('unknown', `there is no run ${run}${of}${hint}${more}`);
}

/** The id of a run: its day and time, and some letters. */
const runForm = /^\d{8}-\d{6}-/;

/** The latest runs among which a misspelt run is looked for: as many as the state keeps of one job, and of several as many together. */
const runsMax = 1_000;

/** The history knows contacts by uuid, also deleted ones. Only links know a contact's other identifiers. */
async function findContacts(
  operator: Operator,
  contact: string,
  among: readonly string[] | undefined,
): Promise<readonly string[]> {
  if (isUuid(contact)) return [contact.toLowerCase()];
  const syncs = operator.config.syncs.map(({ name }) => name).filter((name) => among?.includes(name) ?? true);
  const found = await findRecords(operator, contact, syncs);
  if (found.length === 0) {
    throw new OperatorError('nothing', `${noContactText(contact)}; the history knows others by their uuid`);
  }
  return [...new Set(found.map((record) => record.contact))];
}

/** The keys under which the history has a field. Throws OperatorError if no job has the field. */
function fieldsOf({ config }: Operator, field: string, among: readonly string[] | undefined): readonly string[] {
  const columns = mappedColumns(config).filter(({ job }) => among?.includes(job) ?? true);
  const written = field.trim().toLowerCase();
  const meant = columns.filter(({ key, header }) => [key, header].some((name) => name.toLowerCase() === written));
  if (meant.length > 0) return [...new Set(meant.map(({ key }) => key))];
  const hint = didYouMean(
    field,
    columns.flatMap(({ key, header }) => [key, header]),
  );
  const names = [...new Set(columns.map(({ key }) => key))].join(', ');
  throw new OperatorError('unknown', `no column is mapped to a field ${field}${hint || `; there are ${names}`}`);
}

interface MappedColumn {
  readonly job: string;
  /** The name of the field in the history. */
  readonly key: string;
  readonly header: string;
}

/** Every column of every job, in the order of the file. */
export function mappedColumns({ syncs, feeds, outboxes }: Operator['config']): readonly MappedColumn[] {
  return [
    ...[...syncs, ...feeds].flatMap(({ name, columns }) =>
      columns.map(({ key, header }): MappedColumn => ({ job: name, key, header })),
    ),
    ...outboxes.flatMap(({ name, columns }) =>
      columns.map(({ field, header }): MappedColumn => ({ job: name, key: field.name, header })),
    ),
  ];
}
