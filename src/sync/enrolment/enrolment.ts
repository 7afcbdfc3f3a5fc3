// E rules, the deciding half: which wishes are carried out now, which wait, and what the row is told. A wish is carried
// out once per contact and automation, ever; when in doubt it is not (L8).
import { type Change, type Problem, problem } from '../change.ts';
import type { PlanInput, Automation } from '../input.ts';
import {
  callsOf,
  countSince,
  enrolmentId,
  groupEntries,
  isDone,
  type LedgerEntry,
  ledgerKey,
} from '../record/ledger.ts';
import { type RowRecord, unpack } from '../record/record.ts';
import { pausedBy } from '../record/refusal.ts';
import type { RuleId } from '../rules.ts';
import { normalText } from '../value/same.ts';
import { vetoOf } from './veto.ts';
import { readerOf, type ReadWish } from './wish.ts';
import { lastingTexts, notBegun, problemText, proofIn, resultText, type WishResult } from './wish-result.ts';

/** Somebody with a row and a wish, or without one any more. */
export interface Wisher {
  readonly uuid: string;
  readonly row: RowRecord;
}

export interface EnrolmentPlan {
  readonly changes: readonly Change[];
  /**
   * For the ledger. Wishes seen for the first time keep their place in the queue; those the result column proves are done;
   * null: taken back before anything came of it.
   */
  readonly wishes: ReadonlyMap<string, LedgerEntry | null>;
  readonly problems: readonly Problem[];
  /** For the result column, by row number, in the order of the wishes. None: there is nothing to tell any more. */
  readonly results: ReadonlyMap<number, readonly WishResult[]>;
  /** Wishes that only an approval lets through (E6). */
  readonly unapproved: number;
  /** E6: the ledger knows all that was done, as far as the sheet can tell. Not while wishes wait for an approval. */
  readonly isTrusted: boolean;
  /** Automation for each new row, by `rowKey`: created and enrolled in one call (E2). */
  readonly ofNewRows: ReadonlyMap<string, Automation>;
}

interface Wish {
  readonly uuid: string;
  readonly row: RowRecord;
  readonly automation: Automation;
  readonly entry: LedgerEntry | undefined;
}

const hourMs = 3_600_000;

