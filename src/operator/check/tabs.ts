// Checks the tab of a job: it exists, no other job uses it, its columns exist, and they can be edited.
import type { FeedConfig, OutboxConfig, SyncConfig } from '../../config/config.ts';
import { nearestWord } from '../../lib/nearest.ts';
import { TabGoneError } from '../../sheets/errors.ts';
import type { Inspection, Sheets, TableSpec } from '../../sheets/port.ts';
import { headerSlips, isElsewhere, slipText } from '../../engine/columns.ts';
import { whyNotFree } from '../../engine/feed/pull.ts';
import { createFeedShape } from '../../engine/feed/shape.ts';
import { createOutboxShape } from '../../engine/outbox/shape.ts';
import { whyNotOurs } from '../../engine/outbox/tab.ts';
import { createShape } from '../../engine/sync/shape.ts';
import { type Finding, type Found, found, skipped } from './finding.ts';

/** The tab that a sync or feed writes to. */
export interface FoundTab {
  readonly owner: string;
  readonly spreadsheetId: string;
  /** As `Inspection.reference`. */
  readonly reference: string;
  readonly title: string;
  /** Rows that the tab has, blank ones included. */
  readonly rowCount: number;
}

export function checkTab(
  sync: SyncConfig,
  sheets: Sheets,
  signal: AbortSignal,
  tabs: FoundTab[],
  known: string | undefined,
): AsyncGenerator<Finding> {
  // The schedule has no effect on the tab: any interval will do.
  return checkSpec(sync.name, createShape(sync, Infinity).table, sheets, signal, tabs, known);
}

export function checkFeedTab(
  feed: FeedConfig,
  sheets: Sheets,
  signal: AbortSignal,
  tabs: FoundTab[],
  known: string | undefined,
): AsyncGenerator<Finding> {
  const { table } = createFeedShape(feed);
  return checkSpec(feed.name, table, sheets, signal, tabs, known, (inspected) =>
    whyNotFree(feed.name, table, inspected),
  );
}

export function checkOutboxTab(
  outbox: OutboxConfig,
  sheets: Sheets,
  signal: AbortSignal,
  tabs: FoundTab[],
  known: string | undefined,
): AsyncGenerator<Finding> {
  const { table, fields } = createOutboxShape(outbox);
  const payload = new Set(fields.map(({ name }) => name));
  return checkSpec(outbox.name, table, sheets, signal, tabs, known, (inspected) =>
    whyNotOurs(outbox.name, table, inspected, payload),
  );
}

async function* checkSpec(
  name: string,
  named: TableSpec,
  sheets: Sheets,
  signal: AbortSignal,
  tabs: FoundTab[],
  known: string | undefined,
  refuse: (inspected: Inspection) => string | undefined = () => undefined,
): AsyncGenerator<Finding> {
  let inspected: Inspection | undefined;
  let spec = named;
  yield* found(name, 'tab', async () => {
    inspected = await sheets.inspect(named, { signal }).catch(async (error: unknown) => {
      if (!(error instanceof TabGoneError) || known === undefined) throw error;
      spec = { ...named, tab: known };
      // If it is gone as well, the tabs that are there help more than its number.
      return sheets.inspect(spec, { signal }).catch(() => {
        throw error;
      });
    });
    const { title, reference, rowCount } = inspected;
    tabs.push({ owner: name, spreadsheetId: spec.spreadsheet, reference, title, rowCount });
    if (spec === named) return { verdict: 'ok', detail: `"${title}" (${reference}) is there, ${rowCount} rows` };
    const detail = `"${named.tab}" is "${title}" now (${reference}): its runs go on there; put the name back, or write tab: ${title}`;
    return { verdict: 'warning', detail };
  });
  if (!inspected) {
    yield skipped(name, 'headers and permissions', 'the tab was not found');
    return;
  }
  const refused = refuse(inspected);
  yield refused === undefined
    ? { about: name, what: 'headers', ...judgeHeaders(inspected, spec) }
    : { about: name, what: 'headers', verdict: 'failed', detail: refused };
  yield* found(name, 'permission', async () => {
    await sheets.checkMayWrite(spec, { signal });
    return { verdict: 'ok', detail: `${sheets.account} may edit the spreadsheet` };
  });
  yield { about: name, what: 'protected ranges', ...judgeForbidden(inspected, sheets.account) };
}

