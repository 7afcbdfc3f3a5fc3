// Carries out enrolments (E1-E5): read again, store the intent, call, store the outcome. Two calls run at a time: a crash
// leaves two unknown outcomes, not a hundred.
import { type Change, type Problem, problem } from '../../sync/change.ts';
import { refrainFrom } from '../../sync/enrolment/veto.ts';
import { readWish } from '../../sync/enrolment/wish.ts';
import { problemText, type WishResult } from '../../sync/enrolment/wish-result.ts';
import { cancelledEntry, enrolmentId, isDone, ledgerKey, readLedgerKey } from '../../sync/record/ledger.ts';
import type { Outcome, Outcomes } from '../../sync/outcome.ts';
import { refusalEnd } from '../../sync/record/refusal.ts';
import { isBeforeShown } from '../../sync/record/shown.ts';
import { unpack } from '../../sync/record/record.ts';
import type { RuleId } from '../../sync/rules.ts';
import type { RunLease } from '../decisions-told.ts';
import { coveredWish } from '../sync/rows-back.ts';
import type { RunContext } from '../sync/context.ts';
import type { Decided } from '../sync/decide.ts';
import { createCalls } from './calls.ts';
import { tellDone } from '../events.ts';
import { automationOf, type Due, isDue } from './due.ts';
import type { LedgerBook } from './ledger.ts';
import { type Look, lookAgain } from './look.ts';
import type { Memory } from '../sync/memory.ts';
import { noteLooked, readingsOf } from '../sync/looked-up.ts';
import { isInScope, type Pulled } from '../sync/pull.ts';
import type { Journal } from '../sync/commit.ts';

export interface Enrolled {
  readonly outcomes: Map<Change, Outcome>;
  readonly problems: readonly Problem[];
  /** The result column after the enrolment, by row number. */
  readonly results: ReadonlyMap<number, string>;
  /** Changes that were not carried out, for a reason that `problems` names. */
  readonly held: ReadonlySet<Change>;
}

/** Contacts that are read again together: one search returns so many. */
const batchSize = 100;
/** E4: a look is used for so long. At 240 calls a minute that is 40 calls; where calls are slow, each has a look of its own. */
const lookMaxMs = 10_000;
/** E4: where the budget allows few calls a minute, a look is used for so many. Else no call would ever be sent in time. */
const lookCalls = 3;
/** Calls between two batches of history lines. A crash loses at most so many lines; the ledger has them all. */
const journalSize = 10;

/**
 * Before any call, stores the wishes that are new, what the rows prove, and that the ledger is complete from now on. After
 * a crash among the calls, contacts that this run created are then not taken for older ones (E6, L10). What an approval lets through
 * is let through then, too: wishes of other rows do not count for it any more.
 *
 * Rows may prove enrolments that the ledger does not have: the state was restored. One commit stores these enrolments and that the
 * ledger is not complete. After a crash the ledger has the enrolments, so that the rows prove nothing new any more.
 *
 * A retry is over with its wish. It is void where nothing is tried again: the row says that the wish was carried out, or may have
 * been, or the cell does not have it any more.
 */
export async function noteWishes(
  lease: Pick<RunLease, 'makesVoid'>,
  book: LedgerBook,
  { retryRequestIds, facts }: Pick<Memory, 'retryRequestIds' | 'facts'>,
  { input, plan }: Decided,
  journal: Pick<Journal, 'tell'>,
): Promise<void> {
  const { changes, wishes, isLedgerTrusted } = plan;
  const wasTrusted = facts.isLedgerTrusted === true;
  const isComplete = isLedgerTrusted && !wasTrusted && changes.some(({ op }) => op === 'create' || op === 'enrol');
  // Without wishes it is an undo, which decides nothing about them.
  const isBehind = !isLedgerTrusted && wasTrusted && wishes.size > 0;
  const retriesOf = (key: string) => retryRequestIds.get(key.replace(' ', '/')) ?? [];
  lease.makesVoid([...wishes].flatMap(([key, entry]) => (entry === null || isDone(entry) ? retriesOf(key) : [])));
  await book.put(wishes, [...wishes.keys()].flatMap(retriesOf), isComplete ? true : isBehind ? false : undefined);
  await takeCancelsOver(book, plan, input.now);
  const proven = book.takeSteps();
  if (proven.size > 0) await journal.tell(new Map(), proven);
}

