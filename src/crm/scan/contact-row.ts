import { unwrap } from '../operations/answers.ts';
import { contact } from '../operations/records.ts';
import type { ContactField } from '../operations/records.ts';

/** A contact reduced to the fields a sync maps: whole contacts have fifty, with lists of posts and experience. */
export interface ScannedContact {
  readonly uuid: string;
  /** In the order of the fields asked for. null is blank, undefined was not in the answer or not readable. */
  readonly values: readonly unknown[];
}

/** A row of a page, known to be a contact; its fields as they came. */
export type ContactRow = Readonly<Record<string, unknown>> & { readonly uuid: string };

/** The contact in a row, flat or wrapped; undefined when there is none. */
export function contactRow(row: unknown): ContactRow | undefined {
  const values = unwrap(row) as Partial<ContactRow> | null;
  return typeof values?.uuid === 'string' && values.uuid !== '' ? (values as ContactRow) : undefined;
}

/** Reads the fields asked for, each as its kind. A plain loop: it runs over every field of every contact. */
export function compactReader(fields: readonly ContactField[]): (row: ContactRow) => ScannedContact {
  const reads = fields.map((field) => contact.fields[field].read);
  return (row) => {
    const values: unknown[] = [];
    for (let index = 0; index < fields.length; index += 1) values.push(reads[index]!(row[fields[index]!]));
    return { uuid: row.uuid, values };
  };
}
