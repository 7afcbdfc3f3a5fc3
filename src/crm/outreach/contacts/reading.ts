// Turns a contact of an answer into the mapped fields, and decides whether it is in scope.
import type { Contact, ContactReading, ContactsSpec } from '../../port.ts';
import { matches } from '../operations/filter.ts';
import type { ContactRow } from '../scan/contact-row.ts';
import { contactField, type ContactFieldName } from './fields.ts';

export interface ContactReader {
  /** Each call overwrites the values of the call before. */
  readonly toSharedReading: (row: ContactRow) => ContactReading;
  readonly toContact: (row: ContactRow) => Contact;
}

export function createContactReader({ fields, filter = {} }: ContactsSpec): ContactReader {
  const sources = fields.map(({ target }) =>
    target.kind === 'field' ? contactField(target.field.name as ContactFieldName).readFrom : [],
  );
  const values: unknown[] = sources.map(() => undefined);
  const shared = { uuid: '', values, updatedAt: undefined as number | undefined };
  return {
    /** A plain loop without a spread: it runs for every contact of a scan. */
    toSharedReading(row) {
      for (let index = 0; index < sources.length; index += 1) values[index] = firstGiven(row, sources[index]!);
      shared.uuid = row.uuid;
      shared.updatedAt = instantOf(row['updated_at']);
      return shared;
    },
    toContact(row) {
      const { list_uuid: list } = row;
      return {
        uuid: row.uuid,
        values: sources.map((names) => firstGiven(row, names)),
        updatedAt: instantOf(row['updated_at']),
        createdAt: instantOf(row['created_at']),
        list: list === null || typeof list === 'string' ? list : undefined,
        passesFilter: matches(row, filter) !== false,
      };
    },
  };
}

/** The first field that is not blank. An unknown field hides those behind it, because it might hold the value. */
function firstGiven(row: ContactRow, names: readonly string[]): unknown {
  if (names.length === 1) return row[names[0]!];
  let given: unknown = names.length === 0 ? undefined : null;
  for (const name of names) {
    const value = row[name];
    if (value === undefined) return undefined;
    if (value !== null && value !== '') return value;
    given = null;
  }
  return given;
}

function instantOf(value: unknown): number | undefined {
  const at = Date.parse(String(value));
  return Number.isNaN(at) ? undefined : at;
}
