// Checks the options of one sync against each other.
import type { ContactFieldSpec, CrmDescription, Direction, MatchKeySpec } from '../../crm/port.ts';
import { nearestWord } from '../../lib/nearest.ts';
import { anyOf } from '../problems.ts';
import type { Path } from '../problems.ts';
import type { Fault, SalvagedSync } from './check.ts';
import { checkHeaders, mappedHeaders } from './headers.ts';
import type { OwnedHeader } from './headers.ts';

/** `given` is the sync before checks. */
export function checkSync(crm: CrmDescription, name: string, sync: SalvagedSync, given: unknown): readonly Fault[] {
  const base = ['syncs', name];
  return [
    ...checkColumns(crm, base, sync, given),
    ...checkHeaders([...mappedHeaders(base, givenColumns(given)), ...otherHeaders(base, sync, given)]),
    ...checkMatch(crm, base, sync, given),
    ...checkVetoes(base, sync, given),
    ...checkFilter(base, sync),
    ...checkCapabilities(crm, base, sync, given),
  ];
}

type Column = NonNullable<NonNullable<SalvagedSync['columns']>[string]>;

/** The two notations of a column, as one. */
function settings(column: Column) {
  return typeof column === 'string' ? { field: column } : column;
}

function checkColumns(
  { fields }: CrmDescription,
  base: Path,
  { columns = {} }: SalvagedSync,
  given: unknown,
): readonly Fault[] {
  const headerByTarget = new Map<string, string>();
  return Object.entries(columns).flatMap(([header, column = {}]): readonly Fault[] => {
    const path = [...base, 'columns', header];
    const { field, custom_field, direction } = { custom_field: undefined, direction: undefined, ...settings(column) };
    const written = givenColumns(given)[header];
    const isBoth = isObject(written) && 'field' in written && 'custom_field' in written;
    const isUnderstood =
      isObject(written) && Object.keys(written).every((option) => Object.hasOwn(settings(column), option));
    const isNeither = isUnderstood && field === undefined && custom_field === undefined;
    if (isBoth || isNeither) {
      const found = isBoth ? 'field and custom_field' : 'neither field nor custom_field';
      return [{ path, part: 'key', found, allowed: 'one of the two' }];
    }
    const spec = field === undefined ? undefined : fields.get(field);
    const target = custom_field === undefined ? spec && `field ${spec.writtenAs}` : `custom field ${custom_field}`;
    if (target === undefined) return [];
    const other = headerByTarget.get(target);
    // Writing `network_id` or `network` changes both (M8).
    headerByTarget.set(target, other ?? header);
    return [
      ...(other === undefined ? [] : [mappedTwice(path, target, other)]),
      ...(direction === undefined ? [] : checkDirection(path, direction, spec, custom_field)),
    ];
  });
}

function mappedTwice(path: Path, target: string, other: string): Fault {
  return {
    path,
    part: 'key',
    found: `the ${target}, which column ${JSON.stringify(other)} has already`,
    allowed: 'one column for each field',
  };
}

function checkDirection(
  path: Path,
  direction: Direction,
  field: ContactFieldSpec | undefined,
  customField: string | undefined,
): readonly Fault[] {
  const possible: readonly Direction[] = field === undefined ? ['to_crm'] : field.directions;
  if (possible.includes(direction)) return [];
  const what = field === undefined ? `the custom field ${customField}` : field.name;
  const why = possible.includes('to_crm') ? 'the service does not give back' : 'the service does not let anybody write';
  const found = `${direction} for ${what}, which ${why}`;
  return [{ path: [...path, 'direction'], part: 'value', found, allowed: anyOf(possible) }];
}

function otherHeaders(base: Path, { sheet, automation }: SalvagedSync, given: unknown): readonly OwnedHeader[] {
  const owned = (header: string | null | undefined, section: string, option: string, what: string) => {
    if (header === null || header === undefined) return [];
    const isGiven = hasOption(given, section, option);
    return [{ header, path: [...base, section, option], part: 'value' as const, what, isGiven }];
  };
  return [
    ...owned(sheet?.id_column, 'sheet', 'id_column', 'the ID column'),
    ...owned(sheet?.status_column, 'sheet', 'status_column', 'the status column'),
    ...owned(automation?.column, 'automation', 'column', 'the automation column'),
    ...owned(automation?.result_column, 'automation', 'result_column', 'the result column'),
  ];
}

