// One sync as the algorithm sees it, and the way there and back: contacts and rows become packed records, changes become
// cells. Made once from the configuration.
import type { ColumnConfig, SyncConfig } from '../../config/config.ts';
import type { CellInput, CellValue, ColumnKey, ColumnSpec, Row, TableSpec } from '../../sheets/port.ts';
import type { ContactReading, Identifiers } from '../../crm/port.ts';
import type { FieldChange } from '../../sync/change.ts';
import { isNoKey } from '../../sync/record/keys.ts';
import { readCell, readCrm, writeCell } from '../../sync/value/kinds.ts';
import type { Field, Mapping } from '../../sync/record/mapping.ts';
import { type ContactRecord, pack, type Packed, type RowRecord } from '../../sync/record/record.ts';
import type { Reading, Value } from '../../sync/value/value.ts';
import { formatByKind } from '../column-format.ts';
import { statusKey } from '../status-column.ts';

/** Columns that are ours and no field of a contact. No mapped column may use these keys, nor `statusKey`. */
export const wishKey = '#automation';
export const resultKey = '#result';

export interface SyncShape {
  readonly mapping: Mapping;
  readonly table: TableSpec;
  /** Whether the mapped field is one the service never gives back, and takes by upsert only. */
  readonly isCustom: (field: string) => boolean;
  /** `known`: the packed values the record may well have still; where it has, they are shared and not kept twice. */
  readonly toRecord: (contact: ContactReading, known?: Packed) => ContactRecord;
  /**
   * `blank`: columns that are not there yet and are about to be made: their cells are blank, not unknown. `known`: as for
   * `toRecord`; of no use where the row has an `unchangedText`.
   */
  readonly fromRow: (row: Row, blank: ReadonlySet<ColumnKey>, known?: Packed) => RowRecord;
  /** I8: values by which the service would find another contact: they are set once the contact is there. */
  readonly afterCreate: (fields: readonly FieldChange[]) => readonly FieldChange[];
  readonly toCells: (fields: readonly FieldChange[]) => Record<ColumnKey, CellInput>;
  /** The contents of cells after a write, by field name. */
  readonly fromCells: (stored: Readonly<Record<ColumnKey, CellValue>>) => Record<string, Reading>;
  /** By what the service finds this person, the strongest first (docs/service.md). */
  readonly identifiers: (values: readonly Reading[]) => Identifiers;
}

/** How long two edits may be apart and still count as at the same time (SPEC M1). */
const newestMarginMinMs = 60_000;

/** `intervalMs`: between two scheduled runs. */
export function createShape(config: SyncConfig, intervalMs: number): SyncShape {
  const columns = config.columns.map((column) => ({ column, field: toField(column) }));
  const byName = new Map(columns.map((each) => [each.field.name, each]));
  const indexByName = new Map(columns.map(({ field }, index) => [field.name, index]));

  /** Of one contact after the other: packed, it is not needed any more. */
  const readings: Reading[] = columns.map(() => undefined);

  /** A plain loop, and no spread: it runs for every contact of a scan. What was read before reads as itself. */
  const toRecord = (contact: ContactReading, known?: Packed): ContactRecord => {
    for (let index = 0; index < columns.length; index += 1) {
      readings[index] = readCrm(columns[index]!.field.kind, contact.values[index]);
    }
    const { uuid, updatedAt } = contact;
    const values = pack(readings, known);
    return updatedAt === undefined ? { uuid, values } : { uuid, values, updatedAt };
  };

  return {
    mapping: toMapping(
      config,
      columns.map(({ field }) => field),
      intervalMs,
    ),
    table: toTableSpec(
      config,
      columns.map(({ column, field }) => ({
        key: column.key,
        header: column.header,
        format: formatByKind[field.kind],
      })),
    ),
    isCustom: (name) => byName.get(name)?.column.target.kind === 'custom_field',
    toRecord,
    fromRow,
    afterCreate: (fields) => fields.filter(isWithheld),
    toCells: (fields) =>
      Object.fromEntries(
        fields.flatMap(({ field, after }) => {
          const known = byName.get(field);
          return known ? [[known.column.key, writeCell(known.field.kind, after)]] : [];
        }),
      ),
    fromCells: (stored) =>
      Object.fromEntries(
        columns.flatMap(({ column, field }) => {
          if (!Object.hasOwn(stored, column.key)) return [];
          const reading = readCell(field.kind, stored[column.key]);
          return [[field.name, isReading(reading) ? reading : undefined]];
        }),
      ),
    identifiers: (values) => ({
      ...identifier('network_id', values),
      ...identifier('email', values),
      ...identifier('name', values),
      ...identifier('company_name', values),
    }),
  };

  function isWithheld({ field, after }: FieldChange): boolean {
    const known = byName.get(field);
    return known !== undefined && isNoKey(known.field, after);
  }

  function fromRow(row: Row, blank: ReadonlySet<ColumnKey>, known?: Packed): RowRecord {
    const { number, id } = row;
    // Cells that read as what was packed once are that still: reading a value gives the value, whatever its kind.
    const { unchangedText } = row;
    if (unchangedText !== undefined && blank.size === 0 && row.formulas.length === 0) {
      const values = unchangedText as Packed;
      const wishes = wishesOf(row);
      return wishes ? { number, id, values, ...wishes } : { number, id, values };
    }
    const { cells } = row;
    let unreadable: Record<string, string> | undefined;
    const covered: string[] = [];
    const values = columns.map(({ column, field }) => {
      const reading = blank.has(column.key) ? null : readCell(field.kind, cells[column.key]);
      if (isReading(reading)) return reading;
      (unreadable ??= {})[field.name] = reading.unreadable;
      if (reading.isCovered) covered.push(field.name);
      return undefined;
    });
    const formulas = row.formulas.length === 0 ? [] : columns.filter(({ column }) => row.formulas.includes(column.key));
    return {
      number,
      id,
      values: pack(values, known),
      ...(unreadable && { unreadable }),
      ...(covered.length > 0 && { covered }),
      ...(formulas.length > 0 && { formulas: formulas.map(({ field }) => field.name) }),
      ...(id === '' && isBare(row, values) && { isBare: true as const }),
      ...wishesOf(row),
    };
  }

  /** V3: `false` is a box that nobody ticked. Cells of leadsheet's own do not count, but for the wish. */
  function isBare({ cells, own, formulas }: Row, values: readonly Reading[]): boolean {
    const wish = own[wishKey] ?? null;
    if (wish !== null && wish !== false && wish !== '') return false;
    return columns.every(({ column: { key } }, index) => {
      return values[index] === null || cells[key] === undefined || cells[key] === false || formulas.includes(key);
    });
  }

  /** The first of its groups that has a value. I8: nobody is found by an address that lists are full of, or by what is no address. */
  function identifier(name: keyof Identifiers, values: readonly Reading[]): Identifiers {
    const kind = name === 'email' ? 'email' : name === 'network_id' ? 'handle' : 'text';
    for (const group of config.identifiers[name]) {
      const parts = group.map((field) => values[indexByName.get(field) ?? -1]);
      const text = parts.flatMap((part) => (typeof part === 'string' ? [part.trim()] : [])).join(' ');
      if (text !== '' && !isNoKey({ kind }, text)) return { [name]: text };
    }
    return {};
  }
}

