// Checks the options of one outbox against each other.
import type { CrmDescription, MessageSpec } from '../../crm/port.ts';
import { choiceWords } from '../explain.ts';
import { nearestWord } from '../../lib/nearest.ts';
import { anyOf } from '../problems.ts';
import type { Path } from '../problems.ts';
import type { Fault, SalvagedOutbox } from './check.ts';
import { checkHeaders, mappedHeaders, type OwnedHeader } from './headers.ts';

export function checkOutbox({ messages }: CrmDescription, name: string, outbox: SalvagedOutbox): readonly Fault[] {
  const base = ['outbox', name];
  const { resource, columns } = outbox;
  const spec = resource === undefined ? undefined : messages.get(resource);
  return [
    ...checkHeaders([...ownHeaders(base, outbox), ...mappedHeaders(base, columns ?? {})]),
    ...(spec === undefined || columns === undefined ? [] : checkPayload(base, resource!, spec, columns)),
  ];
}

const ownColumns = {
  send_column: 'the send column',
  id_column: 'the ID column',
  uuid_column: 'the uuid column',
  sent_column: 'the sent column',
  delivery_column: 'the delivery column',
  status_column: 'the status column',
} as const;

function ownHeaders(base: Path, outbox: SalvagedOutbox): readonly OwnedHeader[] {
  return Object.entries(ownColumns).flatMap(([option, what]): readonly OwnedHeader[] => {
    const header = outbox[option as keyof typeof ownColumns];
    // A default and a mapped column of one name: the mapped one comes from the file.
    return header === undefined ? [] : [{ header, path: [...base, option], part: 'value', what, isGiven: true }];
  });
}

function checkPayload(
  base: Path,
  resource: string,
  { fields, needed }: MessageSpec,
  columns: Readonly<Record<string, string | undefined>>,
): readonly Fault[] {
  const names = [...fields.keys()];
  const headerByField = new Map<string, string>();
  const faults = Object.entries(columns).flatMap(([header, text = '']): readonly Fault[] => {
    const path = [...base, 'columns', header];
    const field = text.trim();
    if (!names.includes(field)) {
      const allowed = `a field of the payload of ${resource}: ${choiceWords(names, field)}`;
      return [{ path, part: 'value', allowed, nearest: nearestWord(field, names) }];
    }
    const other = headerByField.get(field);
    headerByField.set(field, other ?? header);
    if (other === undefined) return [];
    const found = `${field} again, which column ${JSON.stringify(other)} has already`;
    return [{ path, part: 'value', found, allowed: 'each field in one column' }];
  });
  // A column with a misspelt field may be the missing one: it is reported already.
  if (faults.length > 0) return faults;
  return needed.flatMap((group): readonly Fault[] => {
    if (group.some((field) => headerByField.has(field))) return [];
    const found = `no column of ${anyOf(group)}`;
    return [{ path: [...base, 'columns'], part: 'key', found, allowed: `a column for it: ${resource} need one` }];
  });
}
