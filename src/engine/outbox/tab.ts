// Prepares the tab of an outbox: creates missing columns, and refuses a tab with other content.
import type { Inspection, Snapshot, TableSpec } from '../../sheets/port.ts';
import type { Facts } from '../stored/facts.ts';
import { sheetCall } from '../read-calls.ts';
import { RunFailed } from '../errors.ts';
import type { OutboxRun, OutboxTab } from './context.ts';
import { assertMade, columnsToCreate } from '../columns.ts';
import { statusKey } from '../status-column.ts';

/** Without `mayWrite`, missing columns are assumed to be blank and are not created. Throws SheetsErrors and RunFailed. */
export async function readTab(context: OutboxRun, facts: Facts, mayWrite: boolean): Promise<OutboxTab> {
  const { table } = context;
  const call = sheetCall(context);
  const read = await table.read(call);
  const doubled = [read.idColumn, ...read.columns].flatMap((column) =>
    column.kind === 'doubled' ? [`"${column.header}" (${column.letters.join(', ')})`] : [],
  );
  if (doubled.length > 0) throw new RunFailed(`header there twice: ${doubled.join('; ')}; rename one of them`);
  const hasId = read.idColumn.kind !== 'missing';
  if (!hasId) await assertOurs(context, read);
  const toCreate = columnsToCreate(read, { facts });
  const tab = { isIdColumnLost: !hasId && facts.table !== undefined };
  if (!mayWrite) return { ...tab, snapshot: read, missing: missingIn(read, toCreate) };
  if (read.leftovers > 0) await table.tidy(call);
  if (hasId && toCreate.length === 0 && read.unanchored.length === 0) {
    return { ...tab, snapshot: read, missing: missingIn(read) };
  }
  await table.ensure(read, toCreate, call);
  const snapshot = await table.read(call);
  assertMade(snapshot, toCreate);
  return { ...tab, snapshot, missing: missingIn(snapshot) };
}

export async function readAgain(context: OutboxRun, tab: OutboxTab): Promise<OutboxTab> {
  const snapshot = await context.table.read(sheetCall(context));
  return { ...tab, snapshot, missing: missingIn(snapshot) };
}

/** W11: without these columns it is unknown what a row says or whether it was sent. The result column may be missing. */
function missingIn({ columns }: Snapshot, imagined: readonly string[] = []): readonly string[] {
  return columns.flatMap(({ kind, key, header }) =>
    kind === 'missing' && key !== statusKey && !imagined.includes(key) ? [header] : [],
  );
}

async function assertOurs({ config, shape, inspect, request }: OutboxRun, { columns }: Snapshot): Promise<void> {
  const payload = new Set(shape.fields.map(({ name }) => name));
  if (columns.some(({ key, kind }) => payload.has(key) && kind !== 'missing')) return;
  const refused = whyNotOurs(config.name, shape.table, await inspect(request.signal), payload);
  if (refused !== undefined) throw new RunFailed(refused);
}

/** A tab that has headers, but none of the outbox's, belongs to something else. Undefined: the tab may be used. */
export function whyNotOurs(
  name: string,
  { columns, headerRow }: TableSpec,
  { title, idColumn, headerTexts, columns: found }: Inspection,
  payload: ReadonlySet<string>,
): string | undefined {
  const isKnown = found.some(({ key, kind }) => payload.has(key) && kind !== 'missing');
  if (idColumn.kind !== 'missing' || isKnown || headerTexts.length === 0) return undefined;
  const shown = headerTexts.slice(0, 5).map((text) => JSON.stringify(text));
  const wanted = columns.flatMap(({ key, header }) => (payload.has(key) ? [header] : []));
  return (
    `the tab "${title}" has none of the columns ${wanted.join(', ')}, and row ${headerRow} says ${shown.join(', ')}: ` +
    `nothing was written. Give the outbox ${name} a tab of its own or another header_row, or correct columns`
  );
}
