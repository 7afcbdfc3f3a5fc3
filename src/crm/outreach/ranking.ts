// Ranks the records of a listing by the field of its order; records that are equal in it share a rank.
import type { CollectionRecord } from '../port.ts';

export interface RankingOptions<T> {
  /** Left out: each record has a rank of its own. */
  readonly orderField?: string | undefined;
  /** The largest number of records that are taken. */
  readonly recordsMax: number;
  /** Only these are taken, and count. */
  readonly isWanted: (record: T) => boolean;
}

/** Ranks are counted from 0, in the order in which they first came. */
export interface Ranking<T> {
  /** Returns the rank. Of a record that comes twice the first form counts. */
  add(record: T): number;
  /** Different records. */
  readonly size: number;
  /** The rank of the last record that is taken; undefined: there are fewer than `recordsMax`. */
  lastRank(): number | undefined;
  /** Different records of this rank and of those before. */
  countTo(rank: number): number;
  /**
   * The first `recordsMax` of those that are wanted, and whether there are more. The service may list equal records in
   * another order each time. So where the limit parts equal ones, those with the lowest uuids are taken.
   */
  taken(): { readonly records: readonly T[]; readonly isMore: boolean };
}

export function createRanking<T extends CollectionRecord>(options: RankingOptions<T>): Ranking<T> {
  const { orderField, recordsMax, isWanted } = options;
  const rankByKey = new Map<string, number>();
  const rankByUuid = new Map<string, number>();
  const ranked: { count: number; readonly wanted: T[] }[] = [];

  /** A database may order texts without regard to case. A field that an answer leaves out does not show equals. */
  function keyOf(record: T): string {
    const value = orderField === undefined ? undefined : record[orderField];
    return value === undefined ? `uuid ${record.uuid}` : JSON.stringify(value).toLowerCase();
  }

  function rankOf(key: string): number {
    const known = rankByKey.get(key);
    if (known !== undefined) return known;
    const rank = ranked.push({ count: 0, wanted: [] }) - 1;
    rankByKey.set(key, rank);
    return rank;
  }

  function lastRank(): number | undefined {
    if (recordsMax === Infinity) return undefined;
    let left = recordsMax;
    const rank = ranked.findIndex(({ wanted }) => (left -= wanted.length) <= 0);
    return rank === -1 ? undefined : rank;
  }

  return {
    add(record) {
      const known = rankByUuid.get(record.uuid);
      if (known !== undefined) return known;
      const rank = rankOf(keyOf(record));
      rankByUuid.set(record.uuid, rank);
      ranked[rank]!.count += 1;
      if (isWanted(record)) ranked[rank]!.wanted.push(record);
      return rank;
    },
    get size() {
      return rankByUuid.size;
    },
    lastRank,
    countTo: (rank) => ranked.slice(0, rank + 1).reduce((sum, { count }) => sum + count, 0),
    taken() {
      const last = lastRank();
      const inOrder = ranked.flatMap(({ wanted }, rank) =>
        rank === last ? wanted.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1)) : wanted,
      );
      return { records: inOrder.slice(0, recordsMax), isMore: inOrder.length > recordsMax };
    },
  };
}