/** Whether a column has each part of the key. */
export function isMatchable(key: MatchKeySpec, fields: ReadonlySet<string | undefined>): boolean {
  return unmappedOf(key, fields).length === 0;
}

function unmappedOf({ parts }: MatchKeySpec, mapped: ReadonlySet<string | undefined>): readonly string[] {
  return Object.entries(parts).flatMap(([part, fields]) => (fields.some((name) => mapped.has(name)) ? [] : [part]));
}

function checkMatch(
  { matchKeys }: CrmDescription,
  base: Path,
  { match = [], columns = {} }: SalvagedSync,
  given: unknown,
): readonly Fault[] {
  const fields = new Set(Object.values(columns).map((column) => column && settings(column).field));
  // A column with a wrong field may be the one that a key needs.
  const headers = Object.keys(givenColumns(given));
  const isSure = headers.every((header) => {
    const { field, custom_field } = { custom_field: undefined, ...settings(columns[header] ?? {}) };
    return field !== undefined || custom_field !== undefined;
  });
  return match.flatMap((key, index): readonly Fault[] => {
    if (key === undefined) return [];
    const path = [...base, 'match', index];
    if (match.indexOf(key) < index) return [{ path, part: 'value', allowed: 'each key once' }];
    const missing = unmappedOf(
      matchKeys.find(({ name }) => name === key)!,
      fields,
    );
    if (missing.length === 0 || headers.length === 0 || !isSure) return [];
    const found = `${JSON.stringify(key)}, but no column has ${anyOf(missing)}`;
    return [{ path, part: 'value', found, allowed: 'keys whose fields are all mapped in columns' }];
  });
}

function checkVetoes(base: Path, { automation }: SalvagedSync, given: unknown): readonly Fault[] {
  // A blank header is reported already, and counts as no header.
  const headers = Object.keys(givenColumns(given)).flatMap((header) => header.trim() || []);
  if (headers.length === 0) return [];
  return Object.keys(automation?.unless ?? {})
    .filter((header) => !headers.includes(header.trim()))
    .map((header) => ({
      path: [...base, 'automation', 'unless', header],
      part: 'key',
      found: `${JSON.stringify(header)}, which is no mapped column`,
      allowed: anyOf(headers),
      nearest: nearestWord(header, headers),
    }));
}

function checkFilter(base: Path, { contacts }: SalvagedSync): readonly Fault[] {
  const filter = contacts?.filter ?? {};
  const path = [...base, 'contacts', 'filter'];
  return Object.entries(filter).flatMap(([field, wanted]): readonly Fault[] => {
    if (field === 'list_uuid') {
      return [
        { path: [...path, field], part: 'key', found: 'a second list', allowed: 'contacts.list alone names the list' },
      ];
    }
    if (!Array.isArray(wanted) || wanted.length > 0) return [];
    return [
      {
        path: [...path, field],
        part: 'value',
        found: 'an empty list, which no contact matches',
        allowed: 'one value at least',
      },
    ];
  });
}

/** Options beyond the CRM's capabilities are refused before any call. */
function checkCapabilities(
  { hasAutomations }: CrmDescription,
  base: Path,
  { on_row_deleted: onRowDeleted }: SalvagedSync,
  given: unknown,
): readonly Fault[] {
  if (hasAutomations) return [];
  const isWished = isObject(given) && given['automation'] !== undefined;
  const option: Fault = {
    path: [...base, 'automation'],
    part: 'key',
    found: 'enrolments',
    allowed: 'no such option: this CRM has no automations',
  };
  const policy: Fault = {
    path: [...base, 'on_row_deleted'],
    part: 'value',
    allowed: 'another policy: this CRM has no automations to cancel',
  };
  return [...(isWished ? [option] : []), ...(onRowDeleted === 'cancel_automations' ? [policy] : [])];
}

function givenColumns(sync: unknown): Readonly<Record<string, unknown>> {
  return isObject(sync) && isObject(sync['columns']) ? sync['columns'] : {};
}

function hasOption(sync: unknown, section: string, option: string): boolean {
  return isObject(sync) && isObject(sync[section]) && Object.hasOwn(sync[section], option);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
