// One sync as the algorithm sees it, and the way there and back: contacts and rows become packed records, changes become
// bodies and cells. Made once from the configuration.
import type { ColumnConfig, SyncConfig } from '../config/config.ts';
import type { ContactFieldSpec } from '../crm/contact-fields.ts';
import { contact as contactRecord } from '../crm/operations/records.ts';
import type { Contact, ContactField, ContactUpdate, Lead } from '../crm/operations/records.ts';
import type { ContactRow } from '../crm/scan/contact-row.ts';
import type {
  CellInput,
  CellValue,
  ColumnFormat,
  ColumnKey,
  ColumnSpec,
  Row,
  Snapshot,
  TableSpec,
} from '../sheets/port.ts';
import type { FieldChange } from '../sync/change.ts';
import { isNoKey, isPlaceholderEmail } from '../sync/keys.ts';
import { type Kind, readCell, readCrm, writeCell, writeCrm } from '../sync/kinds.ts';
import type { Field, Mapping } from '../sync/mapping.ts';
import { type ContactRecord, pack, type Packed, type RowRecord } from '../sync/record.ts';
import type { Reading, Value } from '../sync/value.ts';

/** Columns that are ours and no field of a contact. No mapped column may use these keys. */
export const statusKey = '#status';
const wishKey = '#automation';
export const resultKey = '#result';

export interface SyncShape {
  readonly mapping: Mapping;
  readonly table: TableSpec;
  /** Whether the mapped field is one the service never gives back, and takes by upsert only. */
  readonly isCustom: (field: string) => boolean;
  /** `known`: the packed values the record may well have still; where it has, they are shared and not kept twice. */
  readonly fromScan: (scanned: ContactRow, known?: Packed) => ContactRecord;
  readonly fromContact: (contact: Contact) => ContactRecord;
  /**
   * `blank`: columns that are not there yet and are about to be made: their cells are blank, not unknown. `known`: as for
   * `fromScan`; of no use where `Row.isKnown`.
   */
  readonly fromRow: (row: Row, blank: ReadonlySet<ColumnKey>, known?: Packed) => RowRecord;
  readonly toUpdate: (fields: readonly FieldChange[]) => ContactUpdate;
  /** Of a create, without what it must not send: see `afterCreate`. */
  readonly toLead: (fields: readonly FieldChange[]) => Lead;
  /** I8: values by which the service would find another contact: they are set once the contact is there. */
  readonly afterCreate: (fields: readonly FieldChange[]) => readonly FieldChange[];
  readonly toCustomFields: (fields: readonly FieldChange[]) => Record<string, string>;
  readonly toCells: (fields: readonly FieldChange[]) => Record<ColumnKey, CellInput>;
  /** What cells hold after a write, by field name. */
  readonly fromCells: (stored: Readonly<Record<ColumnKey, CellValue>>) => Record<string, Reading>;
  /** By what the service finds this person, the strongest first (docs/service.md). */
  readonly identifiers: (values: readonly Reading[]) => Identifiers;
}

export interface Identifiers {
  readonly network_id?: string;
  readonly email?: string;
  readonly name?: string;
  readonly company_name?: string;
}

/** How long two edits may be apart and still count as at the same time (SPEC M1). */
const newestMarginMinMs = 60_000;

