// Rows of a feed by their IDs: which row belongs to a record, and which rows are copies of it (F2, I4).
import { problem, type Problem, firstFew } from '../change.ts';
import type { FeedInput, FeedLink, FeedRecord, FeedRow } from './input.ts';
import { type FeedField, isSameInCell } from './value.ts';
import type { Cell } from '../value/kinds.ts';

interface SortedRows {
  readonly keeperByUuid: ReadonlyMap<string, FeedRow>;
  /** For `FeedLink.copies`: every ID that several rows have. An ID without a keeper is in doubt. */
  readonly copiesByUuid: ReadonlyMap<string, readonly string[]>;
  readonly problems: readonly Problem[];
}

type RowsInput = Pick<FeedInput, 'rows' | 'records' | 'fields' | 'links'>;

export function sortFeedRows({ rows, records, fields, links }: RowsInput): SortedRows {
  const problems: Problem[] = [];
  const rowsByUuid = new Map<string, FeedRow[]>();
  for (const row of rows) {
    const known = rowsByUuid.get(row.id);
    if (row.id === '') {
      problems.push(problem('ignored', { row: row.number }, 'F2', 'no record of the feed: it has no ID'));
    } else if (known) known.push(row);
    else rowsByUuid.set(row.id, [row]);
  }
  const recordByUuid = new Map(records.map((record) => [record.uuid, record]));
  const keeperByUuid = new Map<string, FeedRow>();
  const copiesByUuid = new Map<string, readonly string[]>();
  for (const [uuid, all] of rowsByUuid) {
    const record = recordByUuid.get(uuid);
    const keeper = all.length === 1 ? all[0] : keeperOf(fields, record, all, links.get(uuid));
    if (keeper) keeperByUuid.set(uuid, keeper);
    const others = all.filter((row) => row !== keeper);
    if (all.length > 1) copiesByUuid.set(uuid, record ? contentsUnlike(fields, record, others) : []);
    for (const { number } of others) problems.push(problem('quarantined', { row: number }, 'I4', whyApart(number)));

    function whyApart(number: number): string {
      if (keeper) return `copy of row ${keeper.number}: delete one of them`;
      const numbers = firstFew(all.flatMap((row) => (row.number === number ? [] : [row.number])));
      return `has the same ID as row ${numbers}, and cannot be told from a copy: delete all but one of them`;
    }
  }
  return { keeperByUuid, copiesByUuid, problems };
}

/**
 * The row of the record: one that is no known copy; of several, the one that differs from the record in the fewest
 * fields. If two different rows differ in equally many fields, it is in doubt, and neither is written. If the record is
 * not listed, the upper row is taken.
 */
function keeperOf(
  fields: readonly FeedField[],
  record: FeedRecord | undefined,
  rows: readonly FeedRow[],
  link: FeedLink | undefined,
): FeedRow | undefined {
  const upperFirst = rows.toSorted((a, b) => a.number - b.number);
  if (!record) return upperFirst[0];
  const known = new Set(link?.isInDoubt ? [] : link?.copies);
  const originals = upperFirst.filter((row) => !known.has(contentOf(row)));
  const pool = originals.length > 0 ? originals : upperFirst;
  const distances = new Map(pool.map((row) => [row, differing(fields, record, row).length]));
  const least = Math.min(...distances.values());
  const nearest = pool.filter((row) => distances.get(row) === least);
  const isPlain = least === 0 || new Set(nearest.map(contentOf)).size === 1;
  return isPlain ? nearest[0] : undefined;
}

/** For `FeedLink.copies`: what the other rows with the ID of the record hold. `row`: the number of its own row. */
export function copiesBeside(
  { rows, fields }: Pick<RowsInput, 'rows' | 'fields'>,
  record: FeedRecord,
  row: number | null,
): readonly string[] {
  return contentsUnlike(
    fields,
    record,
    rows.filter(({ id, number }) => id === record.uuid && number !== row),
  );
}

/** A copy that equals the record cannot be told from its row, and is not stored. */
function contentsUnlike(fields: readonly FeedField[], record: FeedRecord, rows: readonly FeedRow[]): readonly string[] {
  const unlike = rows.filter((row) => differing(fields, record, row).length > 0);
  return [...new Set(unlike.map(contentOf))].toSorted();
}

function contentOf({ cells }: FeedRow): string {
  return JSON.stringify(cells.map((cell: Cell | undefined) => cell ?? null));
}

/** Indexes of the fields in which the row differs from the record. An unknown value differs from nothing. */
export function differing(fields: readonly FeedField[], { values }: FeedRecord, { cells }: FeedRow): readonly number[] {
  return fields.flatMap((field, index) => {
    const [value, cell] = [values[index], cells[index]];
    return value === undefined || cell === undefined || isSameInCell(field, value, cell) ? [] : [index];
  });
}
