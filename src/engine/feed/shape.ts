// One feed as the planner sees it, and the way there and back: made once from the configuration.
import type { FeedConfig } from '../../config/config.ts';
import type { CollectionRecord } from '../../crm/port.ts';
import type { ColumnKey, CellInput, Row, TableSpec } from '../../sheets/port.ts';
import type { FieldChange } from '../../sync/change.ts';
import type { FeedRecord, FeedRow } from '../../sync/feed/input.ts';
import { type FeedField, readField, toFeedCell } from '../../sync/feed/value.ts';
import { formatByKind } from '../column-format.ts';
import { statusKey } from '../status-column.ts';

export interface FeedShape {
  readonly fields: readonly FeedField[];
  /** The field that people may set, if they may (E7). */
  readonly controlled?: string;
  readonly table: TableSpec;
  readonly fromRecord: (record: CollectionRecord) => FeedRecord;
  readonly fromRow: (row: Row) => FeedRow;
  readonly toCells: (fields: readonly FieldChange[]) => Record<ColumnKey, CellInput>;
}

export function createFeedShape(config: FeedConfig): FeedShape {
  const isId = ({ key }: FeedConfig['columns'][number]) => key === 'uuid';
  const fields = config.columns
    .filter((column) => !isId(column))
    .map(({ key, header, path, kind }): FeedField => ({
      name: key,
      header,
      path,
      kind: path.length > 1 ? 'inner' : kind,
    }));
  const byName = new Map(fields.map((field) => [field.name, field]));
  return {
    fields,
    ...(config.controlled !== undefined && { controlled: config.controlled }),
    table: {
      spreadsheet: config.sheet.spreadsheetId,
      tab: config.sheet.tab,
      headerRow: config.sheet.headerRow,
      idHeader: config.columns.find(isId)!.header,
      owner: config.name,
      columns: [
        ...fields.map(({ name, header, kind }) => ({
          key: name,
          header,
          format: kind === 'inner' ? 'text' : formatByKind[kind],
        })),
        { key: statusKey, header: config.sheet.statusHeader, format: 'text', isOwn: true },
      ],
    },
    fromRecord: (record) => ({ uuid: record.uuid, values: fields.map((field) => readField(field, record)) }),
    fromRow: ({ number, id, cells, formulas }) => ({
      number,
      id,
      cells: fields.map(({ name }) => cells[name]),
      formulas,
    }),
    toCells: (changes) =>
      Object.fromEntries(changes.map(({ field, after }) => [field, toFeedCell(byName.get(field)!, after)])),
  };
}