/**
 * E8, I10: a wish is known by the uuid of its contact, and goes on with another one. A person may have cancelled it by the uuid of
 * before since the run loaded the state. After this commit the old uuid has no wish that could be cancelled.
 */
async function takeCancelsOver(
  book: LedgerBook,
  { wishes, relinks }: Pick<Decided['plan'], 'wishes' | 'relinks'>,
  now: number,
): Promise<void> {
  const successors = new Map([...relinks].map(([uuid, old]) => [old, uuid]));
  for (const [key, left] of wishes) {
    const { uuid: old, automation } = readLedgerKey(key);
    const uuid = successors.get(old);
    const entry = left === null && uuid !== undefined ? book.entry(uuid, automation) : undefined;
    const cancelled = entry && cancelledEntry(entry, now);
    if (!cancelled) continue;
    const cancels = await book.cancelsOf(old, automation);
    if (cancels.length > 0) await book.put(new Map([[ledgerKey(uuid!, automation), cancelled]]), cancels);
  }
}

/**
 * E6: while the ledger is not trusted, notes the wishes for contacts that this run has just made. Later runs then do not take
 * them for wishes that an approval has to let through.
 */
export async function noteOwnContacts(book: LedgerBook, { input, plan }: Decided, outcomes: Outcomes): Promise<void> {
  if (plan.isLedgerTrusted) return;
  const rowByNumber = new Map(input.sheet.rows.map((row) => [row.number, row]));
  const wishes = [...outcomes].flatMap(([change, outcome]) => {
    if (change.op !== 'create' || change.moves !== undefined || outcome.kind !== 'done' || !outcome.contact) return [];
    const { uuid } = outcome.contact;
    const { automations } = readWish(rowByNumber.get(change.row ?? 0)?.wish ?? '', input.automations ?? []);
    return automations.flatMap(({ uuid: automation, name }) =>
      book.entry(uuid, automation)
        ? []
        : [[ledgerKey(uuid, automation), { state: 'waiting', at: input.now, run: '', name, isOurs: true }] as const],
    );
  });
  await book.put(new Map(wishes));
}

/**
 * `cancelled`: outcomes of this run's cancels. A changed wish waits until its cancel has succeeded (E5). The ledger has
 * each call before and after it; the history gets lines every few calls (L10, L12).
 */
