// Reads whole listings of the service, page by page.
import { GatewayError, ValidationError } from '../errors.ts';
import { isLastPage, type Page } from './operations/answers.ts';
import type { Operation } from './operations/define.ts';
import type { List } from './operations/records.ts';
import { operations } from './operations/table.ts';
import type { CollectionReading, CollectionRecord } from '../port.ts';
import { createRanking, type Ranking, type RankingOptions } from './ranking.ts';
import type { CallOptions, ServiceClient } from './service-client.ts';

interface PageQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly order_field?: string | undefined;
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
 * Limit on records that are read beyond `recordsMax` because they are equal in the order to the last one that is taken:
 * ten pages. Without it a collection of one date would be read whole, in up to a hundred calls.
 */
const equalsMax = 1000;

interface ListingOptions<T> extends CallOptions {
  /** The largest number of records, the first in the order that are wanted. Left out: all. */
  readonly recordsMax?: number;
  /** Left out: every record. For filters that the service may ignore: records that it lists in vain take no place. */
  readonly isWanted?: (record: T) => boolean;
}

/**
 * Reads the records of a collection (lists, automations, sender profiles, messages, e-mails), each once, and whether
 * they are all. The next offset counts the rows that came. Takes at most `recordsMax` records, in the order of the
 * query, and reads on to the end of those that are equal to the last one. Throws ServiceErrors, except for pages beyond
 * the service's window.
 */
export async function readCollection<Query extends PageQuery, T extends CollectionRecord>(
  client: ServiceClient,
  operation: Operation<Query, Page<T>>,
  query: Query,
  { recordsMax = Infinity, isWanted = () => true, ...call }: ListingOptions<T> = {},
): Promise<ListingReading<T>> {
  const ranked = { orderField: query.order_field, recordsMax, isWanted };
  const totals = new Set<number>();
  const known = new Map<string, T>();
  const read = () => readPass(client, operation, query, call, { ranked, totals, known });
  let pass = await read();
  for (let passes = 1; passes < passesMax && isTied(pass, totals); passes += 1) pass = await read();
  const { ranking, ranks, unreadable, end } = pass;
  const { records, isMore } = ranking.taken();
  const notice = whyPartial(pass, totals, query);
  if (notice !== undefined) return { records, coverage: 'partial', isDrifted: true, notice };
  // A record that came or went moved a page, which repeats or misses a record; a total that moved shows both.
  const isDrifted = totals.size > 1 || ranking.size < ranks.length + unreadable;
  return { records, coverage: isMore || end === 'limit' ? 'newest' : 'whole', isDrifted };
}

interface Pass<T> {
  /** The records of this pass, and those that only earlier ones showed. */
  readonly ranking: Ranking<T>;
  /** The rank of each row that is a record. */
  readonly ranks: readonly number[];
  /** Rows that were no records. */
  readonly unreadable: number;
  /**
   * `last page`; `limit`: all that are equal to the last record that is taken were read, and others follow; `equals`:
   * too many are equal to it; `window`: the service has more records and does not give them.
   */
  readonly end: 'last page' | 'limit' | 'equals' | 'window';
}

function whyPartial<T>(
  pass: Pass<T>,
  totals: ReadonlySet<number>,
  { order_field = 'created_at' }: PageQuery,
): string | undefined {
  const { ranking, ranks, unreadable, end } = pass;
  const rows = ranks.length + unreadable;
  const total = [...totals].at(-1) ?? rows;
  const only = (why: string) => `only ${ranking.size} of ${total} records could be listed: ${why}`;
  if (unreadable > 0) return only(`without a uuid, and so not readable: ${unreadable}`);
  if (end === 'window') return only('the service lists no more of them, and limit_rows takes the newest');
  if (end === 'equals')
    return `more than ${equalsMax} records have the ${order_field} of the last one that limit_rows takes: give the feed another order`;
  if (end === 'last page' && rows < total) return only('the pages ended before');
  return isTied(pass, totals) ? only('their order is another one in each answer') : undefined;
}

/** Records came twice: as many are missing from a total that did not move. */
function isTied<T>({ ranking, ranks, unreadable, end }: Pass<T>, totals: ReadonlySet<number>): boolean {
  const [total] = totals;
  if (totals.size !== 1) return false;
  if (end === 'last page') return ranks.length + unreadable >= total! && ranking.size + unreadable < total!;
  const last = ranking.lastRank();
  if (end !== 'limit' || last === undefined) return false;
  // Equal records change places among themselves alone, so that these rows are all that there are of their ranks.
  return ranking.countTo(last) < ranks.filter((rank) => rank <= last).length;
}

async function readPass<Query extends PageQuery, T extends CollectionRecord>(
  client: ServiceClient,
  operation: Operation<Query, Page<T>>,
  query: Query,
  call: CallOptions,
  {
    ranked,
    totals,
    known,
  }: { readonly ranked: RankingOptions<T>; readonly totals: Set<number>; readonly known: Map<string, T> },
): Promise<Pass<T>> {
  const ranking = createRanking(ranked);
  const ranks: number[] = [];
  let rows = 0;
  let unreadable = 0;
  let enoughAt: number | undefined;
  let total: number | undefined;
  const endAs = (end: Pass<T>['end']): Pass<T> => {
    for (const record of known.values()) ranking.add(record);
    return { ranking, ranks, unreadable, end };
  };
  for (let page = 0; page < pagesMax; page += 1) {
    let answer: Page<T>;
    try {
      answer = await client.call(operation, { ...query, offset: rows }, { priority: 'scan', ...call });
    } catch (error) {
      const isBeyond = rows >= windowNear && (error instanceof ValidationError || error instanceof GatewayError);
      if (!isBeyond) throw error;
      // The page before was full, and its total said that no page follows.
      return endAs(rows < (total ?? Infinity) ? 'window' : 'last page');
    }
    const { data } = answer;
    ({ total } = answer);
    const ranksOfPage = data.map((record) => ranking.add(record));
    ranks.push(...ranksOfPage);
    for (const record of data) known.set(record.uuid, record);
    const ofPage = data.length + answer.unreadable;
    rows += ofPage;
    unreadable += answer.unreadable;
    if (total !== undefined) totals.add(total);
    if (isLastPage(answer, ofPage, rows)) return endAs('last page');
    const last = ranking.lastRank();
    if (last === undefined) continue;
    if (ranksOfPage.some((rank) => rank > last)) return endAs('limit');
    enoughAt ??= rows;
    if (rows - enoughAt >= equalsMax) return endAs('equals');
  }
  return endAs('window');
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
