// One person of a sync: a contact and a row that belong together. One of the two may be missing.
import type { Link } from './base.ts';
import type { ContactRecord, RowRecord } from './record.ts';

/** `unread`: not read in this run, and not missing either. `absent`: a whole scan did not show it. */
export type ContactReading = ContactRecord | 'unread' | 'absent';

export interface Person {
  readonly uuid: string;
  readonly link: Link | undefined;
  readonly contact: ContactReading;
  readonly row: RowRecord | undefined;
}

/** A row of a contact, whose automation cell may hold a wish. */
export interface LinkedRow {
  readonly uuid: string;
  readonly row: RowRecord;
}
