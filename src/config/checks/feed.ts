// What the options of one feed say about each other.
import type { ResourceName } from '../../crm/outreach/resources.ts';
import { resourceFields, resourceQuery, takesRange } from '../../crm/outreach/resources.ts';
import { choiceWords } from '../explain.ts';
import { parseFieldPath } from '../field-path.ts';
import { nearestWord } from '../../lib/nearest.ts';
import type { Path } from '../source.ts';
import type { Fault, SalvagedFeed } from './check.ts';
import { checkHeaders, mappedHeaders } from './headers.ts';

export function checkFeed(name: string, feed: SalvagedFeed): readonly Fault[] {
  const base = ['feeds', name];
  const { resource, columns, status_column: status } = feed;
  const statusHeader = status === undefined ? [] : [statusColumn(base, status)];
  return [
    ...checkHeaders([...statusHeader, ...mappedHeaders(base, columns ?? {})]),
    ...(resource === undefined || columns === undefined ? [] : checkFields(base, resource, columns)),
    ...checkQuery(base, feed),
    ...checkControl(base, feed),
  ];
}

function statusColumn(base: Path, header: string) {
  return { header, path: [...base, 'status_column'], part: 'value', what: 'the status column', isGiven: true } as const;
}

function checkFields(
  base: Path,
  resource: ResourceName,
  columns: Readonly<Record<string, string | undefined>>,
): readonly Fault[] {
  const fields = resourceFields(resource);
  const names = Object.keys(fields);
  const faults = Object.entries(columns).flatMap(([header, text = '']): readonly Fault[] => {
    const path = [...base, 'columns', header];
    const [name, ...inner] = parseFieldPath(text) ?? [];
    const field = name === undefined ? undefined : fields[name];
    if (field === undefined) {
      const allowed = `a field of ${resource}, or a path into one: ${choiceWords(names, text)}`;
      return [{ path, part: 'value', allowed, nearest: nearestWord(String(name ?? text), names) }];
    }
    if (text !== 'uuid' && Object.entries(columns).find(([, other]) => other === text)?.[0] !== header) {
      return [{ path, part: 'value', found: `${text} again`, allowed: 'each field or path in one column' }];
    }
    if (inner.length === 0 || field.kind === 'json' || field.kind === 'texts') return [];
    const found = `a path into ${String(name)}, which is ${field.kind} and has nothing inside`;
    return [{ path, part: 'value', found, allowed: String(name) }];
  });
  const ids = Object.values(columns).filter((text) => text === 'uuid');
  if (ids.length === 1) return faults;
  const found = ids.length === 0 ? 'no column of uuid' : `${ids.length} columns of uuid`;
  return [...faults, { path: [...base, 'columns'], part: 'key', found, allowed: 'one: it tells the rows apart' }];
}

/** What the listing of the resource filters and sorts by. */
function checkQuery(base: Path, { resource, filter, order }: SalvagedFeed): readonly Fault[] {
  if (resource === undefined) return [];
  const { filters, orders } = resourceQuery(resource);
  const unknown = Object.keys(filter ?? {}).filter((field) => !filters.includes(field));
  const badValues = Object.entries(filter ?? {}).filter(
    ([field, wanted]) => filters.includes(field) && typeof wanted === 'object' && !takesRange(resource, field),
  );
  const sorting = order?.field;
  return [
    ...unknown.map((field): Fault => ({
      path: [...base, 'filter', field],
      part: 'key',
      found: `a filter that the listing of ${resource} does not have`,
      allowed: choiceWords(filters, field),
      nearest: nearestWord(field, filters),
    })),
    ...badValues.map(([field]): Fault => ({
      path: [...base, 'filter', field],
      part: 'value',
      found: 'comparisons',
      allowed: 'one value: this field is compared for equality only',
    })),
    ...(sorting === undefined || orders.includes(sorting)
      ? []
      : [
          {
            path: [...base, 'order', 'field'],
            part: 'value',
            allowed: `a field to sort ${resource} by: ${choiceWords(orders, sorting)}`,
            nearest: nearestWord(sorting, orders),
          } as const,
        ]),
  ];
}

function checkControl(base: Path, { resource, control, columns }: SalvagedFeed): readonly Fault[] {
  if (control !== true || resource === undefined) return [];
  const path = [...base, 'control'];
  if (resource !== 'automations') {
    return [
      { path, part: 'value', found: `control of ${resource}`, allowed: 'false: only automations can be controlled' },
    ];
  }
  if (columns === undefined || Object.values(columns).includes('status')) return [];
  return [
    { path, part: 'value', found: 'control without a column of status', allowed: 'a column such as Status: status' },
  ];
}