function wishesOf({ own }: Row): Pick<RowRecord, 'wish' | 'wishResult'> | undefined {
  const { [wishKey]: wish, [resultKey]: result } = own;
  if (wish === undefined && result === undefined) return undefined;
  return {
    // An empty cell is a wish taken back; without the column nothing is known of any (E5, W11). V3: a box without a tick is empty.
    ...(wish !== undefined && typeof wish !== 'object' && { wish: wish === false ? '' : String(wish) }),
    ...(wish === null && { wish: '' }),
    ...(result != null && typeof result !== 'object' && { wishResult: String(result) }),
  };
}

function isReading(reading: ReturnType<typeof readCell>): reading is Value | undefined {
  return typeof reading !== 'object' || reading === null;
}

function toField({ key, header, target, direction, conflict, blank }: ColumnConfig): Field {
  return {
    name: key,
    header,
    kind: target.kind === 'field' ? target.field.kind : 'text',
    direction,
    conflict,
    blank,
    ...(target.kind === 'custom_field' && { isHidden: true }),
  };
}

function toMapping(config: SyncConfig, fields: readonly Field[], intervalMs: number): Mapping {
  const { limits, automation } = config;
  return {
    fields,
    match: config.match,
    moveToList: config.contacts.moveToList,
    onRowDeleted: config.onRowDeleted,
    onContactDeleted: config.onContactDeleted,
    limits: {
      deletes: { percent: limits.deletesPercent },
      changes: { percent: limits.changesPercent },
      blanks: { percent: limits.blanksPercent },
      creates: { count: limits.creates },
    },
    settleMs: config.settleMs,
    newestMarginMs: Math.max(newestMarginMinMs, 2 * intervalMs),
    ...(automation && {
      enrolment: {
        unless: Object.fromEntries(automation.vetoes.map(({ columnKey, values }) => [columnKey, values])),
        onClear: automation.onClear,
        perHour: limits.enrolmentsPerHour,
      },
    }),
  };
}

function toTableSpec({ name, sheet, automation }: SyncConfig, mapped: readonly ColumnSpec[]): TableSpec {
  const own = [
    { key: statusKey, header: sheet.statusHeader },
    { key: wishKey, header: automation?.header },
    { key: resultKey, header: automation?.resultHeader },
  ];
  return {
    spreadsheet: sheet.spreadsheetId,
    tab: sheet.tab,
    headerRow: sheet.headerRow,
    idHeader: sheet.idHeader,
    owner: name,
    columns: [
      ...mapped,
      ...own.flatMap(({ key, header }): ColumnSpec[] =>
        header === undefined ? [] : [{ key, header, format: 'text', isOwn: true }],
      ),
    ],
  };
}

/** The header of one of our own columns, for people. */
export function ownHeader({ sheet, automation }: SyncConfig, key: ColumnKey): string {
  return (key === resultKey ? automation?.resultHeader : sheet.statusHeader) ?? key;
}
