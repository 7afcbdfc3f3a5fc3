// Helpers for printing to a terminal: columns, instants, answers.
import { stripVTControlCharacters } from 'node:util';
import { lineText } from '../../log/printable.ts';

/** Aligns columns, two spaces apart; the last column is not cut. */
export function columnsText(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
  }
  return rows
    .map((row) => {
      const cells = row.map((cell, index) =>
        index === row.length - 1 ? cell : cell + ' '.repeat(widths[index]! + 2 - widthOf(cell)),
      );
      return `${indent}${cells.join('')}`.trimEnd() + '\n';
    })
    .join('');
}

/** Without the styles, which take no room. */
function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}

/** `2026-11-21 09:00:00Z`: to the second, in UTC, as in the history and the log. */
export function timeText(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')}Z`;
}

export function recordText(contact: string | null, row: number | null): string {
  const parts = [contact === null ? undefined : lineText(contact), row === null ? undefined : `row ${row}`];
  return parts.filter(Boolean).join(', ') || 'the sync';
}

/** Prints the answer of a command as text, or as JSON with --json. */
export function printAnswer<Answer>(
  answer: Answer,
  toText: (answer: Answer) => string,
  { json }: { readonly json?: true },
  { stdout }: { readonly stdout: { write(text: string): unknown } },
): void {
  stdout.write(json ? jsonText(answer) : toText(answer));
}

export function jsonText(answer: unknown): string {
  return `${JSON.stringify(answer, null, 2)}\n`;
}
