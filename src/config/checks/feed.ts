// What the options of one feed say about each other.
import type { ResourceName } from '../../crm/resources.ts';
import { resourceFields } from '../../crm/resources.ts';
import { choiceWords } from '../explain.ts';
import { parseFieldPath } from '../field-path.ts';
import { nearestWord } from '../nearest.ts';
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
    if (inner.length === 0 || field.kind === 'json' || field.kind === 'texts') return [];
    const found = `a path into ${String(name)}, which is ${field.kind} and has nothing inside`;
    return [{ path, part: 'value', found, allowed: String(name) }];
  });
  const ids = Object.values(columns).filter((text) => text === 'uuid');
  if (ids.length === 1) return faults;
  const found = ids.length === 0 ? 'no column of uuid' : `${ids.length} columns of uuid`;
  return [...faults, { path: [...base, 'columns'], part: 'key', found, allowed: 'one: it tells the rows apart' }];
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
