// Prints open conflicts: the three values below each other.
import { lineText } from '../../log/printable.ts';
import type { ConflictAnswer } from '../../operator/answers/conflicts.ts';
import { commandText } from '../../operator/explain/commands.ts';
import { countText, knownText, valueText } from '../../operator/words.ts';
import { waitingText } from './decisions.ts';
import { columnsText, recordText, timeText } from './lines.ts';
import { hint, quiet, urgent } from './style.ts';

export function conflictsText({ conflicts }: { readonly conflicts: readonly ConflictAnswer[] }): string {
  if (conflicts.length === 0) return 'no conflicts\n';
  return (
    `${urgent(countText(conflicts.length, 'conflict'))}\n${conflicts.map(conflictText).join('')}\n` +
    `${decideText(conflicts)}; or make both sides equal\n`
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
  is_base_known: isBaseKnown,
  crm,
  sheet,
  since,
  decision,
}: ConflictAnswer): string {
  const rows = [
    ['agreed', quiet(knownText({ value: base, is_known: isBaseKnown }))],
    ['crm', valueText(crm)],
    ['sheet', valueText(sheet)],
  ];
  const decided = decision ? `    decided; the next run carries it out: ${waitingText(decision)}\n` : '';
  const what = `${lineText(field)} of ${recordText(person ?? contact, row)}, ${sync}, since ${timeText(since)}`;
  return `  ${lineText(id)}\n    ${what}\n${columnsText(rows, '      ')}${decided}`;
}

/** A command to copy, for the only conflict or for the first of several. */
function decideText(conflicts: readonly ConflictAnswer[]): string {
  const first = `${hint(lineText(`${commandText('resolve', conflicts[0]!.id)} --use crm`))}, or --use sheet, or --value TEXT`;
  return conflicts.length === 1
    ? `Decide: ${first}`
    : `Decide one after the other: ${hint('leadsheet resolve')}; or each by its id: ${first}`;
}
