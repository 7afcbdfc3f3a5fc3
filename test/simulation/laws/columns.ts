import type { Evidence, Law, RunView, Violation, Write } from '../oracle/evidence.ts';
import { normalOf } from '../people/token.ts';
import { isFinishing } from './finishing.ts';
import { countForShares, deletesShare } from './limits.ts';
import { duringRun } from './runs.ts';

/** Fewer people may swap what they have. Of the cells of a column that a run sends, and of those that moved (G1). */
const movedCellsMin = 5;
const movedShareMin = 0.8;
const distinctShareMin = 0.5;
const replacedPeopleMin = 3;

/**
 * G1, G2, E5. Without an approval no run gives many contacts what others of them had in the same field, as after a column was sorted
 * alone, none gives three contacts other names and another address, and none takes many out of their automations because their cells were emptied.
 */
export const columns: Law = (evidence) =>
  evidence.isStateTampered
    ? []
    : evidence.runs
        .filter(({ isApproved }) => !isApproved)
        .flatMap((run) => [
          ...movedColumns(evidence, run),
          ...replacedPeople(evidence, run),
          ...cancelledColumns(evidence, run),
        ]);

function sentIn(evidence: Evidence, run: RunView): readonly Write[] {
  const isOfRun = duringRun(evidence, run);
  return evidence.writes.filter((write) => write.side === 'crm' && isOfRun(write) && !write.isUndo);
}

/** Without what was let through, by this run or an earlier one. */
function sentAnew(evidence: Evidence, run: RunView): readonly Write[] {
  return sentIn(evidence, run).filter((write) => !isTicked(evidence, write) && !isFinishing(evidence, run, write));
}

/** A handle names the person, whatever else of them is another one. */
function replacedPeople(evidence: Evidence, run: RunView): readonly Violation[] {
  const { mapped } = evidence;
  if (mapped.has('network_id') || !mapped.has('email')) return [];
  const names = (['first_name', 'last_name'] as const).filter((field) => mapped.has(field));
  if (names.length === 0) return [];
  const isOther = ({ field, before, after }: Write) =>
    before !== '' && after !== '' && normalOf(field, before).toLowerCase() !== normalOf(field, after).toLowerCase();
  const replaced = [...Map.groupBy(sentAnew(evidence, run), ({ uuid }) => uuid).values()].filter((writes) =>
    (['email', ...names] as const).every((field) => writes.some((each) => each.field === field && isOther(each))),
  );
  if (replaced.length < replacedPeopleMin) return [];
  const text = `a run gave ${replaced.length} contacts other names and addresses, and nobody had approved it`;
  return [{ law: 'G1', text }];
}

function movedColumns(evidence: Evidence, run: RunView): readonly Violation[] {
  const all = Map.groupBy(sentIn(evidence, run), ({ field }) => field);
  return [...Map.groupBy(sentAnew(evidence, run), ({ field }) => field)].flatMap(([field, writes]) => {
    const moved = movedWrites(writes);
    const distinct = new Set(moved.map(({ after }) => after)).size;
    if (distinct < movedCellsMin || distinct < moved.length * distinctShareMin) return [];
    // Others of the column are edits, also those that an earlier run began.
    if (moved.length < all.get(field)!.length * movedShareMin) return [];
    const text = `a run gave ${moved.length} contacts what others of them had as ${field}, and nobody had approved it`;
    return [{ law: 'G1', text }];
  });
}

/** Those that give a contact what another one of them had, once for each time that it was there. */
function movedWrites(writes: readonly Write[]): readonly Write[] {
  const left = writes.map(({ field, before }) => normalOf(field, before)).filter((text) => text !== '');
  return writes.filter(({ field, after }) => {
    const at = left.indexOf(normalOf(field, after));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

function cancelledColumns(evidence: Evidence, run: RunView): readonly Violation[] {
  if (evidence.setting.limits !== 'default') return [];
  const isOfRun = duringRun(evidence, run);
  const enrolled = new Set(evidence.enrolments.flatMap((each) => (each.seq < run.seq ? [idOf(each)] : [])));
  const begun = new Set(evidence.cellCancels.flatMap((each) => (each.seq < run.seq ? [idOf(each)] : [])));
  // Those in effect, at least.
  if (enrolled.size - begun.size < countForShares) return [];
  const cancelled = new Set(
    evidence.cellCancels.flatMap((each) => (isOfRun(each) && !isTicked(evidence, each) ? [idOf(each)] : [])),
  );
  const count = cancelled.difference(begun).size;
  const limit = Math.floor(enrolled.size * deletesShare);
  if (count <= limit) return [];
  const text = `a run took ${count} out of their automations, ${limit} are allowed, and nobody had approved it`;
  return [{ law: 'G2', text }];
}

/** G6: a person let this contact through by itself. */
function isTicked({ log }: Evidence, { uuid }: { readonly uuid: string }): boolean {
  return log.ticked.has(uuid);
}

function idOf({ uuid, automation }: { readonly uuid: string; readonly automation: string }): string {
  return `${uuid}/${automation}`;
}