export function planEnrolments(
  input: PlanInput,
  wishers: readonly Wisher[],
  newRows: readonly RowRecord[],
): EnrolmentPlan {
  const changes: Change[] = [];
  const problems: Problem[] = [];
  const results = new Map<number, WishResult[]>();
  const wishes = new Map<string, LedgerEntry | null>();
  const rules = input.mapping.enrolment;
  const { automations, ledger } = input;
  if (!rules || !automations) return withoutAutomations(input, [...wishers.map(({ row }) => row), ...newRows]);
  const read = readerOf(automations);
  const due: Wish[] = [];
  const entriesByUuid = groupEntries(ledger);
  const uncancelled = new Set<string>();
  // A row that says more than the ledger: this ledger is older than the sheet (E6, S3).
  const isBehind = ledger.isTrusted && wishers.some((wisher) => provenBy(wisher).length > 0);
  const wasTrusted = ledger.isTrusted && !isBehind;
  for (const wisher of wishers) {
    // Without the column nobody wishes, and nobody took a wish back (W11).
    if (wisher.row.wish === undefined) continue;
    const wished = read(wisher.row.wish);
    for (const unknown of wished.unknown) refuse(wisher, null, unknownReason(unknown));
    // What the cell names may be the old one misspelt: nothing is concluded on the strength of that.
    if (wished.unknown.length === 0) withdrawOthers(wisher, wished.automations);
    const proven = provenBy(wisher);
    for (const automation of wished.automations) consider({ ...wisher, automation }, proven);
    if (!results.has(wisher.row.number)) tidyText(wisher.row);
  }
  let free = rules.perHour - countSince(ledger, input.now - hourMs);
  const inOrder = due.toSorted((a, b) => since(a) - since(b) || a.row.number - b.row.number);
  const queue = inOrder.filter(isLetThrough);
  // Who is vetoed today may not be tomorrow: the approval is for all of them.
  const isApproved = inOrder.length <= (input.requests.approved?.enrolments ?? 0);
  const unapproved = wasTrusted || isApproved ? 0 : inOrder.length;
  const inDoubt = new Set(
    [...(ledger.inFlight?.values() ?? [])].flatMap(({ automation, isUnanswered }) =>
      isUnanswered ? [automation] : [],
    ),
  );
  let ahead = 0;
  for (const wish of queue) {
    if (unapproved > 0) {
      say(wish, 'held', 'E6', 'held: the state is new, approve it once');
    } else if (inDoubt.has(wish.automation.uuid)) {
      say(wish, 'waiting', 'E3', 'waiting: an earlier call has to be looked up first');
    } else if (uncancelled.has(wish.uuid)) {
      say(wish, 'waiting', 'E5', 'waiting: what was wished for before has to be cancelled first');
    } else if (isUnsettled(wish)) {
      // The person may still be typing; their row is not written into meanwhile.
      problems.push(problemOf('waiting', wish.uuid, wish.row, 'W10', 'enrolment: waits to settle'));
    } else if (free > 0) {
      free -= 1;
      note(wish.row, wish.automation.uuid, notBegun);
      changes.push(enrolChange(wish));
    } else {
      say(wish, 'waiting', 'E4', `waiting: ${ahead} ahead, cap ${rules.perHour}/h`);
      ahead += 1;
    }
  }
  // After those who wished before them; without a call left they are created only, and wait like everybody.
  const ofNewRows = new Map<string, Automation>();
  for (const row of newRows) planNewRow(row);
  return { changes, problems, wishes, results, unapproved, isTrusted: unapproved === 0, ofNewRows };

  function planNewRow(row: RowRecord): void {
    const { automations: wished, unknown } = read(row.wish ?? '');
    for (const each of unknown) sayNew(row, 'refused', 'E4', null, `refused: ${unknownReason(each)}`);
    const [first, ...others] = wished;
    if (!first) return;
    const veto = vetoOf(input.mapping, unpack(row.values));
    if (veto !== undefined) return sayNew(row, 'held', 'E4', first.uuid, `vetoed: ${veto}`);
    if (first.status === 'archived') {
      return sayNew(row, 'refused', 'E4', first.uuid, `refused: ${archivedReason(first)}`);
    }
    if (!wasTrusted && proofIn(row.wishResult, first)) return;
    if (free <= 0) return sayNew(row, 'waiting', 'E4', first.uuid, `waiting: ${ahead} ahead, cap ${rules!.perHour}/h`);
    note(row, first.uuid, notBegun);
    for (const { uuid } of others) note(row, uuid, notBegun);
    ofNewRows.set(row.values, first);
    free -= 1;
  }

  function isLetThrough(wish: Wish): boolean {
    const veto = vetoOf(input.mapping, unpack(wish.row.values));
    if (veto !== undefined) say(wish, 'held', 'E4', `vetoed: ${veto}`);
    return veto === undefined;
  }

  function since({ entry }: Wish): number {
    return entry?.state === 'waiting' ? entry.at : input.now;
  }

  /** W10. What a person asked for by command has settled. */
  function isUnsettled(wish: Wish): boolean {
    if (!input.waitsToSettle || isRetried(wish)) return false;
    return input.now - since(wish) < input.mapping.settleMs;
  }

  function isRetried({ uuid, automation }: Pick<Wish, 'uuid' | 'automation'>): boolean {
    return input.requests.retry.has(enrolmentId(uuid, automation.uuid));
  }

  /** The wished automations for which the row says `enrolled` and the ledger nothing. */
  function provenBy({ uuid, row }: Wisher): readonly (readonly [Automation, LedgerEntry])[] {
    if (!row.wishResult?.includes('enrolled ') || row.wish === undefined) return [];
    return read(row.wish).automations.flatMap((automation) => {
      if (ledger.entries.has(ledgerKey(uuid, automation.uuid))) return [];
      const proof = proofIn(row.wishResult, automation);
      return proof ? [[automation, proof] as const] : [];
    });
  }

  function consider(wish: Omit<Wish, 'entry'>, proven: ReturnType<typeof provenBy>): void {
    const { uuid, automation } = wish;
    const key = ledgerKey(uuid, automation.uuid);
    const entry = ledger.entries.get(key);
    const isAsked = isRetried(wish);
    if (automation.status === 'archived' && !isDone(entry)) {
      return refuse(wish, automation.uuid, archivedReason(automation));
    }
    if (entry && entry.state !== 'waiting' && !isAsked) return report({ ...wish, entry });
    const proof = proven.find(([each]) => each === automation)?.[1];
    if (proof) {
      wishes.set(key, proof);
      return report({ ...wish, entry: proof });
    }
    // Asked for again it waits its turn like others; what was called before still counts for the cap.
    const { name } = automation;
    if (!entry) wishes.set(key, { state: 'waiting', at: input.now, run: '', name });
    else if (entry.state !== 'waiting') {
      wishes.set(key, { state: 'waiting', at: input.now, run: '', name, calls: callsOf(entry) });
    }
    due.push({ ...wish, entry });
  }

  /** What became of it stands in the row for good. */
  function report({ uuid, row, automation, entry }: Wish): void {
    if (entry!.state === 'refused') return refuse({ uuid, row }, automation.uuid, entry!.message ?? 'by the service');
    const again = entry!.state === 'cancelling' ? ': wished for again, only retry enrols again' : '';
    note(row, automation.uuid, resultText(entry!, automation.name) + again);
    if (entry!.state !== 'intended' && entry!.state !== 'unknown') return;
    const reason = `enrolment in ${automation.name}: outcome unknown, look in the service`;
    // Retried by this id alone: who asks for the contact does not ask for a second enrolment.
    problems.push({
      ...problemOf('quarantined', uuid, row, 'E3', reason),
      id: enrolmentId(uuid, automation.uuid),
    });
  }

  /** E5. What came of nothing is forgotten with its wish; where it may have come of something, cancelling does no harm. */
  function withdrawOthers({ uuid, row }: Wisher, wished: readonly Automation[]): void {
    for (const { automation, entry } of entriesByUuid.get(uuid) ?? []) {
      if (wished.some((each) => each.uuid === automation)) continue;
      if (entry.state === 'waiting' || entry.state === 'refused') {
        const isCounted = callsOf(entry).some((at) => at > input.now - hourMs);
        if (!isCounted) wishes.set(ledgerKey(uuid, automation), null);
      } else if (rules!.onClear === 'cancel') {
        if (isRefused(uuid, row, automation, entry)) continue;
        note(row, automation, 'cancelling');
        if (entry.state === 'cancelling') continue;
        const about = { side: 'crm', uuid, row: row.number, fields: [], automation } as const;
        changes.push({ ...about, op: 'cancel', rule: 'E5', reason: 'the wish was taken out of its cell' });
      }
    }
  }

  /** W5: the service would not cancel it. What else the cell wishes waits, as for any cancel that did not succeed (E5). */
  function isRefused(uuid: string, row: RowRecord, automation: string, { refusedCancel }: LedgerEntry): boolean {
    // Its id is the contact's: who retries by the id of an enrolment asks for that once more.
    const paused = pausedBy(input, refusedCancel, { uuid, row: row.number }, 'refused');
    if (!paused) return false;
    uncancelled.add(uuid);
    note(row, automation, paused.reason);
    problems.push(paused);
    return true;
  }

  function refuse({ uuid, row }: Wisher, automation: string | null, reason: string): void {
    note(row, automation, `refused: ${reason}`);
    const said = problemOf('refused', uuid, row, 'E4', `enrolment: ${reason}`);
    problems.push(automation === null ? said : { ...said, id: enrolmentId(uuid, automation) });
  }

  function say({ uuid, row, automation }: Wish, kind: 'held' | 'waiting', rule: RuleId, reason: string): void {
    note(row, automation.uuid, reason);
    problems.push(problemOf(kind, uuid, row, rule, problemText(kind, reason)));
  }

  /** Of a row that is nobody's yet. */
  function sayNew(row: RowRecord, kind: Problem['kind'], rule: RuleId, automation: string | null, text: string): void {
    note(row, automation, text);
    problems.push(problem(kind, { row: row.number }, rule, problemText(kind, text)));
  }

  function note({ number }: RowRecord, automation: string | null, text: string): void {
    results.set(number, [...(results.get(number) ?? []), { automation, text }]);
  }

  /** A row that wishes nothing keeps what was done, and loses what was said of wishes that are no more. */
  function tidyText(row: RowRecord): void {
    const lasting = normalText(row.wish ?? '') === '' ? lastingTexts(row.wishResult ?? '') : undefined;
    if (lasting === undefined) return;
    results.set(
      row.number,
      lasting.map((text) => ({ automation: null, text })),
    );
  }

  function unknownReason({ text, reason }: ReadWish['unknown'][number]): string {
    const nearest = input.nearestAutomations?.get(text);
    return `${reason}: "${text}"${nearest === undefined ? '' : `, did you mean "${nearest}"?`}`;
  }
}

