// Checks the options of one feed against each other.
import type { CollectionSpec, CrmDescription } from '../../crm/port.ts';
import { choiceWords } from '../explain.ts';
import { parseFieldPath } from '../field-path.ts';
import { nearestWord } from '../../lib/nearest.ts';
import type { Path } from '../problems.ts';
import type { Fault, SalvagedFeed } from './check.ts';
import { checkHeaders, mappedHeaders } from './headers.ts';

export function checkFeed({ collections }: CrmDescription, name: string, feed: SalvagedFeed): readonly Fault[] {
  const base = ['feeds', name];
  const { resource = '', columns, status_column: status } = feed;
  const collection = collections.get(resource);
  const statusHeader = status === undefined ? [] : [statusColumn(base, status)];
  return [
    ...checkHeaders([...statusHeader, ...mappedHeaders(base, columns ?? {})]),
    ...(collection === undefined || columns === undefined ? [] : checkFields(base, resource, collection, columns)),
    ...(collection === undefined ? [] : checkQuery(base, collection, feed)),
    ...(collection === undefined ? [] : checkControl(base, collection, feed)),
  ];
}

function statusColumn(base: Path, header: string) {
  return { header, path: [...base, 'status_column'], part: 'value', what: 'the status column', isGiven: true } as const;
}

function checkFields(
  base: Path,
  resource: string,
  { fields }: CollectionSpec,
  columns: Readonly<Record<string, string | undefined>>,
): readonly Fault[] {
  const names = [...fields.keys()];
  const faults = Object.entries(columns).flatMap(([header, text = '']): readonly Fault[] => {
    const path = [...base, 'columns', header];
    const [name, ...inner] = parseFieldPath(text) ?? [];
    const field = name === undefined ? undefined : fields.get(String(name));
    if (field === undefined) {
      const allowed = `a field of ${resource}, or a path into one: ${choiceWords(names, text)}`;
      return [{ path, part: 'value', allowed, nearest: nearestWord(String(name ?? text), names) }];
    }
    if (text !== 'uuid' && Object.entries(columns).find(([, other]) => other === text)?.[0] !== header) {
      return [{ path, part: 'value', found: `${text} again`, allowed: 'each field or path in one column' }];
    }
    if (inner.length === 0 || field.kind === 'json' || field.kind === 'list') return [];
    const found = `a path into ${String(name)}, which is ${field.kind} and has nothing inside`;
    return [{ path, part: 'value', found, allowed: String(name) }];
  });
  const ids = Object.values(columns).filter((text) => text === 'uuid');
  if (ids.length === 1) return faults;
  const found = ids.length === 0 ? 'no column of uuid' : `${ids.length} columns of uuid`;
  return [...faults, { path: [...base, 'columns'], part: 'key', found, allowed: 'one: it tells the rows apart' }];
}

/** The fields that the listing of the resource filters and sorts by. */
function checkQuery(
  base: Path,
  { filters: takes, orders }: CollectionSpec,
  { resource, filter, order }: SalvagedFeed,
): readonly Fault[] {
  const filters = [...takes.keys()];
  const unknown = Object.keys(filter ?? {}).filter((field) => !filters.includes(field));
  const badValues = Object.entries(filter ?? {}).filter(
    ([field, wanted]) => typeof wanted === 'object' && takes.get(field)?.takesRange === false,
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

function checkControl(
  base: Path,
  { controlled }: CollectionSpec,
  { resource, control, columns }: SalvagedFeed,
): readonly Fault[] {
  if (control !== true) return [];
  const path = [...base, 'control'];
  if (controlled === undefined) {
    return [
      { path, part: 'value', found: `control of ${resource}`, allowed: 'false: only automations can be controlled' },
    ];
  }
  if (columns === undefined || Object.values(columns).includes(controlled)) return [];
  return [
    {
      path,
      part: 'value',
      found: `control without a column of ${controlled}`,
      allowed: `a column such as Status: ${controlled}`,
    },
  ];
}
