// Contacts in the rows of a search page.
import { unwrap } from '../operations/answers.ts';

/**
 * A row of a page that is a contact, with its fields as they came. It has fifty fields, some of them lists: a caller
 * that keeps a hundred thousand contacts copies the needed fields at once.
 */
export type ContactRow = Readonly<Record<string, unknown>> & { readonly uuid: string };

/** The contact in a row, flat or wrapped; undefined: the row has none. */
export function contactRow(row: unknown): ContactRow | undefined {
  const values = unwrap(row) as Partial<ContactRow> | null;
  return typeof values?.uuid === 'string' && values.uuid !== '' ? (values as ContactRow) : undefined;
}
