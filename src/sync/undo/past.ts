// The effects of a run, as its history tells them: the input of an undo (S4).
import type { Reading, Side } from '../value/value.ts';

/** One field that a run wrote. */
export interface PastWrite {
  readonly uuid: string;
  readonly field: string;
  readonly side: Side;
  /**
   * What both sides agreed on before that run. undefined: they had never agreed, or it is not known, so that there is no
   * value both sides could go back to.
   */
  readonly agreedBefore: Reading;
  readonly after: Reading;
}

/** An enrolment or a cancel that a run asked for. */
export interface PastEnrolment {
  readonly uuid: string;
  readonly op: 'enrol' | 'cancel';
  /** The name of the automation, as far as it is known. */
  readonly automation: string;
}

/** A record that a run made. */
export interface PastRecord {
  readonly uuid: string;
  /** By field name: what the run wrote for it, the last value where it wrote several. A field without one was blank. */
  readonly held: ReadonlyMap<string, Reading>;
}

/** A contact that a run created from a row, or moved here. */
export interface PastCreate extends Omit<PastRecord, 'uuid'> {
  /** null: the service did not answer it. */
  readonly uuid: string | null;
  readonly row: number | null;
  /** Whether the contact was made by that run. `unknown`: a version that did not note it wrote the history. */
  readonly is: 'new' | 'moved' | 'known' | 'unknown';
}

export interface PastRun {
  readonly writes: readonly PastWrite[];
  readonly enrolments: readonly PastEnrolment[];
  readonly created: readonly PastCreate[];
  readonly appended: readonly PastRecord[];
  /** Rows that were deleted, by the uuid of their contact. */
  readonly removed: readonly string[];
  /** Contacts that were deleted. */
  readonly deleted: readonly string[];
  /** Contacts whose ID was written into a row that was there. */
  readonly linked: readonly string[];
}

/** The uuids of all contacts that the run touched, each once. */
export function uuidsOfPast(past: PastRun): readonly string[] {
  const { writes, enrolments, created, appended, removed, deleted, linked } = past;
  const uuids = [
    ...[...writes, ...enrolments, ...appended].map(({ uuid }) => uuid),
    ...created.flatMap(({ uuid }) => uuid ?? []),
    ...removed,
    ...deleted,
    ...linked,
  ];
  return [...new Set(uuids)];
}
