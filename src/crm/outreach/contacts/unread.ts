// Operations on contacts that leave their answers as they came.
// The kind of the mapped field reads each value once (V1). The other forty fields of a contact are never read.
import { isEmpty, openPage } from '../operations/answers.ts';
import { NotThisAnswer, type Operation } from '../operations/define.ts';
import type { ContactFilter } from '../operations/filter.ts';
import type { Contact } from '../operations/records.ts';
import { operations } from '../operations/table.ts';
import { contactRow, type ContactRow } from '../scan/contact-row.ts';

const { contacts } = operations;

export const getUnread = unread(contacts.get);
export const updateUnread = unread(contacts.update);
export const upsertUnread = unread(contacts.upsert);

type LookupInput = NonNullable<typeof contacts.lookupOne extends Operation<infer Input> ? Input : never>;

export const lookupUnread: Operation<LookupInput, ContactRow | undefined> = {
  ...contacts.lookupOne,
  answer: { ...contacts.lookupOne.answer, read: (json) => (isEmpty(json) ? undefined : readRow(json)) },
};

type SearchPage = ReturnType<typeof openPage>;

/** Parses row by row: a full parse of every contact would cost more than fetching it. */
export const searchUnread: Operation<{ readonly filter?: ContactFilter }, SearchPage> = {
  ...contacts.search,
  answer: { ...contacts.search.answer, read: openPage },
} as Operation as Operation<{ readonly filter?: ContactFilter }, SearchPage>;

function unread<Input>(operation: Operation<Input, Contact>): Operation<Input, ContactRow> {
  return { ...operation, answer: { ...operation.answer, read: readRow } };
}

function readRow(json: unknown): ContactRow {
  const row = contactRow(json);
  if (row === undefined) throw new NotThisAnswer('a Contact has a uuid');
  return row;
}