export async function enrolInCrm(
  context: RunContext,
  book: LedgerBook,
  { scope, snapshot }: Pulled,
  { input, plan }: Decided,
  cancelled: Outcomes,
  journal: Pick<Journal, 'settle' | 'tell'>,
): Promise<Enrolled> {
  const { crm, shape, request, run, emit, config } = context;
  const outcomes = new Map<Change, Outcome>();
  const problems: Problem[] = [];
  const held = new Set<Change>();
  const told = new Map<number, WishResult[]>();
  const nameByUuid = new Map(input.automations?.map(({ uuid, name }) => [uuid, name]));
  await noteCancels();
  const uncancelled = new Set(
    plan.changes.flatMap((change) =>
      change.op === 'cancel' && cancelled.get(change)?.kind !== 'done' ? [change.uuid] : [],
    ),
  );
  const due = plan.changes.filter(isDue).filter((change) => change.op === 'create' || !uncancelled.has(change.uuid));
  const rowByNumber = new Map(due.length === 0 ? [] : input.sheet.rows.map((row) => [row.number, row]));
  const usedMs = Math.max(lookMaxMs, (lookCalls * 60_000) / crm.usage().perMinute);
  const calls = createCalls(context, { book, scope, rowByNumber, nameOf: (uuid) => nameByUuid.get(uuid) ?? uuid });
  for (let start = 0; start < due.length && !request.signal.aborted; start += batchSize) {
    await enrolBatch(due.slice(start, start + batchSize));
  }
  return { outcomes, problems, results: withTold(plan.wishResults, told), held };

  async function noteCancels(): Promise<void> {
    // The history has what was taken out of one automation already.
    const toldAlready = new Set<string>();
    for (const change of plan.changes) {
      if (change.op !== 'cancel') continue;
      const outcome = cancelled.get(change);
      if (outcome?.kind === 'done') {
        await book.cancelled(change.uuid!, change.automation, crm.now(), run);
        if (change.automation !== null) toldAlready.add(ledgerKey(change.uuid!, change.automation));
      } else if (change.automation !== null) {
        if (outcome?.kind === 'refused') await noteRefusedCancel(change.uuid!, change.automation, outcome.message);
        const why = outcome && 'message' in outcome ? `: ${outcome.message}` : '';
        const isRefused = outcome?.kind === 'refused';
        const waits = why.endsWith(coveredWish) ? `waiting${why}` : `waiting: is cancelled in the next run${why}`;
        tell(change, change.automation, isRefused ? `refused${why}` : waits);
      }
    }
    const steps = [...book.takeSteps()].filter(([key]) => !toldAlready.has(key));
    if (steps.length > 0) await journal.tell(new Map(), new Map(steps));
  }

  /** W5: the ledger says when the cancel is tried again. */
  async function noteRefusedCancel(uuid: string, automation: string, message: string): Promise<void> {
    const entry = book.entry(uuid, automation);
    if (!entry) return;
    const times = (entry.refusedCancel?.times ?? 0) + 1;
    const refusedCancel = { message, times, retryAt: refusalEnd(times, input.now) };
    await book.put(new Map([[ledgerKey(uuid, automation), { ...entry, refusedCancel }]]));
  }

  async function enrolBatch(batch: readonly Due[]): Promise<void> {
    const look = () => ({ at: context.now(), seen: lookAgain(context, snapshot, input.sheet.rows, batch) });
    let last = look();
    await last.seen;
    /** Two calls at a time share it. */
    const latest = () => {
      const ageMs = context.now() - last.at;
      // Below zero: the clock was set back.
      if (ageMs > usedMs || ageMs < 0) last = look();
      return last.seen;
    };
    for (let start = 0; start < batch.length && !request.signal.aborted; start += journalSize) {
      await enrolFew(batch.slice(start, start + journalSize), latest);
    }
  }

  async function enrolFew(few: readonly Due[], latest: () => Promise<Look>): Promise<void> {
    const queue = [...few];
    const work = async () => {
      for (let change = queue.shift(); change && !request.signal.aborted; change = queue.shift()) {
        await enrolOne(change, latest);
      }
    };
    const workers = await Promise.allSettled([work(), work()]);
    // Also if the token was refused meanwhile (W6): earlier calls did succeed.
    const results = few.flatMap((change) => (outcomes.has(change) ? [[change, outcomes.get(change)!] as const] : []));
    if (results.length > 0) await journal.settle(new Map(results), book.takeSteps());
    for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  }

  async function enrolOne(change: Due, latest: () => Promise<Look>, triesLeft = 3): Promise<void> {
    const look = await latest();
    if (request.signal.aborted) return;
    const outdatedAt = context.now() + usedMs;
    const why = whyNot(change, look);
    const contact = look.kind === 'seen' ? look.contacts.get(change.uuid ?? '') : undefined;
    if (contact) noteLooked(context, contact);
    if (why) return hold(change, why);
    const called = await calls.make(change, outdatedAt);
    // Its turn came too late: both sides are looked at once more.
    if (!called) {
      if (request.signal.aborted) return;
      return triesLeft > 1 ? enrolOne(change, latest, triesLeft - 1) : hold(change, busy);
    }
    if ('calledOff' in called) return callOff(change, called.calledOff);
    const { outcome, text, problem: said, stop } = called;
    tell(change, automationOf(change), text);
    if (said) problems.push(said);
    if (stop) throw stop;
    outcomes.set(change, outcome);
    tellDone(context, change, outcome);
    emit({ type: 'progress', sync: config.name, step: 'crm', done: outcomes.size, total: due.length });
  }

  /** E4, W3: why new knowledge forbids the enrolment; undefined: it may go on. */
  function whyNot(change: Due, look: Look): Hold | undefined {
    if (look.kind === 'failed') return { kind: 'failed', rule: 'W3', reason: look.message };
    const planned = rowByNumber.get(change.row ?? 0);
    const row = planned && look.rowOf(change, planned);
    const automation = automationOf(change);
    const wished = readWish(row?.wish ?? '', input.automations ?? []).automations;
    // E1: a cell that is as it was planned for may name the automation as the contact knows it, and another one has that name.
    const isWished = row?.wish === planned?.wish || wished.some(({ uuid }) => uuid === automation);
    if (!row || !isWished) return moved;
    const contact = change.op === 'enrol' ? look.contacts.get(change.uuid!) : undefined;
    const readings = contact ? readingsOf(context, contact) : [];
    const isHere = contact !== undefined && readings.every((each) => isInScope(each, scope));
    if (change.op === 'enrol' && !isHere) return contact ? notHere : gone;
    const link = input.base.links.get(change.uuid ?? '');
    if (link && readings.some((each) => isBeforeShown(link, each, input.now))) return moved;
    const shown = readings.map((each) => unpack(shape.toRecord(each).values));
    const refrain = refrainFrom(input.mapping, unpack(row.values), shown);
    return refrain && { rule: 'E4', ...refrain };
  }

  function hold(change: Due, { kind, rule, reason }: Hold): void {
    const sentence = rule === 'E4' ? reason : `waiting: ${reason}`;
    held.add(change);
    problems.push(problem(kind, { uuid: change.uuid, row: change.row }, rule, problemText(kind, sentence)));
    tell(change, automationOf(change), sentence);
    // The contact is not enrolled, but it is still a contact: the next run creates it.
  }

  /** E8: a person cancelled it after the plan was made. */
  function callOff(change: Due, text: string): void {
    held.add(change);
    const { uuid, row } = change;
    const ignored = problem('ignored', { uuid, row }, 'E8', `enrolment ${text}`);
    problems.push(uuid === null ? ignored : { ...ignored, id: enrolmentId(uuid, automationOf(change)) });
    tell(change, automationOf(change), text);
  }

  function tell({ row }: Change, automation: string, text: string): void {
    if (row !== null) told.set(row, [...(told.get(row) ?? []), { automation, text }]);
  }
}

