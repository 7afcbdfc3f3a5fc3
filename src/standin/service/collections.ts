// Pages of the small collections: filter, order and paging.
import { isObject } from '../../crm/outreach/operations/answers.ts';
import type { Fields } from '../../crm/outreach/operations/shape.ts';
import { byField } from './order.ts';
import { pageLimit } from './paging.ts';
import type { Window } from './paging.ts';
import { invalid } from './refusal.ts';
import type { Switches } from './switches.ts';

export interface CollectionRequest {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly order_field?: string | undefined;
  readonly order_type?: 'asc' | 'desc' | undefined;
  /** Equality by field, a range by operator, and `q`. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
}

export interface CollectionRules<Row> {
  readonly shape: { readonly fields: Fields };
  /** The fields that `q` searches. */
  readonly freeText: readonly (keyof Row & string)[];
  readonly orderDefault?: 'asc' | 'desc';
  readonly rowsMax: number;
}

/** A page of one of the small collections: lists, automations, sender profiles, messages, e-mails. */
export function collectionPage<Row extends object>(
  rows: Iterable<Row>,
  { filter = {}, order_field = 'created_at', offset = 0, ...request }: CollectionRequest,
  { shape, freeText, orderDefault = 'asc', rowsMax }: CollectionRules<Row>,
  switches: Switches,
): Window<Row> {
  if (!Object.hasOwn(shape.fields, order_field)) throw invalid({ order_field: ['There is no such field.'] });
  const limit = pageLimit(request.limit, rowsMax, switches);
  const { q, ...fields } = filter;
  const isMatch = (row: Row) =>
    (typeof q !== 'string' || q === '' || containsText(row, freeText, q)) &&
    Object.entries(fields).every(([name, wanted]) => fits(row[name as keyof Row], wanted));
  const found = [...rows]
    .filter((row) => isMatch(row))
    .toSorted(byField<Row>(order_field as keyof Row, request.order_type ?? orderDefault));
  return { rows: found.slice(offset, offset + limit), limit, offset, total: found.length };
}

function containsText<Row>(row: Row, fields: readonly (keyof Row)[], wanted: string): boolean {
  return fields.some((name) => {
    const value = row[name];
    return typeof value === 'string' && value.toLowerCase().includes(wanted.toLowerCase());
  });
}

/** Query values are texts: `1` means the number 1, `true` and `1` mean a set flag, a range holds instants. */
function fits(value: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (typeof value === 'boolean') return value === (wanted === 'true' || wanted === '1');
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  if (!isObject(wanted)) return String(value) === wanted;
  return Object.entries(wanted).every(([operator, bound]) =>
    inRange(Date.parse(String(value)), operator, Date.parse(String(bound))),
  );
}

function inRange(instant: number, operator: string, bound: number): boolean {
  switch (operator) {
    case '<':
      return instant < bound;
    case '<=':
      return instant <= bound;
    case '>':
      return instant > bound;
    default:
      return instant >= bound;
  }
}
