// The collection and the tab as they are now, as the planner of feeds reads them.
import { createHash } from 'node:crypto';
import type { FeedConfig } from '../../config/config.ts';
import type { Facts } from '../stored/facts.ts';
import type { Inspection } from '../../sheets/port.ts';
import type { FeedInput } from '../../sync/feed/input.ts';
import type { FeedRecord } from '../../sync/feed/input.ts';
import type { ColumnKey, Snapshot, TableSpec } from '../../sheets/port.ts';
import type { CollectionQuery } from '../../crm/port.ts';
import type { Problem } from '../../sync/change.ts';
import type { LastLook } from '../../sync/must-look.ts';
import type { Identities } from '../../sync/input.ts';
import { lookIfNeeded } from '../looking.ts';
import { RunFailed } from '../errors.ts';
import type { FeedRun } from './context.ts';
import { collectionsOf } from './context.ts';
import { judgeListing, type Noted, notedIn } from '../incomplete.ts';
import { assertMade, columnNotice, columnsToCreate, lostColumn, lostStatus } from '../columns.ts';
import { statusKey } from '../status-column.ts';

export interface FeedPulled {
  readonly records: readonly FeedRecord[];
  readonly coverage: FeedInput['coverage'];
  readonly isDrifted: boolean;
  readonly snapshot: Snapshot;
  /** The look that showed it. Left out: without hints, or for a plan. */
  readonly look?: LastLook | undefined;
  readonly identities: Identities;
  /** Columns that this run made, or would make if it were carried out. */
  readonly made: readonly ColumnKey[];
  /** Of the records; the rows have the fingerprint of the snapshot. */
  readonly digest: string;
  readonly notices: readonly string[];
  /** L12: what was not listed. */
  readonly problems: readonly Problem[];
  /** As `Facts.drifted`, after this listing. */
  readonly noted: Noted;
}

/** `idle`: both sides are as the last run left them, and that one had nothing to do. Throws what either port throws, and RunFailed. */
export async function pullFeed(context: FeedRun, facts: Facts, mayWrite: boolean): Promise<FeedPulled | 'idle'> {
  const { table, session, config, request } = context;
  const quiet = mayWrite ? session.quiet : undefined;
  const call = { signal: request.signal };
  const [{ seen, look }, listed] = await Promise.all([lookIfNeeded(context, quiet, call), pullRecords(context, facts)]);
  if (quiet && typeof seen === 'string' && quiet.digest === listed.digest && listed.problems.length === 0) {
    session.quiet = { ...quiet, look };
    return 'idle';
  }
  const read = typeof seen === 'string' ? await table.read(call) : seen;
  const { snapshot, made } = await prepareTab(context, facts, mayWrite, read);
  context.emit({ type: 'progress', sync: config.name, step: 'rows', done: snapshot.rows.length });
  return {
    ...listed,
    snapshot,
    look,
    made,
    identities: { crm: `${context.account} ${config.resource}`, sheet: sheetOf(context, snapshot) },
    notices: [...listed.notices, ...(mayWrite ? snapshot.columns.flatMap((column) => columnNotice(column)) : [])],
    problems: [
      ...listed.problems,
      ...lostFields(snapshot, made).map(({ header }) => lostColumn(header)),
      ...lostStatus(snapshot, made),
    ],
  };
}

/** Columns of fields that are not in the tab, and that this run does not make. */
export function lostFields({ columns }: Pick<Snapshot, 'columns'>, made: readonly ColumnKey[]) {
  return columns.filter(({ kind, key }) => kind === 'missing' && key !== statusKey && !made.includes(key));
}

function sheetOf({ shape }: FeedRun, { tabId }: Snapshot): string {
  return `${shape.table.spreadsheet} ${tabId}`;
}

/** Nothing is known of the columns of another tab. */
export function factsOfTab(facts: Facts, sheet: string): Facts {
  return facts.identities === undefined || facts.identities.sheet === sheet ? facts : {};
}

export function collectionQuery({ filter, order, rowsMax }: FeedConfig): CollectionQuery {
  return { filter, order, ...(rowsMax !== undefined && { recordsMax: rowsMax }) };
}

async function pullRecords(context: FeedRun, facts: Facts) {
  const { config, shape, request, emit, session } = context;
  const call = { signal: request.signal, priority: 'scan' as const };
  const reading = await collectionsOf(context).list(config.resource, collectionQuery(config), call);
  const records = reading.records.map(shape.fromRecord);
  emit({ type: 'progress', sync: config.name, step: 'records', done: records.length });
  return {
    records,
    coverage: reading.coverage,
    isDrifted: reading.isDrifted,
    digest: createHash('sha256').update(JSON.stringify(records)).digest('base64'),
    ...judgeListing(reading, session.noted ?? notedIn(facts)),
  };
}

async function prepareTab(
  context: FeedRun,
  facts: Facts,
  mayWrite: boolean,
  snapshot: Snapshot,
): Promise<Pick<FeedPulled, 'snapshot' | 'made'>> {
  const { table, request } = context;
  const call = { signal: request.signal };
  const doubled = [snapshot.idColumn, ...snapshot.columns].flatMap((column) =>
    column.kind === 'doubled' ? [`"${column.header}" (${column.letters.join(', ')})`] : [],
  );
  if (doubled.length > 0) throw new RunFailed(`header there twice: ${doubled.join('; ')}; rename one of them`);
  const isFirst = snapshot.idColumn.kind === 'missing';
  if (isFirst) await assertFree(context, snapshot);
  const known = { facts: factsOfTab(facts, sheetOf(context, snapshot)) };
  const made = isFirst ? snapshot.columns.map(({ key }) => key) : columnsToCreate(snapshot, known);
  if (!mayWrite) return { snapshot, made };
  if (snapshot.leftovers > 0) await table.tidy(call);
  if (!isFirst && made.length === 0 && snapshot.unanchored.length === 0) return { snapshot, made };
  await table.ensure(snapshot, made, call);
  const prepared = await table.read(call);
  assertMade(prepared, made);
  return { snapshot: prepared, made };
}

async function assertFree({ config, shape, inspect, request }: FeedRun, { rows }: Snapshot): Promise<void> {
  const refused = whyNotFree(config.name, shape.table, await inspect(request.signal), rows.length);
  if (refused !== undefined) throw new RunFailed(refused);
}

/**
 * F4. Without its ID column the tab is not, or not any more, the feed's. It becomes so only where nobody else has put
 * headers: a feed that spread beside somebody's table would mix its rows with theirs. Undefined: it may.
 */
export function whyNotFree(
  feed: string,
  { columns, headerRow, idHeader }: TableSpec,
  { title, idColumn, headerTexts }: Inspection,
  rows = 0,
): string | undefined {
  const ours = new Set(columns.map(({ header }) => header));
  const others = headerTexts.filter((text) => !ours.has(text));
  if (idColumn.kind !== 'missing' || (others.length === 0 && rows === 0)) return undefined;
  const shown = others.slice(0, 5).map((text) => JSON.stringify(text));
  const found = others.length > 0 ? `row ${headerRow} says ${shown.join(', ')}` : `there are ${rows} rows`;
  return (
    `the tab "${title}" has no column "${idHeader}", and ${found}: nothing was written. Give the feed ${feed} a tab ` +
    `of its own or another header_row; or, to have it in this one, type ${idHeader} into a free cell of row ${headerRow}`
  );
}
