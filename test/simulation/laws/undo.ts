import { normalOf } from '../people/token.ts';
import type { Addition, Evidence, Law, Removal, Violation, Write } from '../oracle/evidence.ts';
import { hasDecided, isMistakable, storyOf } from './records.ts';

/**
 * S7, S8. An undo removes only records that leadsheet itself made and that no person edited. No later run writes again what
 * an undo took back, appends the row again, deletes its contact, or creates the contact again.
 */
export const undo: Law = (evidence) => [
  ...evidence.removals.filter(({ isUndo }) => isUndo).flatMap((removal) => judgeRemoval(evidence, removal)),
  ...takenBackStays(evidence),
];

/** S8, by the writes alone. */
export function takenBackStays(evidence: OfWrites): readonly Violation[] {
  return evidence.writes.filter(({ isUndo }) => isUndo).flatMap((write) => judgeWrite(evidence, write));
}

type OfWrites = Pick<Evidence, 'writes' | 'removals' | 'runs' | 'log' | 'setting' | 'isStateTampered'>;

function judgeRemoval(evidence: Evidence, removal: Removal): readonly Violation[] {
  const { side, uuid, person, seq, edited } = removal;
  const { additions, log, removals } = evidence;
  const what = side === 'crm' ? 'contact' : 'row';
  const story = storyOf(evidence, person);
  const violations: Violation[] = [];
  // A row that lost its ID after the undo had looked at it is known by its person.
  const isIt = (each: Addition) => (uuid === '' ? each.person === person : each.uuid === uuid);
  if (!additions.some((each) => each.side === side && each.seq < seq && isIt(each)))
    violations.push({
      law: 'S7',
      text: `an undo deleted the ${what} of ${person} (${uuid}), which leadsheet had not made${story}`,
    });
  if (edited.length > 0)
    violations.push({
      law: 'S7',
      text: `an undo deleted the ${what} of ${person} (${uuid}), which was edited${story}`,
    });
  const known = person === undefined ? undefined : log.people.get(person);
  const isTouched =
    evidence.isStateTampered ||
    hasDecided(evidence, 'retry') ||
    (known?.tangles.size ?? 0) > 0 ||
    (known?.deletedIn.size ?? 0) > 0 ||
    log.typed.some((each) => each.person === person && each.seq > seq);
  if (isTouched) return violations;
  const isAgain = (each: Addition) => each.side === side && each.seq > seq && each.person === person && !each.isUndo;
  if (additions.some(isAgain))
    violations.push({ law: 'S7', text: `a run made the ${what} of ${person} again that an undo had deleted${story}` });
  if (removals.some((each) => each.seq > seq && each.person === person && each.side !== side && !each.isUndo))
    violations.push({
      law: 'S7',
      text: `a run deleted the other half of ${person}, whose ${what} an undo had deleted${story}`,
    });
  return violations;
}

/** A value that an undo put back on both sides stays, unless a person types there again or makes the undo undone. */
function judgeWrite(evidence: OfWrites, undone: Write): readonly Violation[] {
  const { side, uuid, person, field, before, after, seq, pid } = undone;
  const { writes, runs, log, setting } = evidence;
  const ofProcess = runs.filter((run) => run.pid === pid);
  const begun = ofProcess.findLast((run) => run.seq <= seq)?.seq ?? -Infinity;
  const end = ofProcess.find((run) => run.seq > seq)?.seq ?? Infinity;
  const isOther = (each: Write) => each.isUndo && each.uuid === uuid && each.field === field && each.side !== side;
  // A process may make several undos, of which the last was killed half way.
  const isWhole = writes.some((each) => isOther(each) && each.pid === pid && begun < each.seq && each.seq < end);
  const isKey = field === 'email' || field === 'network_id';
  const isSame = normalOf(field, before) === normalOf(field, after);
  if (!isWhole || isKey || isSame || evidence.isStateTampered || isMistakable(evidence, person)) return [];
  // A search that lags shows the value from before the undo, as if somebody had typed it.
  if (setting.switches.searchLagMs !== undefined || hasDecided(evidence, 'resolve')) return [];
  const known = person === undefined ? undefined : log.people.get(person);
  if (person === undefined || (known?.tangles.size ?? 0) > 0) return [];
  const again = writes.find(
    (each) =>
      each.seq > seq &&
      !each.isUndo &&
      each.side === side &&
      each.uuid === uuid &&
      each.field === field &&
      normalOf(field, each.after) === normalOf(field, before),
  );
  const isTyped = log.typed.some(
    (each) => each.person === person && each.field === field && each.seq > seq - 60 && each.seq < (again?.seq ?? 0),
  );
  // The later undo put it back, or began to: a run that finds it half done does the rest (L10).
  const isUndoneSince = writes.some(
    (each) =>
      each.isUndo &&
      (each.pid === pid ? each.seq > end : each.seq > seq) &&
      each.uuid === uuid &&
      each.field === field &&
      normalOf(field, each.after) === normalOf(field, before),
  );
  if (!again || isTyped || isUndoneSince) return [];
  const text = `${person} ${field} in the ${side}: an undo put "${after}" back, and a later run wrote "${before}" again`;
  return [{ law: 'S8', text: text + storyOf(evidence, person, field) }];
}