/** `intervalMs`: between two scheduled runs. */
export function createShape(config: SyncConfig, intervalMs: number): SyncShape {
  const columns = config.columns.map((column) => ({ column, field: toField(column) }));
  const byName = new Map(columns.map((each) => [each.field.name, each]));
  const sources = columns.map(({ column }) =>
    column.target.kind === 'field' ? column.target.field.readFrom.map(toSource) : [],
  );
  const updatedAtSource = toSource('updated_at');

  /** Of one contact after the other: packed, it is not needed any more. */
  const readings: Reading[] = columns.map(() => undefined);

  /** A plain loop, and no spread: it runs for every contact of a scan. What was read before reads as itself. */
  const toRecord = (contact: ContactRow, known?: Packed): ContactRecord => {
    for (let index = 0; index < columns.length; index += 1) {
      readings[index] = readCrm(columns[index]!.field.kind, firstGiven(contact, sources[index]!));
    }
    const { uuid } = contact;
    const values = pack(readings, known);
    const updatedAt = Date.parse(String(valueOf(contact, updatedAtSource)));
    return Number.isNaN(updatedAt) ? { uuid, values } : { uuid, values, updatedAt };
  };

  return {
    mapping: toMapping(
      config,
      columns.map(({ field }) => field),
      intervalMs,
    ),
    table: toTableSpec(
      config,
      columns.map(({ column, field }) => ({ key: column.key, header: column.header, format: formatOf(field.kind) })),
    ),
    isCustom: (name) => byName.get(name)?.column.target.kind === 'custom_field',
    fromScan: toRecord,
    fromContact: (contact) => toRecord(contact),
    fromRow,
    toUpdate: (fields) => bodyOf(fields, ({ updateAs }) => updateAs),
    toLead: (fields) =>
      bodyOf(
        fields.filter((change) => !isWithheld(change)),
        ({ createAs }) => createAs,
      ),
    afterCreate: (fields) => fields.filter(isWithheld),
    toCustomFields: (fields) =>
      Object.fromEntries(
        fields.flatMap(({ field, after }) => {
          const target = byName.get(field)?.column.target;
          return target?.kind === 'custom_field' ? [[target.name, writeCrm(after)]] : [];
        }),
      ),
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
    identifiers: (values) => {
      const text = (name: string) => {
        const value = values[columns.findIndex(({ field }) => field.name === name)];
        return typeof value === 'string' ? value.trim() : undefined;
      };
      const whole = [text('first_name'), text('last_name')].filter(Boolean).join(' ');
      const given = {
        network_id: text('network_id') ?? text('network'),
        // I8: nobody is found by an address that lists are full of.
        email: [text('email'), text('work_email'), text('personal_email')].find(
          (email) => email !== undefined && !isPlaceholderEmail(email),
        ),
        name: text('name') ?? (whole || undefined),
        company_name: text('company_name'),
      };
      return Object.fromEntries(Object.entries(given).filter(([, value]) => value));
    },
  };

  function isWithheld({ field, after }: FieldChange): boolean {
    const known = byName.get(field);
    return known !== undefined && isNoKey(known.field, after);
  }

  function fromRow(row: Row, blank: ReadonlySet<ColumnKey>, known?: Packed): RowRecord {
    const { number, id } = row;
    // Cells that read as what was packed once are that still: reading a value gives the value, whatever its kind.
    if (row.isKnown && blank.size === 0 && row.formulas.length === 0) {
      const values = row.packed as Packed;
      const wishes = wishesOf(row);
      return wishes ? { number, id, values, ...wishes } : { number, id, values };
    }
    const { cells } = row;
    let unreadable: Record<string, string> | undefined;
    const values = columns.map(({ column, field }) => {
      const reading = blank.has(column.key) ? null : readCell(field.kind, cells[column.key]);
      if (isReading(reading)) return reading;
      (unreadable ??= {})[field.name] = reading.unreadable;
      return undefined;
    });
    const formulas = row.formulas.length === 0 ? [] : columns.filter(({ column }) => row.formulas.includes(column.key));
    return {
      number,
      id,
      values: pack(values, known),
      ...(unreadable && { unreadable }),
      ...(formulas.length > 0 && { formulas: formulas.map(({ field }) => field.name) }),
      ...wishesOf(row),
    };
  }

  function bodyOf<Body extends ContactUpdate>(
    fields: readonly FieldChange[],
    nameOf: (spec: ContactFieldSpec) => keyof Body | undefined,
  ): Body {
    const entries = fields.flatMap(({ field, after }): [string, string][] => {
      const target = byName.get(field)?.column.target;
      const name = target?.kind === 'field' ? nameOf(target.field) : undefined;
      return name === undefined ? [] : [[String(name), writeCrm(after)]];
    });
    return Object.fromEntries(entries) as Body;
  }
}

function wishesOf({ own }: Row): Pick<RowRecord, 'wish' | 'wishResult'> | undefined {
  const { [wishKey]: wish, [resultKey]: result } = own;
  if (wish === undefined && result === undefined) return undefined;
  return {
    // An empty cell is a wish taken back; without the column nothing is known of any (E5, W11).
    ...(wish !== undefined && typeof wish !== 'object' && { wish: String(wish) }),
    ...(wish === null && { wish: '' }),
    ...(result != null && typeof result !== 'object' && { wishResult: String(result) }),
  };
}

/** A field of a contact, and how its value reads. */
interface Source {
  readonly name: ContactField;
  readonly read: (value: unknown) => unknown;
}

function toSource(name: ContactField): Source {
  return { name, read: contactRecord.fields[name].read };
}

function valueOf(contact: ContactRow, { name, read }: Source): unknown {
  return read(contact[name]);
}

/** The first field that is not blank; one that is unknown hides those behind it, since it might hold the value. */
function firstGiven(contact: ContactRow, sources: readonly Source[]): unknown {
  if (sources.length === 1) return valueOf(contact, sources[0]!);
  let given: unknown = sources.length === 0 ? undefined : null;
  for (const source of sources) {
    const value = valueOf(contact, source);
    if (value === undefined) return undefined;
    if (value !== null && value !== '') return value;
    given = null;
  }
  return given;
}

function isReading(reading: ReturnType<typeof readCell>): reading is Value | undefined {
  return typeof reading !== 'object' || reading === null;
}

function toField({ key, header, target, direction, conflict, blank }: ColumnConfig): Field {
  return {
    name: key,
    header,
    kind: target.kind === 'field' ? kindOf(target.field) : 'text',
    direction,
    conflict,
    blank,
  };
}

function kindOf({ kind, equality }: ContactFieldSpec): Kind {
  if (equality !== 'exact') return equality;
  return (
    { instant: 'timestamp', texts: 'list', text: 'text', integer: 'integer', flag: 'flag', json: 'json' } as const
  )[kind];
}

function formatOf(kind: Kind): ColumnFormat {
  return kind === 'integer' ? 'number' : kind === 'timestamp' ? 'date-time' : 'text';
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

/** A tab without one is told nothing. */
export function hasStatusColumn({ columns }: Snapshot): boolean {
  return columns.some(({ key, kind }) => key === statusKey && (kind === 'found' || kind === 'renamed'));
}

/** The header of one of our own columns, for people. */
export function ownHeader({ sheet, automation }: SyncConfig, key: ColumnKey): string {
  return (key === resultKey ? automation?.resultHeader : sheet.statusHeader) ?? key;
}
