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
 * G1, G2, E1, E5. Without an approval no run gives many contacts what others of them had in the same field, as after a column was sorted
 * alone, none puts anybody into an automation because many wishes were moved so, none gives three contacts other names and another address,
 * and none takes many out of their automations because their cells were emptied.
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
          ...movedWishes(evidence, run),
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
  return writes.filter(({ field, after }) => takes(left, normalOf(field, after)));
}

function takes(left: string[], text: string): boolean {
  const at = left.indexOf(text);
  if (at >= 0) left.splice(at, 1);
  return at >= 0;
}

/**
 * Judged where the run before saw all wishes before they moved, and ended before that. Only who was in the automation counts as having
 * left it, if row and contact are there still: of others no cell is read. Only who is put into it now counts as having come.
 */
function movedWishes(evidence: Evidence, run: RunView): readonly Violation[] {
  const { runs, reports, log, enrolments } = evidence;
  const index = runs.indexOf(run);
  const before = runs[index - 1];
  const end = log.runEnds.get(before?.run ?? '') ?? Infinity;
  const until = log.runEnds.get(run.run) ?? runs[index + 1]?.seq ?? Infinity;
  if (reports.find((report) => report.run === before?.run)?.status !== 'succeeded') return [];
  const cells = log.wishCells.filter(({ seq }) => seq >= before!.seq && seq <= until);
  const known = new Set(cells.map(({ seq }) => seq));
  const isDoubtful = log.wishChanges.some((seq) => seq >= before!.seq && seq <= until && !known.has(seq));
  if (isDoubtful || cells.some(({ seq }) => seq <= end || seq >= run.seq)) return [];
  const wishes = [...Map.groupBy(cells, ({ person }) => person)].map(([person, own]) => {
    return { person, before: own[0]!.before, after: own.at(-1)!.after };
  });
  const isEnrolled = (person: string, automation: string, from: number, to: number) =>
    enrolments.some((each) => each.person === person && each.name === automation && each.seq >= from && each.seq <= to);
  const changed = wishes.filter((wish) => wish.before !== wish.after);
  const areThere = peopleOfBoth(evidence);
  const left = changed
    .filter((wish) => areThere.has(wish.person) && isEnrolled(wish.person, wish.before, 0, end))
    .map((wish) => wish.before);
  const come = changed.filter((wish) => isEnrolled(wish.person, wish.after, run.seq, until));
  const moved = come.filter(({ after }) => takes(left, after));
  const most = Math.max(
    changed.filter((wish) => wish.before !== '').length,
    changed.filter((wish) => wish.after !== '').length,
  );
  if (moved.length < movedCellsMin || moved.length < most * movedShareMin) return [];
  const text = `a run put ${moved.length} into automations that others had been wished for in, and nobody had approved it`;
  return [{ law: 'G1', text }];
}

/** Who has a row and a contact at the end, and had them all the time: a row that was deleted may have been made again (D1). */
function peopleOfBoth({ quiet, personOf, ownerOf, log }: Evidence): ReadonlySet<string> {
  const people = quiet.rows.flatMap((row) => personOf(row) ?? []);
  const inSheet = new Set(people.filter((person) => (log.people.get(person)?.deletedIn.size ?? 0) === 0));
  return inSheet.intersection(new Set(quiet.contacts.flatMap(({ uuid }) => ownerOf(uuid) ?? [])));
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