function judgeHeaders(inspected: Inspection, { headerRow }: TableSpec): Found {
  const { columns, idColumn, headerTexts } = inspected;
  const all = [idColumn, ...columns];
  const doubled = all.flatMap((column) => (column.kind === 'doubled' ? [column] : []));
  if (doubled.length > 0) {
    const elsewhere = doubled.filter(({ header }) => isElsewhere(header, headerTexts));
    const twice = doubled.filter((column) => !elsewhere.includes(column));
    const places = twice.map(({ header, letters }) => `"${header}" in columns ${letters.join(' and ')}`);
    const moved = elsewhere.map(({ header }) => `"${header}"`).join(', ');
    const details = [
      ...(twice.length > 0 ? [`there twice: ${places.join('; ')}; rename one of them`] : []),
      ...(elsewhere.length > 0
        ? [
            `above another column than before: ${moved}; put it back, or, if the mapping gave a header to another field, take these columns out of it for one run`,
          ]
        : []),
    ];
    return { verdict: 'failed', detail: details.join('; ') };
  }
  const slips = headerSlips(inspected);
  if (slips.length > 0) return { verdict: 'failed', detail: slips.map(slipText).join('; ') };
  const missing = all.flatMap((column) => (column.kind === 'missing' ? [column.header] : []));
  const renamed = all.flatMap((column) => (column.kind === 'renamed' ? [column] : []));
  if (missing.length === all.length && headerTexts.length > 0) {
    const shown = headerTexts.slice(0, 5).map((text) => `"${text}"`);
    return {
      verdict: 'failed',
      detail: `none of the mapped headers is in row ${headerRow}, which says ${shown.join(', ')}: correct header_row or columns`,
    };
  }
  const known = new Set(all.map(({ header }) => header));
  const unmapped = headerTexts.filter((text) => !known.has(text));
  const misspelt = missing.flatMap((header) => {
    const near = nearestWord(header, unmapped);
    return near === undefined ? [] : [`"${header}" is not there, did you mean "${near}"?`];
  });
  const notes = [
    ...misspelt,
    ...renamed.map(
      ({ header, headerNow, letter }) =>
        `"${header}" is "${headerNow}" now (column ${letter}): put it back, or change the mapping`,
    ),
  ];
  const created = missing.length === 0 ? '' : `; the first run makes: ${missing.join(', ')}`;
  return notes.length > 0
    ? { verdict: 'warning', detail: `${notes.join('; ')}${created}` }
    : { verdict: 'ok', detail: `${all.length - missing.length} of ${all.length} are there${created}` };
}

function judgeForbidden({ forbidden }: Inspection, account: string): Found {
  return forbidden.length === 0
    ? { verdict: 'ok', detail: 'none over our columns' }
    : {
        verdict: 'failed',
        detail:
          `${account} may not edit ${forbidden.join(', ')}: ` +
          'its owner can add the account under Data, Protected sheets and ranges',
      };
}

/** Only the spreadsheet knows whether `gid:7` and "Prospects" are the same tab. */
export function* sharedTabs(tabs: readonly FoundTab[]): Generator<Finding> {
  for (const [index, { owner, spreadsheetId, reference, title }] of tabs.entries()) {
    const first = tabs
      .slice(0, index)
      .find((other) => other.spreadsheetId === spreadsheetId && other.reference === reference);
    if (!first) continue;
    const detail = `"${title}" (${reference}) is the tab that ${first.owner} writes: give each a tab of its own`;
    yield { about: owner, what: 'tab', verdict: 'failed', detail };
  }
}
