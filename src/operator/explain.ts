// Explains why a record is as it is: from the state alone, or with what both sides hold at this moment.
import { didYouMean } from '../lib/nearest.ts';
import { jobsIn } from '../config/jobs.ts';
import { emailFields, recipientTerm, textsIn } from '../engine/found-by.ts';
import { findRun } from '../engine/runs.ts';
import { standingOf } from '../engine/standing.ts';
import { lastSeen } from '../sync/record/base.ts';
import { normalEmail } from '../sync/value/same.ts';
import type { ExplainAnswer, ExplainedMessage, ExplainedRecord, Hit } from './answers/explain.ts';
import { OperatorError } from './errors.ts';
import { commandText } from './explain/commands.ts';
import { findMeant, type Meant, nothingFound } from './explain/find.ts';
import { type LiveSides, readLive } from './explain/live.ts';
import { explainFeedRecord, explainMessage, explainOutboxRow, openMessages } from './explain/others.ts';
import { explainContact } from './explain/record.ts';
import type { Operator } from './operator.ts';
import { pauseNow, pauseWords } from './pause.ts';
import { isUuid } from './records.ts';
import { selectAll } from './select.ts';
import { rowsById } from './rows-by-id.ts';
import { readStatus } from './standing.ts';

export interface ExplainQuery {
  /** uuid, e-mail address, name, `row:17`, `Prospects!E5`; of an outbox row its ID. */
  readonly reference: string;
  /** Name of a mapped field, or the header of its column; left out: all. */
  readonly field?: string | undefined;
  readonly job?: string | undefined;
  /** Left out: neither side is asked. */
  readonly live?: LiveSides | undefined;
}

/** Changes nothing. Throws OperatorError and StateError; with `live` what the ports throw. */
export async function explain(operator: Operator, query: ExplainQuery): Promise<ExplainAnswer> {
  const { job } = query;
  // Pages and tables write the number of a row as `row 17`.
  const reference = query.reference.replace(/^\s*row\s+(\d+)\s*$/i, 'row:$1');
  if (job !== undefined) selectAll(operator.config, [job]);
  const found = await findMeant(operator, reference, job);
  const meant = found.length > 0 ? found : await findDeleted(operator, reference, job);
  if (meant.length === 0) throw nothingFound(operator, reference);
  const contacts = new Set(meant.map(({ id, row, job: { name } }) => id ?? `${name} ${row}`));
  if (contacts.size > 1)
    return { reference: query.reference, hits: meant.map((each) => toHit(each, query)), records: [] };
  const records: ExplainedRecord[] = [];
  for (const each of meant)
    records.push(
      selectField(await withLastRun(operator, await explainMeant(operator, each, query)), query.field ?? each.field),
    );
  return { reference: query.reference, hits: [], records };
}

/** The report of an undo is later than the last run that the state compares others with. */
async function withLastRun({ store }: Operator, record: ExplainedRecord): Promise<ExplainedRecord> {
  const [last] = (await store.lastRuns({ jobs: [record.job], limit: 1 })).get(record.job) ?? [];
  if (last === undefined || last.endedAt < (record.last_run?.ended_at ?? '')) return record;
  return { ...record, last_run: { run: last.run, status: last.status, ended_at: last.endedAt } };
}

/** What keeps the whole job from being written stands beside each of its records. */
async function explainMeant(operator: Operator, meant: Meant, query: ExplainQuery): Promise<ExplainedRecord> {
  const { name } = meant.job;
  const stops = await readStops(operator, name);
  const record = await explainRecord(operator, meant, query, stops.length > 0);
  const paused = pauseNow(meant.standing.paused, operator);
  const resume = { text: 'let it run by itself again', command: commandText('resume', name) };
  return {
    ...record,
    holds: [...record.holds, ...stops, ...(paused ? [`${name} is ${pauseWords(paused)}`] : [])],
    hold_remedies: [...record.hold_remedies, ...(paused ? [resume] : [])],
  };
}

/** G1: why the last run stopped before it planned anything. A run that found nothing to do is newer, and leaves no report. */
async function readStops(operator: Operator, name: string): Promise<readonly string[]> {
  const { store } = operator;
  const [last] = (await store.lastRuns({ jobs: [name], limit: 1 })).get(name) ?? [];
  if (last?.status !== 'failed') return [];
  const [job] = (await readStatus(operator, [name])).syncs;
  if (job?.last_run?.run !== last.run) return [];
  return (await findRun(store.sync(name), last.run))?.holds.map(({ reason }) => reason) ?? [];
}

