// Reads whole listings of the service, page by page.
import { GatewayError, ValidationError } from '../errors.ts';
import { isLastPage, type Page } from './operations/answers.ts';
import type { Operation } from './operations/define.ts';
import type { List } from './operations/records.ts';
import { operations } from './operations/table.ts';
import type { CollectionReading } from '../port.ts';
import type { CallOptions, ServiceClient } from './service-client.ts';

interface PageQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** More pages than any account has: a listing that never ends must not keep a run for ever. */
const pagesMax = 10_000;

/** The listing of the port, with records of one type. */
type ListingReading<T> = Omit<CollectionReading, 'records'> & { readonly records: readonly T[] };

/** From this offset on a refused page means the service's window of 10,000 results (docs/service.md). */
const windowNear = 9000;

/**
 * Limit on readings of a listing. A record that comes twice while the total stays means that another one is missing:
 * records that are equal in the order change places between pages. Each reading misses a third of the missing ones
 * again.
 */
const passesMax = 8;

/**
 * Reads the records of a collection (lists, automations, sender profiles, messages, e-mails), each once, and whether
 * they are all. The next offset counts the rows that came. Takes at most `recordsMax` records, in the order of the
 * query. Throws ServiceErrors, except for pages beyond the service's window.
 */
export async function readCollection<Query extends PageQuery, T extends { readonly uuid: string }>(
  client: ServiceClient,
  operation: Operation<Query, Page<T>>,
  query: Query,
  { recordsMax = Infinity, ...options }: CallOptions & { readonly recordsMax?: number } = {},
): Promise<ListingReading<T>> {
  const records = new Map<string, T>();
  const totals = new Set<number>();
  let pass = await readPass(client, operation, query, options, { records, totals, recordsMax });
  for (let passes = 1; passes < passesMax && isTied(pass, records.size, totals, recordsMax); passes += 1) {
    pass = await readPass(client, operation, query, options, { records, totals, recordsMax });
  }
  const { rows, unreadable, isShort } = pass;
  const total = [...totals].at(-1) ?? rows;
  const wanted = [...records.values()].slice(0, recordsMax);
  const isMore = wanted.length < records.size || (records.size >= recordsMax && rows < total);
  if (unreadable > 0 || isShort || (!isMore && rows < total)) {
    const why =
      unreadable > 0
        ? `without a uuid, and so not readable: ${unreadable}`
        : isShort
          ? 'the service lists no more of them, and limit_rows takes the newest'
          : 'the pages ended before';
    const notice = `only ${records.size} of ${total} records could be listed: ${why}`;
    return { records: wanted, coverage: 'partial', isDrifted: true, notice };
  }
  if (isTied(pass, records.size, totals, recordsMax)) {
    const notice = `only ${records.size} of ${total} records could be listed: their order is another one in each answer`;
    return { records: wanted, coverage: 'partial', isDrifted: true, notice };
  }
  // A record that came or went moved a page, which repeats or misses a record; a total that moved shows both.
  const isDrifted = totals.size > 1 || records.size < rows;
  return { records: wanted, coverage: isMore ? 'newest' : 'whole', isDrifted };
}

interface Pass {
  /** Rows that came, and how many of them were no records. */
  readonly rows: number;
  readonly unreadable: number;
  /** The service has more records and does not give them. */
  readonly isShort: boolean;
}

/** Records came twice: as many are missing from a total that did not move. */
function isTied({ rows, unreadable }: Pass, count: number, totals: ReadonlySet<number>, recordsMax: number): boolean {
  const [total] = totals;
  return totals.size === 1 && count < recordsMax && rows >= total! && count + unreadable < total!;
}

async function readPass<Query extends PageQuery, T extends { readonly uuid: string }>(
  client: ServiceClient,
  operation: Operation<Query, Page<T>>,
  query: Query,
  options: CallOptions,
  seen: { readonly records: Map<string, T>; readonly totals: Set<number>; readonly recordsMax: number },
): Promise<Pass> {
  const { records, totals, recordsMax } = seen;
  let rows = 0;
  let unreadable = 0;
  let total: number | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    let answer: Page<T>;
    try {
      answer = await client.call(operation, { ...query, offset: rows }, { priority: 'scan', ...options });
    } catch (error) {
      const isBeyond = rows >= windowNear && (error instanceof ValidationError || error instanceof GatewayError);
      if (!isBeyond) throw error;
      // The page before was full, and its total said that no page follows.
      return { rows, unreadable, isShort: rows < (total ?? Infinity) };
    }
    const { data } = answer;
    ({ total } = answer);
    for (const record of data) if (!records.has(record.uuid)) records.set(record.uuid, record);
    const ofPage = data.length + answer.unreadable;
    rows += ofPage;
    unreadable += answer.unreadable;
    if (total !== undefined) totals.add(total);
    if (isLastPage(answer, ofPage, rows) || records.size >= recordsMax) return { rows, unreadable, isShort: false };
  }
  return { rows, unreadable, isShort: true };
}

export interface NamedLists {
  readonly lists: readonly List[];
  /** Why there may be others of that name, for people: not all lists were read. */
  readonly notice?: string;
}

/** The lists of exactly this name. The service allows more than one. */
export async function listsNamed(client: ServiceClient, name: string, options?: CallOptions): Promise<NamedLists> {
  // `q` narrows the search if the service supports it; the name decides. If `q` is ignored, all pages are read.
  const { records, notice } = await readCollection(client, operations.lists.list, { filter: { q: name } }, options);
  return { lists: records.filter((list) => list.name === name), ...(notice !== undefined && { notice }) };
}
