import { unwrap } from '../operations/answers.ts';
import { contact } from '../operations/records.ts';
import type { ContactField } from '../operations/records.ts';

/** A contact reduced to the fields a sync maps: whole contacts have fifty, with lists of posts and experience. */
export interface ScannedContact {
  readonly uuid: string;
  /** In the order of the fields asked for. null is blank, undefined was not in the answer or not readable. */
  readonly values: readonly unknown[];
}

/** Reads the fields asked for off a row of a page, flat or wrapped; undefined when the row is no contact. */
export function compactReader(fields: readonly ContactField[]): (row: unknown) => ScannedContact | undefined {
  const readers = fields.map((field) => ({ field, read: contact.fields[field].read }));
  return (row) => {
    const values = contactRow(row);
    return values && { uuid: values.uuid, values: readers.map(({ field, read }) => read(values[field])) };
  };
}

export type ContactRow = Readonly<Record<string, unknown>> & { readonly uuid: string };

export function contactRow(row: unknown): ContactRow | undefined {
  const values = unwrap(row) as Partial<ContactRow> | null;
  return typeof values?.uuid === 'string' && values.uuid !== '' ? (values as ContactRow) : undefined;
}
