// The cells of an outbox that say what was sent: how they are read, compared with the ledger and written (P5).
import type { FieldChange } from '../change.ts';
import { readCell, writeCell } from '../value/kinds.ts';
import { type Message, type OutboxRow, readPayload } from './message.ts';
import type { Value } from '../value/value.ts';

/** The columns that say what was sent. */
export type SentField = '#uuid' | '#sent' | '#delivery';

export function isBlankCell(cell: OutboxRow['uuid']): boolean {
  return readPayload(cell) === null;
}

export function textOf(cell: OutboxRow['uuid']): string {
  const said = readPayload(cell);
  return typeof said === 'string' ? said.trim() : '';
}

/** Epoch milliseconds; undefined: the cell holds no time. */
export function instantOf({ sentAt }: OutboxRow): number | undefined {
  const reading = readCell('timestamp', sentAt);
  return typeof reading === 'string' ? Date.parse(reading) : undefined;
}

/** `2026-11-21 09:00Z` */
export function instantText(at: number): string {
  return at === 0 ? 'an earlier time' : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

/** P5: the cells that differ from the ledger. */
export function sentCells(row: OutboxRow, { uuid, at, delivery }: Message): readonly FieldChange[] {
  const why = { rule: 'P5', reason: 'what became of it' } as const;
  const cells: FieldChange[] = [];
  const put = (field: SentField, before: Value, after: Value) => cells.push({ field, before, after, ...why });
  if (uuid !== undefined && row.uuid !== undefined && textOf(row.uuid) !== uuid) put('#uuid', textOf(row.uuid), uuid);
  const time = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  if (at !== 0 && row.sentAt !== undefined && instantOf(row) !== Date.parse(time))
    put('#sent', textOf(row.sentAt), time);
  if (delivery !== undefined && row.delivery !== undefined && textOf(row.delivery) !== delivery) {
    put('#delivery', textOf(row.delivery), delivery);
  }
  return cells;
}

/** The value to write into one of these cells. */
export function toSentCell(field: string, value: Value): string | number | boolean {
  return writeCell(field === '#sent' ? 'timestamp' : 'text', value);
}
