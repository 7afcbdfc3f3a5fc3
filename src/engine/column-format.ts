// The number format of a column, by the kind of its field (V7).
import type { ColumnFormat } from '../sheets/port.ts';
import type { Kind } from '../sync/value/kinds.ts';

export const formatByKind: Readonly<Record<Kind, ColumnFormat>> = {
  text: 'text',
  email: 'text',
  handle: 'text',
  integer: 'number',
  flag: 'text',
  timestamp: 'date-time',
  list: 'text',
  json: 'text',
};
