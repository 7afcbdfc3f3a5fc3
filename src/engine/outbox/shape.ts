// The shape of an outbox: turns cells into values of the planner and back. Created once from the configuration.
import type { OutboxConfig } from '../../config/config.ts';
import type { CellInput, ColumnKey, Row, TableSpec } from '../../sheets/port.ts';
import type { FieldChange } from '../../sync/change.ts';
import type { OutboxField, OutboxRow } from '../../sync/outbox/message.ts';
import { type SentField, toSentCell } from '../../sync/outbox/cells.ts';
import { statusKey } from '../status-column.ts';

export interface OutboxShape {
  readonly fields: readonly OutboxField[];
  readonly table: TableSpec;
  readonly fromRow: (row: Row) => OutboxRow;
  /** The cells for changed fields of a sent message. */
  readonly toCells: (fields: readonly FieldChange[]) => Record<ColumnKey, CellInput>;
  readonly headerOf: (key: string) => string;
}

const sendKey = '#send';
const [uuidKey, sentKey, deliveryKey] = ['#uuid', '#sent', '#delivery'] as const satisfies readonly SentField[];

export function createOutboxShape({ name, sheet, columns, headers }: OutboxConfig): OutboxShape {
  const fields = columns.map(({ field, header }): OutboxField => ({ ...field, header }));
  const all: TableSpec['columns'] = [
    ...fields.map((field) => ({ key: field.name, header: field.header, format: 'text' as const })),
    { key: sendKey, header: headers.send, format: 'text' },
    { key: uuidKey, header: headers.uuid, format: 'text' },
    { key: sentKey, header: headers.sentAt, format: 'date-time' },
    { key: deliveryKey, header: headers.delivery, format: 'text' },
    { key: statusKey, header: headers.status, format: 'text' },
  ];
  const headerByKey = new Map(all.map(({ key, header }) => [key, header]));
  return {
    fields,
    table: {
      spreadsheet: sheet.spreadsheetId,
      tab: sheet.tab,
      headerRow: sheet.headerRow,
      idHeader: sheet.idHeader,
      owner: name,
      columns: all,
    },
    fromRow: ({ number, id, cells, formulas }) => ({
      number,
      id,
      cells: fields.map((field) => cells[field.name]),
      send: cells[sendKey],
      isSendFormula: formulas.includes(sendKey),
      uuid: cells[uuidKey],
      sentAt: cells[sentKey],
      delivery: cells[deliveryKey],
      status: cells[statusKey],
    }),
    toCells: (changes) => Object.fromEntries(changes.map(({ field, after }) => [field, toSentCell(field, after)])),
    headerOf: (key) => headerByKey.get(key) ?? key,
  };
}
