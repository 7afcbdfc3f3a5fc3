// Prints open conflicts: the three values below each other.
import { lineText } from '../../log/printable.ts';
import type { ConflictAnswer } from '../../operator/answers/conflicts.ts';
import { countText, valueText } from '../../operator/words.ts';
import { waitingText } from './decisions.ts';
import { columnsText, recordText, timeText } from './lines.ts';
import { hint, quiet, urgent } from './style.ts';

export function conflictsText({ conflicts }: { readonly conflicts: readonly ConflictAnswer[] }): string {
  if (conflicts.length === 0) return 'no conflicts\n';
  return (
    `${urgent(countText(conflicts.length, 'conflict'))}\n${conflicts.map(conflictText).join('')}\n` +
    `Decide each: ${hint('leadsheet resolve ID --use crm|sheet')} (or --value VALUE), or make both sides equal\n`
  );
}

function conflictText({
  id,
  sync,
  contact,
  person,
  row,
  field,
  base,
  crm,
  sheet,
  since,
  decision,
}: ConflictAnswer): string {
  const rows = [
    ['agreed', quiet(valueText(base))],
    ['crm', valueText(crm)],
    ['sheet', valueText(sheet)],
  ];
  const decided = decision ? `    decided; the next run carries it out: ${waitingText(decision)}\n` : '';
  const what = `${lineText(field)} of ${recordText(person ?? contact, row)}, ${sync}, since ${timeText(since)}`;
  return `  ${lineText(id)}\n    ${what}\n${columnsText(rows, '      ')}${decided}`;
}
