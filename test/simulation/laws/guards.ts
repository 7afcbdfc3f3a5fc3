import type { Evidence, Law, RunView, Write } from '../oracle/evidence.ts';
import { isFinishing } from './finishing.ts';
import { blanksShare, changesShare, countForShares, deletesShare } from './limits.ts';
import { duringRun } from './runs.ts';

/** Below that an empty side is normal (G1). */
const linksForEmptySide = 2;

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

function judgeRun(evidence: Evidence, run: RunView) {
  const isOfRun = duringRun(evidence, run);
  const isTicked = ({ uuid }: { readonly uuid: string }) => evidence.log.ticked.has(uuid);
  const removals = evidence.removals.filter((each) => isOfRun(each) && !isTicked(each));
  const emptied = run.rows === 0 ? 'crm' : run.contactsHere === 0 ? 'sheet' : undefined;
  // A run reads a side some time after it began: after that of another process, whose lease it waits for. Whoever came by then has
  // filled it.
  const next = evidence.runs.find(({ pid, seq }) => pid === run.pid && seq > run.seq);
  const { typed, movesBack } = evidence.log;
  const cameToSheet = typed.flatMap(({ side, seq }) => (side === 'sheet' ? [seq] : []));
  const cameToCrm = [...typed.flatMap(({ side, seq }) => (side === 'crm' ? [seq] : [])), ...movesBack];
  const added = evidence.additions.flatMap(({ side, pid, seq }) => (side !== emptied && pid !== run.pid ? [seq] : []));
  const isFilled = [...(emptied === 'crm' ? cameToSheet : cameToCrm), ...added].some(
    (seq) => seq >= run.seq && seq < (next?.seq ?? Infinity),
  );
  // An undo removes what its run made, whatever the other side holds (S7).
  const emptying = removals.filter(({ side, isUndo }) => side === emptied && !isUndo);
  if (run.linked >= linksForEmptySide && !isFilled && emptying.length > 0) {
    const text = `a run took ${emptying.length} off the ${emptied}, since the other side was empty, and nobody had approved it`;
    return [{ law: 'G1', text: `${text}; ${run.linked} were linked` }];
  }
  if (evidence.setting.limits !== 'default' || run.linked < countForShares) return [];
  const ofRun = evidence.writes.filter(isOfRun);
  const writes = ofRun.filter((write) => !isTicked(write) && !isFinishing(evidence, run, write));
  const counts = [
    ['deletions', removals.length, deletesShare],
    ['changed records', new Set(writes.map(({ uuid }) => uuid)).size, changesShare],
    // A field counts as emptied only if its value could be seen.
    ['emptied fields', writes.filter((write) => isEmptied(write) && !isLetGo(write, ofRun)).length, blanksShare],
  ] as const;
  return counts.flatMap(([what, count, share]) => {
    const limit = Math.floor(run.everLinked * share);
    if (count <= limit) return [];
    return [{ law: 'G2', text: `a run made ${count} ${what}, ${limit} are allowed, and nobody had approved it` }];
  });
}
