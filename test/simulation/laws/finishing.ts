// Which writes of a run complete what an earlier run was let through to do (G2, G4, L10).
import type { Evidence, RunView, Write } from '../oracle/evidence.ts';
import { normalOf } from '../people/token.ts';

/**
 * Changes that no limit counts: those that complete a record that leadsheet created or a row that this run linked, and
 * those that an earlier run began without seeing the end.
 */
export function isFinishing(
  evidence: Evidence,
  { seq: begun }: RunView,
  { seq, side, uuid, person, field, before, after }: Write,
): boolean {
  const { additions, namings, writes, history, reports } = evidence;
  const isFirst = !writes.some(
    (each) => each.seq < seq && each.side === side && each.uuid === uuid && each.field === field,
  );
  // The cells of a new row, also of a row that comes back (D1), belong to its addition.
  if (additions.some((each) => each.uuid === uuid && (each.seq === seq || (isFirst && each.seq < seq)))) return true;
  if (before === '' && namings.some((each) => each.uuid === uuid && each.seq >= begun)) return true;
  // I7: an earlier run let the key go, and ended before the contact got the other one.
  const isOfField = (each: Write) => each.side === side && each.uuid === uuid && each.field === field;
  const last = writes.findLast((each) => isOfField(each) && each.seq < seq);
  if (side === 'crm' && before === '' && last?.after === '' && last.seq < begun) return true;
  if (wasLeftByStop(evidence, { begun, side, person, field, after })) return true;
  if (after !== '' && wasShownByAnswer(evidence, { begun, seq, uuid, person, field })) return true;
  const ended = new Set(reports.map(({ run }) => run));
  return history.some(
    (line) =>
      line.contact === uuid &&
      line['side'] === side &&
      line['field'] === field &&
      (line['after'] ?? '') === after &&
      (line['outcome'] !== 'done' || !ended.has(line.run)),
  );
}

/** G2: the answer to a write of the run before showed this edit of another field, which settles with that write. */
function wasShownByAnswer(
  { writes, log, runs }: Evidence,
  { begun, seq, uuid, person, field }: Pick<Write, 'seq' | 'uuid' | 'person' | 'field'> & { readonly begun: number },
): boolean {
  const written = writes.findLast((each) => each.side === 'crm' && each.uuid === uuid && each.seq < begun);
  const typed = log.typed.findLast(
    (each) => each.side === 'crm' && each.person === person && each.field === field && each.seq < seq,
  );
  const before = runs.findLast((run) => run.seq < begun)?.seq ?? 0;
  const isOfOther = written !== undefined && written.field !== field && written.seq > before;
  return isOfOther && typed !== undefined && typed.seq < written.seq;
}

/** W8: a run that was asked to end was let through to write what a person had typed on the other side before it began. */
function wasLeftByStop(
  { reports, runs, log }: Evidence,
  {
    begun,
    side,
    person,
    field,
    after,
  }: Pick<Write, 'side' | 'person' | 'field' | 'after'> & { readonly begun: number },
): boolean {
  const typed = log.typed.findLast(
    (each) =>
      each.side !== side &&
      each.person === person &&
      each.field === field &&
      normalOf(field, each.text) === normalOf(field, after),
  );
  const stopped = new Set(reports.flatMap((report) => (report.stopped ? [report.run] : [])));
  return typed !== undefined && runs.some((run) => stopped.has(run.run) && typed.seq < run.seq && run.seq < begun);
}
