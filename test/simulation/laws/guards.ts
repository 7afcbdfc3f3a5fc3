import type { Evidence, Law, RunView, Write } from '../oracle/evidence.ts';
import { normalOf } from '../people/token.ts';
import { duringRun } from './runs.ts';

/** Below these numbers a share says nothing (G2), and an empty side is normal (G1). */
const linksForShares = 5;
const linksForEmptySide = 2;

/** Shares of the links, in one run, by default (docs/configuration.md). */
const deletesShare = 0.2;
const changesShare = 0.5;
const blanksShare = 0.2;

/**
 * G1, G2, G6. Records that a person approved one by one do not count. No record is removed because the other side is empty, and no run exceeds a limit, without an approval. Only the
 * state knows the number of links: at most as many as ever had a row.
 */
export const guards: Law = (evidence) =>
  evidence.isStateTampered ? [] : evidence.runs.flatMap((run) => (run.isApproved ? [] : judgeRun(evidence, run)));

const isEmptied = ({ before, after, isUnseen }: Write) => before !== '' && after === '' && !isUnseen;

/** I7: a key that is released so that two can change hands, and is replaced by the end of the run. */
const isLetGo = ({ seq, side, uuid, field }: Write, writes: readonly Write[]) =>
  side === 'crm' &&
  writes.some((each) => each.seq > seq && each.uuid === uuid && each.field === field && each.after !== '');

/**
 * Changes that no limit counts: those that complete a record that leadsheet created or a row that this run linked, and
 * those that an earlier run began without seeing the end.
 */
function isFinishing(
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

function judgeRun(evidence: Evidence, run: RunView) {
  const isOfRun = duringRun(evidence, run);
  const isTicked = ({ uuid }: { readonly uuid: string }) => evidence.log.ticked.has(uuid);
  const removals = evidence.removals.filter((each) => isOfRun(each) && !isTicked(each));
  const emptied = run.rows === 0 ? 'crm' : run.contactsHere === 0 ? 'sheet' : undefined;
  // A run reads a side some time after it began. Whoever came by then has filled it.
  const next = evidence.runs.find(({ pid, seq }) => pid === run.pid && seq > run.seq);
  const { typed, movesBack } = evidence.log;
  const cameToSheet = typed.flatMap(({ side, seq }) => (side === 'sheet' ? [seq] : []));
  const cameToCrm = [...typed.flatMap(({ side, seq }) => (side === 'crm' ? [seq] : [])), ...movesBack];
  const isFilled = (emptied === 'crm' ? cameToSheet : cameToCrm).some(
    (seq) => seq >= run.seq && seq < (next?.seq ?? Infinity),
  );
  // An undo removes what its run made, whatever the other side holds (S7).
  const emptying = removals.filter(({ side, isUndo }) => side === emptied && !isUndo);
  if (run.linked >= linksForEmptySide && !isFilled && emptying.length > 0) {
    const text = `a run took ${emptying.length} off the ${emptied}, since the other side was empty, and nobody had approved it`;
    return [{ law: 'G1', text: `${text}; ${run.linked} were linked` }];
  }
  if (evidence.setting.limits !== 'default' || run.linked < linksForShares) return [];
  const writes = evidence.writes.filter(
    (write) => isOfRun(write) && !isTicked(write) && !isFinishing(evidence, run, write),
  );
  const counts = [
    ['deletions', removals.length, deletesShare],
    ['changed records', new Set(writes.map(({ uuid }) => uuid)).size, changesShare],
    // A field counts as emptied only if its value could be seen.
    ['emptied fields', writes.filter((write) => isEmptied(write) && !isLetGo(write, writes)).length, blanksShare],
  ] as const;
  return counts.flatMap(([what, count, share]) => {
    const limit = Math.floor(run.everLinked * share);
    if (count <= limit) return [];
    return [{ law: 'G2', text: `a run made ${count} ${what}, ${limit} are allowed, and nobody had approved it` }];
  });
}
