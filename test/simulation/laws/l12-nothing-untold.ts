import { normalOf } from '../people/token.ts';
import type { Law, Violation, Write } from '../oracle/evidence.ts';
import type { RunReport } from '../../../src/engine/report.ts';
import type { FieldName } from '../world/setting.ts';
import { storyOf, wentElsewhere } from './records.ts';

/** L12. Every write is in the history; a run that left a change undone is not `succeeded`. */
export const nothingUntold: Law = (evidence) => [
  ...untold(evidence),
  ...evidence.reports.flatMap((report) => overstated(report)),
];

/** If the process died during the creation of a record, the history says only that it began. */
function untold(evidence: Parameters<Law>[0]): readonly Violation[] {
  if (evidence.isStateTampered) return [];
  const told = new Set<string>();
  for (const { side, contact, field, after, outcome } of evidence.history) {
    if (typeof field === 'string' && !notDone.has(textOf(outcome)))
      told.add(`${textOf(side)} ${contact ?? ''} ${field} ${formOf(field, textOf(after))}`);
  }
  const displacements = evidence.history.filter(({ message }) => textOf(message).includes('in the moment of writing'));
  return evidence.writes.flatMap((write) => {
    const { side, uuid, person, field, before, after } = write;
    const added = new Set(evidence.additions.map((addition) => `${addition.side} ${addition.uuid}`));
    if (added.has(`${side} ${uuid}`) && before === '') return [];
    if (normalOf(field, before) === normalOf(field, after)) return [];
    if (told.has(`${side} ${uuid} ${field} ${formOf(field, after)}`)) return [];
    // The message names that one.
    if (wentElsewhere(evidence, write)) return [];
    // The ID was removed in the moment of writing: the line is about the row as it was, and says where to look.
    if (uuid === '' && displacements.length > 0) return [];
    // The process died before it could tell: the next run says which value it may have sent, and that its end is unknown.
    if (uuid === '' && isPerhapsSent(evidence, write)) return [];
    // The ID was replaced by text that is no contact's: the line names that person and field, and what came in or was
    // removed.
    const isTyped = evidence.ownerOf(uuid) === undefined;
    const isToldSo = displacements.some(
      (line) =>
        line['field'] === field &&
        (person === undefined || evidence.ownerOf(textOf(line.contact)) === person) &&
        [before, after].some((text) => formOf(field, text) === formOf(field, textOf(line['after']))),
    );
    if (isTyped && isToldSo) return [];
    const text = `${person} ${field} in the ${side} (${uuid}) became ${JSON.stringify(after)} instead of ${JSON.stringify(before)}, and the history does not have it`;
    return [{ law: 'L12', text: text + storyOf(evidence, person, field) }];
  });
}

/** The value came in, or was taken back, by a write of this person's field whose outcome is unknown. */
function isPerhapsSent({ history, ownerOf }: Parameters<Law>[0], { side, person, field, before, after }: Write) {
  return history.some(
    (line) =>
      line.outcome === 'unknown' &&
      line.side === side &&
      line.field === field &&
      ownerOf(textOf(line.contact)) === person &&
      [before, after].some((text) => formOf(field, text) === formOf(field, textOf(line.after))),
  );
}

/** What the history says of a value that was not written. */
const notDone: ReadonlySet<string> = new Set(['refused', 'failed', 'moved']);

/** The history has the sent value; the service may have stored it in capitals (M5). */
function formOf(field: string, text: string): string {
  const form = normalOf(field as FieldName, text);
  return field === 'company_name' ? form.toLowerCase() : form;
}

function overstated({ status, counts, run }: RunReport): readonly Violation[] {
  const undone = counts.conflicts + counts.quarantined + counts.parked + counts.held;
  if (status !== 'succeeded' || undone === 0) return [];
  return [{ law: 'L12', text: `run ${run} left ${undone} records or fields undone and called itself succeeded` }];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
