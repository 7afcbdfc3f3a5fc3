// The queue of wishes: vetoes, approval, settle delay and cap decide which are carried out now (E4, E5, E6, W10).
import { type Change, problem } from '../change.ts';
import { countSince, hourMs } from '../record/ledger.ts';
import { rowKey } from '../record/base.ts';
import { type RowRecord, unpack } from '../record/record.ts';
import { addOpenWish, addResult, type Draft, isRetried, type Wish } from './draft.ts';
import { refrainFrom } from './veto.ts';
import { notBegun } from './wish-result.ts';

/** The room that the queue leaves for new rows. */
export interface QueueEnd {
  /** Wishes that only an approval lets through (E6). */
  readonly unapproved: number;
  /** A person approved all wishes that a new state found. */
  readonly isApproved: boolean;
  /** Calls that the cap still allows this hour. */
  readonly free: number;
  /** Wishes that wait for the cap. */
  readonly ahead: number;
}

/** Oldest first. `isTrusted`: the ledger knows all that was done. `newRows`: rows that become contacts. */
export function planQueue(draft: Draft, isTrusted: boolean, newRows: readonly RowRecord[]): QueueEnd {
  const { input, rules, due, uncancelled, changes, problems, unjudgedRows } = draft;
  const { ledger, requests } = input;
  let free = rules.perHour - countSince(ledger, input.now - hourMs);
  let ahead = 0;
  const oldestFirst = due.toSorted((a, b) => dueSince(draft, a) - dueSince(draft, b) || a.row.number - b.row.number);
  const queue = oldestFirst.filter((wish) => !mayBeVetoed(draft, wish));
  // Vetoed wishes and rows that cannot be judged count too: that may be over tomorrow, and the approval is for all of them.
  const before = oldestFirst.filter((wish) => !isOfOwnContact(draft, wish)).length + unjudgedRows.size;
  // The next run finds contacts of the new rows, and cannot judge these wishes either: the approval of this run has to cover them.
  const unknownNew = newRows.filter(({ wish }) => draft.readWish(wish ?? '').unknown.length > 0).length;
  const wished = before === 0 ? 0 : before + unknownNew;
  const isApproved = wished > 0 && wished <= (requests.approved?.enrolments ?? 0);
  const unapproved = isTrusted || isApproved ? 0 : wished;
  const inDoubt = automationsInDoubt(draft);
  for (const wish of queue) {
    if (unapproved > 0 && !isOfOwnContact(draft, wish)) {
      addOpenWish(draft, wish, 'held', 'E6', 'held: the state or the column is new, approve it once');
    } else if (inDoubt.has(wish.automation.uuid)) {
      addOpenWish(draft, wish, 'waiting', 'E3', 'waiting: an earlier call has to be looked up first');
    } else if (isUnsettled(draft, wish)) {
      // Nothing is written into the row: the person may still be typing there.
      const about = { uuid: wish.uuid, row: wish.row.number };
      problems.push(problem('waiting', about, 'W10', 'enrolment: waits to settle'));
    } else if (uncancelled.has(wish.uuid)) {
      addOpenWish(draft, wish, 'waiting', 'E5', 'waiting: the earlier wish has to be cancelled first');
    } else if (free > 0) {
      free -= 1;
      addResult(draft, wish.row, wish.automation.uuid, notBegun);
      changes.push(enrolChange(wish));
    } else {
      addOpenWish(draft, wish, 'waiting', 'E4', capReason(draft, ahead));
      ahead += 1;
    }
  }
  return { unapproved, isApproved, free, ahead };
}

export function capReason({ rules }: Draft, ahead: number): string {
  return `waiting: ${ahead} ahead, cap ${rules.perHour}/h`;
}

/** E6: a run of this sync made the contact, also one that died and left the row without its ID. */
function isOfOwnContact({ input }: Draft, { row, entry }: Wish): boolean {
  if (entry?.isOurs) return true;
  const stray = row.id === '' ? input.base.strays.get(rowKey(row)) : undefined;
  // The call for a row that is created apart had no effect: its contact was there.
  return stray?.isCounted === true && !stray.isApart;
}

function mayBeVetoed(draft: Draft, wish: Wish): boolean {
  const refrain = refrainFrom(draft.input.mapping, unpack(wish.row.values));
  if (refrain) addOpenWish(draft, wish, refrain.kind, 'E4', refrain.reason);
  return refrain !== undefined;
}

/** Epoch milliseconds. */
function dueSince({ input }: Draft, { entry }: Wish): number {
  return entry?.state === 'waiting' ? entry.at : input.now;
}

/** W10. A wish that a person retried by command has settled. */
function isUnsettled(draft: Draft, wish: Wish): boolean {
  const { input } = draft;
  if (!input.waitsToSettle || isRetried(draft, wish)) return false;
  return input.now - dueSince(draft, wish) < input.mapping.settleMs;
}

/** E3: automations of calls whose contact could not be looked up. Any contact may be the one that was enrolled. */
function automationsInDoubt({ input }: Draft): ReadonlySet<string> {
  const inFlight = [...(input.ledger.inFlight?.values() ?? [])];
  return new Set(inFlight.flatMap(({ automation, isUnanswered }) => (isUnanswered ? [automation] : [])));
}

function enrolChange({ uuid, row, automation }: Wish): Change {
  const about = { uuid, row: row.number, fields: [], automation: automation.uuid };
  return { side: 'crm', op: 'enrol', ...about, rule: 'E1', reason: `wished for: ${automation.name}` };
}
