// What a tab of a feed holds, and what people wrote beside its rows: each note names the record it is about, so that any
// reader can tell whether it still stands in that record's row.
import type { createSyncTrial } from '../../support/app.ts';

type Trial = Pick<ReturnType<typeof createSyncTrial>, 'person'>;

export interface SeenRow {
  /** As the grid counts, from 1. */
  readonly number: number;
  readonly id: string;
  readonly note: string;
  /** By header. */
  readonly cells: Readonly<Record<string, string>>;
}

export const noteHeader = 'Note';

export function noteOf(id: string): string {
  return `note of ${id}`;
}

export function readRows({ person }: Trial): readonly SeenRow[] {
  const [header = [], ...rows] = person.read("'Prospects'") as readonly (readonly string[])[];
  return rows.map((row, index) => {
    const cells = Object.fromEntries(header.map((name, column) => [name, row[column] ?? '']));
    return { number: index + 2, id: cells['ID'] ?? '', note: cells[noteHeader] ?? '', cells };
  });
}

/** Letters of the column with this header; one of the first 26. */
export function columnOf({ person }: Trial, header: string): string {
  const [names = []] = person.read("'Prospects'!1:1");
  return String.fromCodePoint(65 + names.indexOf(header));
}

/** A note that a person writes into a row whose ID they cleared: no record has it any more. */
export function lostNote(index: number): string {
  return `lost ${index}`;
}

/** L9, F2: rows whose note is about another record. */
export function strangeNotes(trial: Trial): readonly string[] {
  return readRows(trial).flatMap(({ number, id, note }) =>
    note === '' || note === noteOf(id) || (id === '' && note.startsWith(lostNote(0).slice(0, -1)))
      ? []
      : [`row ${number} of ${id} says "${note}"`],
  );
}
