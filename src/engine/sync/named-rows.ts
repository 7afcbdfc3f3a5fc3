// Finds the rows that people named by their number: the row is meant that they saw there, wherever it stands by now (L8, L9).
import { createHash } from 'node:crypto';
import { rowKey } from '../../sync/record/base.ts';
import type { RowRecord } from '../../sync/record/record.ts';
import type { DecisionRequest } from '../decision.ts';
import { type Memory, retriesIn } from './memory.ts';
import type { Pulled } from './pull.ts';

/** A row without a contact has no ID: its contents tell it from others. */
function contentsOf(row: RowRecord): string {
  return createHash('sha256').update(rowKey(row)).digest('hex').slice(0, 32);
}

/** By the number of a row, as far as it was read. For the problems of the last run. */
export function contentsByRow({ sheet }: Pick<Pulled, 'sheet'>): (row: number) => string | undefined {
  let byNumber: ReadonlyMap<number, RowRecord> | undefined;
  return (number) => {
    byNumber ??= new Map(sheet.rows.map((row) => [row.number, row]));
    const row = byNumber.get(number);
    return row && contentsOf(row);
  };
}

/**
 * The retries of rows for the rows as they stand now. `lost`: ids of the requests whose row is not there any more, or cannot be
 * told from others with the same contents; nothing comes of them.
 */
export function findNamedRows(
  memory: Memory,
  { sheet }: Pick<Pulled, 'sheet'>,
): { readonly memory: Memory; readonly lost: readonly string[] } {
  const named = [...memory.pending].filter(([, request]) => request.kind === 'retry' && request.contents !== undefined);
  if (named.length === 0) return { memory, lost: [] };
  const byContents = Map.groupBy(sheet.rows, contentsOf);
  const pending = new Map<string, DecisionRequest>(memory.pending);
  const lost: string[] = [];
  for (const [key, request] of named) {
    if (request.kind !== 'retry') continue;
    const rows = byContents.get(request.contents ?? '') ?? [];
    const row = rows.find(({ number }) => `row:${number}` === request.id) ?? (rows.length === 1 ? rows[0] : undefined);
    if (row) pending.set(key, { ...request, id: `row:${row.number}` });
    else lost.push(key);
  }
  const { retry, retryRequestIds } = retriesIn(new Map([...pending].filter(([key]) => !lost.includes(key))));
  return { memory: { ...memory, pending, requests: { ...memory.requests, retry }, retryRequestIds }, lost };
}
