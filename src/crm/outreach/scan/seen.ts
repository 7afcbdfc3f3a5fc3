// The contacts a scan has met, so that each is yielded once although it may come several times.
import type { ContactRow } from './contact-row.ts';

/** The contacts a scan has met so far. One table for all queries: there may be a hundred thousand. */
export interface Seen {
  /** A query is read from its first row. */
  begin(): void;
  /** The rows that no query showed before. */
  take(rows: readonly ContactRow[]): readonly ContactRow[];
  /** Contacts the query has shown so far. */
  count(): number;
  /** Contacts any query of the scan has shown so far. */
  total(): number;
  /** False: the query showed one of them twice, so something moved while it was read. */
  isSteady(): boolean;
}

export function createSeen(tally: { duplicates: number }): Seen {
  const uuids = new Set<string>();
  /**
   * Contacts that the query was the first to show. A list: it is searched only when a contact comes again, which is
   * rare.
   */
  let firstOfQuery: string[] = [];
  /** Contacts of the query that the scan knew before, and the first `indexed` of the list above. */
  let uuidsOfQuery = new Set<string>();
  let indexed = 0;
  let isSteady = true;

  /** For a contact that is not new to the scan. */
  function isNewToQuery(uuid: string): boolean {
    for (; indexed < firstOfQuery.length; indexed += 1) uuidsOfQuery.add(firstOfQuery[indexed]!);
    return isNew(uuidsOfQuery, uuid);
  }

  return {
    begin() {
      firstOfQuery = [];
      uuidsOfQuery = new Set();
      [indexed, isSteady] = [0, true];
    },
    take(rows) {
      const news: ContactRow[] = [];
      for (const row of rows) {
        if (isNew(uuids, row.uuid)) {
          firstOfQuery.push(row.uuid);
          news.push(row);
        } else {
          tally.duplicates += 1;
          if (!isNewToQuery(row.uuid)) isSteady = false;
        }
      }
      return news;
    },
    total: () => uuids.size,
    count: () => firstOfQuery.length + uuidsOfQuery.size - indexed,
    isSteady: () => isSteady,
  };
}

/** Adds it. Compares sizes: a search first would cost a second search. */
function isNew(uuids: Set<string>, uuid: string): boolean {
  const { size } = uuids;
  return uuids.add(uuid).size > size;
}
