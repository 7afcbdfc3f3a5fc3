import type { Addition, Evidence, Law, Violation } from '../oracle/evidence.ts';
import { storyOf } from './records.ts';

/** L8. No contact is created twice, no row appended twice, and no contact enrolled more often than wished. */
export const once: Law = (evidence) => [
  ...evidence.additions.flatMap((addition) => judgeAddition(evidence, addition)),
  ...judgeEnrolments(evidence),
];

function judgeAddition(evidence: Evidence, addition: Addition): readonly Violation[] {
  const { side, person, uuid, twins } = addition;
  if (twins.length === 0) return [];
  const tangles = (person !== undefined && evidence.log.people.get(person)?.tangles) || new Set<string>();
  if (tangles.size > 0 && mayBeOfPeople(evidence, addition, tangles)) return [];
  if (isOfTwoHolders(evidence, addition)) return [];
  const what = side === 'crm' ? 'a second contact' : 'a second row';
  return [
    {
      law: 'L8',
      text: `${what} of ${person} (${uuid}) was made beside ${twins.join(', ')}${storyOf(evidence, person)}`,
    },
  ];
}

/**
 * Duplicates that people made cannot be told apart by counting, and may have keys of their own. Those of which leadsheet made each can,
 * while people left the keys.
 */
function mayBeOfPeople(evidence: Evidence, addition: Addition, tangles: ReadonlySet<string>): boolean {
  if (earlierOf(evidence, addition).length < addition.twins.length) return true;
  if (tangles.has('second row') || tangles.has('duplicate')) return true;
  if (!tangles.has('key')) return false;
  return tangles.size > 1 || !isOfCorrectedRow(evidence, addition);
}

/** Of those that it stands beside, the ones that leadsheet made before it. */
function earlierOf({ additions }: Evidence, { side, seq, person, twins }: Addition): readonly Addition[] {
  const made = additions.filter((each) => each.side === side && each.person === person && each.seq < seq);
  return twins.flatMap((uuid) => made.findLast((each) => each.uuid === uuid) ?? []);
}

/**
 * H3, H4: the clock of a worker stood still with it, so that its lease seemed to last, and it appended the row before the next holder
 * wrote anything. docs/fleet.md, "What cannot be fenced".
 */
function isOfTwoHolders({ additions, log, setting }: Evidence, { side, uuid, pid }: Addition): boolean {
  const hasStopped = log.story.some((line) => line.includes(', its clock too'));
  const isOfBoth = additions.some((each) => each.side === 'sheet' && each.uuid === uuid && each.pid !== pid);
  return side === 'sheet' && setting.isFleet === true && hasStopped && isOfBoth;
}

/**
 * I5: leadsheet made the other contact of the same row, and nobody changed a key of it in the service. The row was corrected since,
 * and at each look something stood in it that had stood there at the look before.
 */
function isOfCorrectedRow(evidence: Evidence, addition: Addition): boolean {
  const { log, runs, reports, isStateTampered } = evidence;
  const { side, seq, person } = addition;
  if (side !== 'crm' || isStateTampered) return false;
  const since = Math.min(...earlierOf(evidence, addition).map((each) => each.seq));
  const typed = log.typed.filter((each) => each.person === person && each.seq < seq);
  if (typed.some((each) => each.side === 'crm')) return false;
  // A run that failed or was killed may not have kept what it saw.
  const ended = new Set(reports.flatMap(({ run, status }) => (status === 'failed' ? [] : [run])));
  const began = runs.flatMap((each) => (ended.has(each.run) ? [each.seq] : []));
  const looks = [...began.filter((at) => at > since && at < seq), seq];
  return looks.every((at, index) => {
    const before = looks[index - 1] ?? since;
    const was = new Map(typed.filter((each) => each.seq <= before).map(({ field, text }) => [field, text]));
    const anew = new Set(typed.filter((each) => each.seq > before && each.seq <= at).map(({ field }) => field));
    return [...was].some(([field, text]) => text !== '' && !anew.has(field));
  });
}

/**
 * With on_clear: cancel a wish that is cleared, or becomes another one, and is said again, is carried out again. Otherwise only a retry of
 * this record repeats a call.
 */
function judgeEnrolments(evidence: Evidence): readonly Violation[] {
  const { enrolments, policies, log, isStateTampered, ownerOf } = evidence;
  if (isStateTampered) return [];
  const mayCancel = policies.some(({ automation }) => automation?.onClear === 'cancel');
  const byBoth = Map.groupBy(enrolments, ({ uuid, automation }) => `${uuid} ${automation}`);
  return [...byBoth.values()].flatMap((each) => {
    const { uuid, name } = each[0]!;
    const person = ownerOf(uuid);
    const wished = log.people.get(person ?? '')?.wishes.get(name) ?? 0;
    const mayBe = (mayCancel ? Math.max(1, wished) : 1) + retriesOf(log.story, uuid);
    if (each.length <= mayBe) return [];
    return [{ law: 'L8', text: `${person} was put into ${name} ${each.length} times${storyOf(evidence, person)}` }];
  });
}

/** What people said of this contact, or of a row, which may be its own. */
function retriesOf(story: readonly string[], uuid: string): number {
  const said = story.flatMap((line) => /"kind":"retry","id":"(?<of>[^/"]+)/.exec(line)?.groups?.['of'] ?? []);
  return said.filter((of) => of === uuid || of.startsWith('row:')).length;
}