/** Nothing is concluded from automations that were not read. */
function withoutAutomations(
  { automationsUnread, ledger, mapping }: PlanInput,
  rows: readonly RowRecord[],
): EnrolmentPlan {
  const isWished = rows.some(({ wish }) => normalText(wish ?? '') !== '');
  const problems =
    automationsUnread !== undefined && isWished
      ? [problem('failed', {}, 'E4', `nobody is enrolled: the automations could not be read: ${automationsUnread}`)]
      : [];
  return {
    changes: [],
    problems,
    wishes: new Map(),
    results: new Map(),
    unapproved: 0,
    // Where nobody is enrolled, an empty ledger is all there is to know.
    isTrusted: ledger.isTrusted || mapping.enrolment === undefined,
    ofNewRows: new Map(),
  };
}

function archivedReason({ name }: Automation): string {
  return `the automation "${name}" is archived`;
}

function problemOf(kind: Problem['kind'], uuid: string, row: RowRecord, rule: RuleId, reason: string): Problem {
  return problem(kind, { uuid, row: row.number }, rule, reason);
}

function enrolChange({ uuid, row, automation }: Wish): Change {
  const reason = `wished for: ${automation.name}`;
  return {
    side: 'crm',
    op: 'enrol',
    uuid,
    row: row.number,
    fields: [],
    automation: automation.uuid,
    rule: 'E1',
    reason,
  };
}