interface Hold {
  readonly kind: 'ignored' | 'waiting' | 'failed';
  readonly rule: RuleId;
  readonly reason: string;
}

const moved: Hold = { kind: 'waiting', rule: 'W3', reason: 'changed meanwhile, is looked at in the next run' };

const busy: Hold = {
  kind: 'waiting',
  rule: 'W3',
  reason: 'the service took no call for some time, is tried in the next run',
};

const notHere: Hold = {
  kind: 'waiting',
  rule: 'W3',
  reason: 'the contact is not in the list, is looked at in the next run',
};
const gone: Hold = { kind: 'waiting', rule: 'W3', reason: 'the contact is not found, is looked at in the next run' };

/** The planned sentences, with the outcome in place of the plan. */
function withTold(
  planned: ReadonlyMap<number, readonly WishResult[]>,
  told: ReadonlyMap<number, readonly WishResult[]>,
): ReadonlyMap<number, string> {
  const rows = new Set([...planned.keys(), ...told.keys()]);
  return new Map(
    [...rows].map((row) => {
      const textByAutomation = new Map((told.get(row) ?? []).map(({ automation, text }) => [automation, text]));
      const texts = (planned.get(row) ?? []).map(({ automation, text }) => textByAutomation.get(automation) ?? text);
      return [row, texts.join('; ')];
    }),
  );
}
