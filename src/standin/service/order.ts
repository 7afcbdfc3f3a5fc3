/** Compares records by one field; blanks come first, as in the service's SQL. Equal ones keep their order. */
export function byField<Row extends object>(field: keyof Row, direction: 'asc' | 'desc'): (a: Row, b: Row) => number {
  const sign = direction === 'asc' ? 1 : -1;
  return (a, b) => sign * compareValues(a[field], b[field]);
}

function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a == null || b == null) return a == null ? (b == null ? 0 : -1) : 1;
  const [left, right] = [sortable(a), sortable(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function sortable(value: unknown): string | number {
  if (typeof value === 'string' || typeof value === 'number') return value;
  return typeof value === 'boolean' ? Number(value) : JSON.stringify(value);
}
