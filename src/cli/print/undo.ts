// Prints the plan of an undo: what is put back, then what is not and why.
import { lineText } from '../../log/printable.ts';
import type { UndoPlanned } from '../../operator/undo.ts';
import { planText } from './plan.ts';

export function undoPlanText(
  { answer, report }: Pick<UndoPlanned, 'answer' | 'report'>,
  headerOf: (field: string) => string,
): string {
  const notes = answer.notes.map((note) => `  ${lineText(note)}\n`).join('');
  return `undo of ${lineText(answer.undoes)}\n${notes}${planText(report, headerOf)}`;
}
