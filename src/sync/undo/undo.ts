// The plan that takes a run back (S4, S7, S8). Like any other plan it is guarded, pushed and settled; it holds nothing but
// the undo, so that what came up meanwhile is left to the next run.
import type { Change, Problem } from '../change.ts';
import { countChanges } from '../guard/counted.ts';
import { guardCounts, guardReadings, guardSides } from '../guard/guard.ts';
import type { PlanInput } from '../input.ts';
import { planUpdates } from '../keys/updates.ts';
import { type Matched, match } from '../match/match.ts';
import { plannedAgain } from '../outcome.ts';
import { countFound, heldPlan, orderChanges, orderProblems, type Plan } from '../plan.ts';
import { compileKeys } from '../record/keys.ts';
import { withCopies } from '../record/link.ts';
import type { Person } from '../record/person.ts';
import { planUndo } from './fields.ts';
import { type PastRun, uuidsOfPast } from './past.ts';
import { planRecordsUndo } from './records.ts';

export interface UndoOptions {
  /** The run that is taken back, for people. */
  readonly run: string;
  /** Contacts that the run created are deleted. */
  readonly deletesCreated: boolean;
  /** One field is meant: records that the run made stay. Left out: false. */
  readonly isOfField?: boolean;
}

/** `past`: what of the run is to be taken back. */
export function planUndoRun(input: PlanInput, past: PastRun, options: UndoOptions): Plan {
  const suspects = input.suspects ?? new Map<string, never>();
  const readings = guardReadings(input);
  if (readings.holds.length > 0) return heldPlan(readings.holds, 0, suspects);
  const matched = match(input, compileKeys(input.mapping));
  const sides = guardSides(input, countFound(matched, input.base));
  if (sides.holds.length > 0) return heldPlan(sides.holds, sides.missing, suspects);
  const people = peopleOf(input, matched, uuidsOfPast(past));
  const ofFields = planUndo(input, people, ofKnownRecords(past), past.enrolments);
  const ofRecords = planRecordsUndo(input, people, matched, past, options);
  const updates = planUpdates(input, matched.contactByUuid, ofFields.changes);
  const fields = [...updates.changes, ...withoutHeldKeys(ofFields.changes, updates.changes)];
  const by = `undo of ${options.run}`;
  const changes = orderChanges([...fields, ...ofRecords.changes]).map((change) => named(change, by));
  const counted = countChanges(input, changes);
  return {
    holds: guardCounts(input, counted, changes),
    questions: updates.questions,
    changes,
    problems: orderProblems(
      [...ofFields.problems, ...ofRecords.problems, ...updates.problems].map((each) => {
        return { ...each, reason: `${by}: ${each.reason}` };
      }),
    ),
    // A link that is marked before its row or contact goes is as it was if that does not happen.
    links: new Map(
      changes.flatMap(({ op, uuid }) => {
        const link = op === 'remove' || op === 'delete' ? input.base.links.get(uuid ?? '') : undefined;
        return link && uuid !== null ? [[uuid, link] as const] : [];
      }),
    ),
    strays: input.base.strays,
    people,
    wishes: new Map(),
    movedWishes: [],
    // An undo says nothing of what people moved.
    suspects,
    relinks: new Map(),
    wishResults: new Map(),
    blankRows: matched.blankRows,
    readForRetries: new Set(),
    isLedgerTrusted: false,
    counts: { ...counted, missing: 0, enrolments: 0 },
    linked: [...input.base.links.values()].filter(({ standing }) => standing === undefined).length,
    isUndo: true,
  };
}

/**
 * S4, W3, W5: what was edited while the undo wrote stays, and so does what a side did not take. No run plans an undo again, so that
 * each such record is named. `untaken`: contacts of which an update, a deletion or a row was refused or failed. A cell that was
 * refused is set by the next run, because the contact has the value.
 */
export function leftByUndo(
  problems: readonly Problem[],
  run: string,
  untaken: ReadonlySet<string> = new Set(),
): readonly Problem[] {
  return problems.map((each) => {
    const isOfCall = each.kind === 'refused' || each.kind === 'failed';
    if (isOfCall && each.field === null && untaken.has(each.uuid ?? '')) {
      const { retryAt: _retryAt, ...rest } = each;
      return { ...rest, kind: 'held', rule: 'S4', reason: `undo of ${run}: not taken back: ${each.reason}` };
    }
    if (each.rule !== 'W3' || each.kind !== 'waiting') return each;
    const why = each.reason === plannedAgain ? 'it changed while the undo was writing' : each.reason;
    return { ...each, kind: 'held', reason: `undo of ${run}: not taken back: ${why}` };
  });
}

/** A run may have written fields of a record that it made: the record goes or stays as a whole. */
function ofKnownRecords({ writes, created, appended }: PastRun): PastRun['writes'] {
  const made = new Set([...created.map(({ uuid }) => uuid), ...appended.map(({ uuid }) => uuid)]);
  return writes.filter(({ uuid }) => !made.has(uuid));
}

/** The people of the undo as both sides show them now. A person without a link is left out. */
function peopleOf(
  { base, crm, answers }: PlanInput,
  { contactByUuid, rowByUuid, sharedIds, stale }: Matched,
  uuids: readonly string[],
): ReadonlyMap<string, Person> {
  const people = new Map<string, Person>();
  for (const uuid of uuids) {
    const link = base.links.get(uuid);
    if (!link) continue;
    const row = rowByUuid.get(uuid);
    const copies = sharedIds.get(uuid)?.copies ?? [];
    const answer = answers.contacts.get(uuid);
    const isMissing = answer ? answer.kind !== 'here' : crm.coverage === 'whole' && !stale.has(uuid);
    people.set(uuid, {
      uuid,
      link: copies.length > 0 ? withCopies(link, copies) : link,
      contact: contactByUuid.get(uuid) ?? (isMissing ? 'absent' : 'unread'),
      // A row that was found by its keys has no ID yet: the next run writes it.
      row: row?.id === uuid ? row : undefined,
    });
  }
  return people;
}

/** I7: a cell keeps its key where the contact cannot take the old one. */
function withoutHeldKeys(planned: readonly Change[], sent: readonly Change[]): readonly Change[] {
  const fieldsOf = (changes: readonly Change[]) =>
    new Set(
      changes.flatMap(({ op, uuid, fields }) => (op === 'update' ? fields.map(({ field }) => `${uuid} ${field}`) : [])),
    );
  const [wanted, kept] = [fieldsOf(planned), fieldsOf(sent)];
  return planned.flatMap((change) => {
    if (change.op !== 'set') return [];
    const fields = change.fields.filter(({ field }) => {
      const key = `${change.uuid} ${field}`;
      return !wanted.has(key) || kept.has(key);
    });
    return fields.length > 0 ? [{ ...change, fields }] : [];
  });
}

/** The history and the terminal name the run that was taken back. */
function named(change: Change, by: string): Change {
  const reasonOf = ({ rule, reason }: { readonly rule: Change['rule']; readonly reason: string }) =>
    rule === 'S4' || rule === 'S7' ? by : reason;
  const fields = change.fields.map((field) => ({ ...field, reason: reasonOf(field) }));
  return { ...change, fields, reason: reasonOf(change) };
}
