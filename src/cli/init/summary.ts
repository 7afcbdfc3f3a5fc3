// Counts the changes of a plan by what is done, and says them in a few lines.
import type { PlanReport } from '../../engine/report.ts';
import type { ChangeOp } from '../../sync/change.ts';
import { countText } from '../../operator/words.ts';

const wordsByOp: Readonly<Record<ChangeOp, readonly [one: string, many: string]>> = {
  create: ['contact is created in the service', 'contacts are created in the service'],
  update: ['contact is changed in the service', 'contacts are changed in the service'],
  delete: ['contact is DELETED in the service', 'contacts are DELETED in the service'],
  enrol: ['contact is enrolled', 'contacts are enrolled'],
  cancel: ['contact is taken out of automations', 'contacts are taken out of automations'],
  send: ['message is SENT', 'messages are SENT'],
  set: ['row is changed in the sheet', 'rows are changed in the sheet'],
  append: ['row is added to the sheet', 'rows are added to the sheet'],
  remove: ['row is DELETED in the sheet', 'rows are DELETED in the sheet'],
};

export function countChanges({ changes }: Pick<PlanReport, 'changes'>): Readonly<Record<ChangeOp, number>> {
  const counts = { create: 0, update: 0, delete: 0, enrol: 0, cancel: 0, send: 0, set: 0, append: 0, remove: 0 };
  for (const { op } of changes) counts[op] += 1;
  return counts;
}

/** A line for each operation, and for what a person has to look at. */
export function planLines(report: PlanReport, name: string): readonly string[] {
  const { error, holds, problems } = report;
  if (error !== undefined) return [`The first run cannot be planned: ${error}`];
  const counts = countChanges(report);
  const done = Object.entries(wordsByOp).flatMap(([op, [one, many]]) => {
    const count = counts[op as ChangeOp];
    return count === 0 ? [] : [countText(count, one, many)];
  });
  const first =
    done.length === 0 ? ['The first run changes nothing'] : ['The first run:', ...done.map((line) => `  ${line}`)];
  const held = holds.map(({ reason }) => `It would be held: ${reason}`);
  const waiting = problems.filter(({ kind }) => kind === 'waiting').length;
  const open = problems.length - waiting;
  const wait = countText(waiting, 'record waits', 'records wait');
  return [
    ...first,
    ...held,
    ...(open === 0 ? [] : [`${countText(open, 'problem')} to look at: leadsheet plan ${name}`]),
    ...(waiting === 0 ? [] : [`${wait}, and leadsheet plan ${name} says for what`]),
  ];
}
