import { unwrap } from '../operations/answers.ts';

/**
 * A row of a page, known to be a contact; its fields as they came. It has fifty of them, with lists of posts and experience:
 * whoever keeps a hundred thousand contacts takes what is needed out of each right away.
 */
export type ContactRow = Readonly<Record<string, unknown>> & { readonly uuid: string };

/** The contact in a row, flat or wrapped; undefined when there is none. */
export function contactRow(row: unknown): ContactRow | undefined {
  const values = unwrap(row) as Partial<ContactRow> | null;
  return typeof values?.uuid === 'string' && values.uuid !== '' ? (values as ContactRow) : undefined;
}