async function explainRecord(
  operator: Operator,
  meant: Meant,
  { live }: ExplainQuery,
  isStopped: boolean,
): Promise<ExplainedRecord> {
  const { job, id, loaded } = meant;
  switch (job.kind) {
    case 'sync': {
      const now =
        live && id !== null ? await readLive({ ...live, now: operator.now() }, job.config, loaded, id) : undefined;
      const record = await explainContact(operator, { ...meant, job, isStopped }, now);
      return id === null ? record : { ...record, messages: await messagesTo(operator, id, emailsOf(meant, id)) };
    }
    case 'feed':
      return explainFeedRecord(operator, meant, job.config);
    case 'outbox':
      return explainOutboxRow(meant);
  }
}

/** The addresses that either side held last, in normal form. */
function emailsOf({ standing, loaded }: Meant, uuid: string): readonly string[] {
  const link = standing.links.get(uuid);
  const fields = loaded.facts.get('fields');
  if (!link || !Array.isArray(fields)) return [];
  const texts = (['crm', 'sheet'] as const).flatMap((side) =>
    textsIn(lastSeen(link, side), fields.map(String), emailFields),
  );
  return [...new Set(texts.map(normalEmail))];
}

/**
 * Messages of outboxes to this contact, the latest first. The contact of a message is known once the service was asked about
 * it; until then the row names it, by its uuid or by one of `emails`.
 */
async function messagesTo(
  { config, store }: Operator,
  uuid: string,
  emails: readonly string[],
): Promise<ExplainedMessage[]> {
  const named = [uuid, ...emails];
  const messages: ExplainedMessage[] = [];
  for (const { name } of config.outboxes) {
    const state = store.sync(name);
    const standing = standingOf(await state.loadSome({ terms: named.map(recipientTerm) }));
    const ofContact = [...standing.messages].filter(([, { to, recipient }]) =>
      to === undefined ? recipient !== undefined && named.includes(recipient) : to === uuid,
    );
    if (ofContact.length === 0) continue;
    const openOf = openMessages(standing);
    const rowById = rowsById((await state.readRows()) ?? new Map(), standing.lastRun?.problems);
    for (const [id, message] of ofContact) {
      const row = rowById.get(id) ?? openOf(id).problem?.row ?? null;
      messages.push(explainMessage(name, id, row, message, openOf(id)));
    }
  }
  return messages.toSorted((a, b) => b.time.localeCompare(a.time));
}

/** Links forget contacts that were deleted; the history knows them by their uuid. */
async function findDeleted(operator: Operator, reference: string, only: string | undefined): Promise<readonly Meant[]> {
  if (!isUuid(reference)) return [];
  const id = reference.toLowerCase();
  const found: Meant[] = [];
  for (const job of jobsIn(operator.config)) {
    if (job.kind !== 'sync' || (only !== undefined && job.name !== only)) continue;
    const { lines } = await operator.store.historyPage({ sync: job.name, contact: id, limit: 1 });
    if (lines.length === 0) continue;
    const loaded = await operator.store.sync(job.name).loadSome({ keys: [id] });
    found.push({ job, loaded, standing: standingOf(loaded), id, row: null, name: id });
  }
  return found;
}

function selectField(record: ExplainedRecord, field: string | undefined): ExplainedRecord {
  if (field === undefined || record.fields.length === 0) return record;
  const plain = (text: string) => text.trim().toLowerCase();
  const hit =
    record.fields.find((each) => each.field === field) ??
    record.fields.find((each) => [each.field, each.header].some((name) => plain(name) === plain(field)));
  if (!hit) {
    const names = record.fields.flatMap((each) => [each.field, each.header]);
    const hint = didYouMean(field, names) || `; there are ${record.fields.map((each) => each.field).join(', ')}`;
    throw new OperatorError('unknown', `${record.job} has no field ${field}${hint}`);
  }
  const isOfField = (each: { readonly field: string | null }) => each.field === null || each.field === hit.field;
  const { next } = record;
  return {
    ...record,
    fields: [hit],
    problems: record.problems.filter(isOfField),
    next: next && { ...next, changes: next.changes.filter(isOfField) },
  };
}

function toHit({ job, id, name, row }: Meant, { field }: ExplainQuery): Hit {
  const reference = id ?? `row:${row ?? '?'}`;
  const words = ['explain', reference, ...(field === undefined ? [] : [field]), '--sync', job.name];
  return { job: job.name, kind: job.kind, id, name, row, command: commandText(...words) };
}
