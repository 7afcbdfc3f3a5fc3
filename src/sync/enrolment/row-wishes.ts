// The wishes of one row: each is done already, refused, cancelled, or due (E1, E3, E5, E6, E8).
import { problem } from '../change.ts';
import type { Automation } from '../input.ts';
import {
  callsOf,
  doneBefore,
  enrolmentId,
  type EntryOf,
  isDone,
  type Ledger,
  type LedgerEntry,
  ledgerKey,
  readLedgerKey,
} from '../record/ledger.ts';
import type { LinkedRow } from '../record/person.ts';
import type { RowRecord } from '../record/record.ts';
import { normalText } from '../value/same.ts';
import { readWish, type ReadWish } from './wish.ts';
import { addRefusedWish, addResult, archivedReason, type Draft, isRetried, unknownReason, type Wish } from './draft.ts';
import { hadLeft, namedAgain, withdrawOthers } from './withdrawn.ts';
import { lastingSentences, lastingTexts, problemText, proofIn, resultText, saysUnknown } from './wish-result.ts';

/** An enrolment that the result column of a row proves. */
type Proof = readonly [Automation, LedgerEntry];

export function readRowWishes(draft: Draft, linked: LinkedRow): void {
  const { row } = linked;
  // Without the column no row wishes anything, and no wish was taken out of a cell (W11).
  if (row.wish === undefined) return;
  const wished = readWishOf(draft, linked, row.wish);
  for (const unknown of wished.unknown) {
    addRefusedWish(draft, linked, null, unknownReason(draft, unknown));
    draft.unjudgedRows.add(row.number);
  }
  // An unknown name may be the old automation misspelt: then nothing counts as taken out of the cell.
  if (wished.unknown.length === 0) withdrawOthers(draft, linked, wished.automations);
  const proven = provenBy(draft, linked);
  for (const automation of wished.automations) judgeWish(draft, { ...linked, automation }, proven);
  if (!draft.results.has(row.number)) dropPassingResults(draft, row);
}

/**
 * E1: an automation that was renamed or deleted in the service, or whose name another one has by now, is still known by the name
 * under which this contact was put into it: the wish was carried out. Nobody took it out of its cell, so that it is not cancelled
 * either (E5). A retry needs the name that it has now, or its uuid, unless another one has its earlier name.
 */
function readWishOf(draft: Draft, { uuid }: LinkedRow, text: string): ReadWish {
  const listed = draft.input.automations ?? [];
  const former = (draft.entriesByUuid.get(uuid) ?? []).flatMap(({ automation, entry }): Automation[] => {
    const { name, state, before } = entry;
    if (name === undefined || !(isDone(entry) || before) || state === 'cancelling') return [];
    const named = draft.readWish(name).automations;
    if (named.length === 1 && named[0]!.uuid === automation) return [];
    const now = listed.find((each) => each.uuid === automation) ?? { uuid: automation, name, status: '' };
    return named.length === 0 && isRetried(draft, { uuid, automation: now }) ? [] : [{ ...now, name }];
  });
  return former.length === 0 ? draft.readWish(text) : readWish(text, listed, former);
}

/** The wished automations for which the row says `enrolled`, and the ledger has nothing of a call. */
export function provenBy(draft: Draft, { uuid, row }: LinkedRow): readonly Proof[] {
  const { input } = draft;
  if (!row.wishResult?.includes('enrolled ') || row.wish === undefined) return [];
  return readWishOf(draft, { uuid, row }, row.wish).automations.flatMap((automation) => {
    if (isCalled(input.ledger.entries.get(ledgerKey(uuid, automation.uuid)))) return [];
    const proof = proofIn(row.wishResult, automation);
    return proof && doubtOf(draft, { uuid, row }, proof) === undefined ? [[automation, proof] as const] : [];
  });
}

/**
 * Whether the ledger knows of a call. A restored ledger may have a wish as waiting, refused or cancelled that was carried out
 * since (S3). Where a person asked again, the row may still say what came of the call before.
 */
function isCalled(entry: LedgerEntry | undefined): boolean {
  return entry !== undefined && (isDone(entry) || entry.before !== undefined || callsOf(entry).length > 0);
}

/**
 * E6: why a sentence may not be about this contact and automation, as far as a trusted ledger tells; `copied`: it is surely
 * about another contact; undefined: it is proof. A row with the ID of its contact was told so itself, also where another contact
 * was enrolled on that day: a backup may be from in between (S3).
 */
function doubtOf(
  { input, entriesByUuid, isNamed }: Draft,
  { uuid, row }: LinkedRow,
  { name = '', at }: LedgerEntry,
): 'copied' | 'no ID' | 'other automation' | undefined {
  const { ledger } = input;
  if (!ledger.isTrusted) return undefined;
  const isSaid = (of: EntryOf) => isDone(of.entry) && isNamed(of, name) && isSameDay(of.entry.at, at);
  if ((entriesByUuid.get(uuid) ?? []).some(isSaid)) return 'other automation';
  if (row.id === uuid) return undefined;
  return entriesOf(ledger).some(isSaid) ? 'copied' : 'no ID';
}

/**
 * E3, S3: whether another entry explains the sentence that the outcome is unknown: one of this contact, or of any contact for a
 * row without the contact's ID. A ledger that is not trusted does not know whether it has every call that the sentence may be about:
 * an approval, which the wishes without proof wait for (E6), does not say that the contact is not in the automation.
 */
function isUnknownOfOther(
  { input: { ledger }, entriesByUuid, isNamed }: Draft,
  { uuid, row, automation: { name } }: Omit<Wish, 'entry'>,
): boolean {
  const isSaid = (of: EntryOf) => isDone(of.entry) && isNamed(of, name);
  if ((entriesByUuid.get(uuid) ?? []).some(isSaid)) return true;
  return (
    ledger.isTrusted && row.id !== uuid && entriesOf(ledger).some((of) => isSaid(of) && of.entry.state === 'unknown')
  );
}

function entriesOf({ entries }: Ledger): readonly EntryOf[] {
  return [...entries].map(([key, entry]) => ({ automation: readLedgerKey(key).automation, entry }));
}

const doubts = {
  unknown: 'the result column says so, and the state has no call: it may have been restored',
  'no ID': 'the result column says that it was enrolled, and the row had no ID of the contact',
  'other automation': 'the result column says that it was enrolled, in an automation that had this name before',
};

/** L8: of a sentence that may be about this contact, and is no proof. The wish waits for a person, alone. */
function doubtfulEntry(draft: Draft, { uuid, row, automation, entry }: Wish): LedgerEntry | undefined {
  if (isCalled(entry)) return undefined;
  if (saysUnknown(row.wishResult, automation) && !isUnknownOfOther(draft, { uuid, row, automation })) {
    const { name } = automation;
    return { state: 'unknown', at: draft.input.now, run: '', name, calls: [], message: doubts.unknown };
  }
  const proof = proofIn(row.wishResult, automation);
  const doubt = proof && doubtOf(draft, { uuid, row }, proof);
  if (!proof || doubt === undefined || doubt === 'copied') return undefined;
  // The other automation has the name still, and the row said of this one that it waits.
  if (entry && doubt === 'other automation') return undefined;
  return { ...proof, state: 'unknown', calls: [], message: doubts[doubt] };
}

function isSameDay(a: number, b: number): boolean {
  return new Date(a).toISOString().slice(0, 10) === new Date(b).toISOString().slice(0, 10);
}

function judgeWish(draft: Draft, wish: Omit<Wish, 'entry'>, proven: readonly Proof[]): void {
  const { input, wishes, due } = draft;
  const { uuid, automation } = wish;
  const key = ledgerKey(uuid, automation.uuid);
  const known = input.ledger.entries.get(key);
  const entry = known && namedAgain(known);
  const isAgain = known !== undefined && hadLeft(known);
  if (!known || isAgain) draft.appeared.push({ key, row: wish.row.number, isAgain });
  if (entry && (known.withdrawnAt !== undefined || known.isKeptIn)) wishes.set(key, entry);
  const proof = proven.find(([each]) => each === automation)?.[1];
  // Before anything is told to the row: another sentence would take the place of the proof.
  if (proof) {
    wishes.set(key, proof);
    return reportOutcome(draft, { ...wish, entry: proof });
  }
  const doubtful = doubtfulEntry(draft, { ...wish, entry });
  if (doubtful) {
    wishes.set(key, doubtful);
    return reportOutcome(draft, { ...wish, entry: doubtful });
  }
  if (automation.status === 'archived' && !isDone(entry)) {
    // E6: a contact that a run made was in no automation before the state.
    if (!entry?.isOurs) draft.unjudgedRows.add(wish.row.number);
    return addRefusedWish(draft, wish, automation.uuid, archivedReason(automation));
  }
  if (entry?.isCancelOpen && !isRetried(draft, wish)) {
    // E5: the contact may have been taken out, so that the ledger does not say any more that it is in.
    const cancelling = { ...entry, state: 'cancelling' } as const;
    if (entry.state !== 'cancelling') wishes.set(key, cancelling);
    return reportOutcome(draft, { ...wish, entry: cancelling });
  }
  if (entry && entry.state !== 'waiting' && !isRetried(draft, wish)) return reportOutcome(draft, { ...wish, entry });
  // A retried wish waits its turn like the others. The calls that were made for it still count towards the cap.
  const { name } = automation;
  if (!entry) wishes.set(key, { state: 'waiting', at: input.now, run: '', name });
  else if (entry.state !== 'waiting') {
    const again = { calls: callsOf(entry), ...doneBefore(entry), ...(entry.isOurs && { isOurs: entry.isOurs }) };
    wishes.set(key, { state: 'waiting', at: input.now, run: '', name, ...again });
  } else if (isRetried(draft, wish)) {
    // The retry is done with before the call, as for any other wish: a run that is cut short after it must not repeat it.
    wishes.set(key, entry);
  }
  due.push({ ...wish, entry });
}

/** Writes into the row what became of its wish. The sentence stays there. */
function reportOutcome(draft: Draft, { uuid, row, automation, entry }: Wish & { readonly entry: LedgerEntry }): void {
  if (entry.state === 'refused') {
    return addRefusedWish(draft, { uuid, row }, automation.uuid, entry.message ?? 'by the service');
  }
  if (entry.state === 'cancelled') return reportCancelled(draft, { uuid, row, automation, entry });
  const again = entry.state === 'cancelling' ? ': wished for again, only retry enrols again' : '';
  addResult(draft, row, automation.uuid, resultText(entry, automation.name) + again);
  if (entry.state === 'cancelling') {
    // E5, L12: the cell asks for what no run does by itself.
    const text = `enrolment in ${automation.name}: cancelled before and wished for again, only retry enrols again`;
    const open = problem('held', { uuid, row: row.number }, 'E5', text);
    draft.problems.push({ ...open, id: enrolmentId(uuid, automation.uuid) });
  }
  if (entry.state !== 'intended' && entry.state !== 'unknown') return;
  const why = entry.message === undefined ? '' : `: ${entry.message}`;
  // E4: a person who has it tried again is to know before.
  const archived = automation.status === 'archived' ? `; ${archivedReason(automation)}` : '';
  const reason = `enrolment in ${automation.name}: outcome unknown, look in the service${why}${archived}`;
  const unknown = problem('quarantined', { uuid, row: row.number }, 'E3', reason);
  // Only this id retries the enrolment: a retry of the contact must not enrol it a second time.
  draft.problems.push({ ...unknown, id: enrolmentId(uuid, automation.uuid) });
}

/** E8: the cell still names the automation. Nothing is done about it until a run has seen the cell without it. */
function reportCancelled(draft: Draft, { uuid, row, automation, entry }: Wish & { readonly entry: LedgerEntry }): void {
  const text = resultText(entry, automation.name);
  addResult(draft, row, automation.uuid, text);
  const ignored = problem('ignored', { uuid, row: row.number }, 'E8', problemText('ignored', text));
  draft.problems.push({ ...ignored, id: enrolmentId(uuid, automation.uuid) });
}

/**
 * E3, E6: a sentence about another automation than the cell names stays if the ledger has no call that explains it. The state was lost,
 * or is older than the sheet: once the cell names that automation again, nothing else tells that the contact is in it, or may be.
 */
export function keepProofsOfOthers(draft: Draft, { uuid, row }: LinkedRow): void {
  if (!row.wishResult || row.wish === undefined || !draft.results.has(row.number)) return;
  const wished = draft.readWish(row.wish).automations;
  const ofContact = draft.entriesByUuid.get(uuid) ?? [];
  const isKnown = (name: string) =>
    wished.some((each) => each.name === name) || ofContact.some((of) => draft.isNamed(of, name) && isCalled(of.entry));
  const told = new Set(draft.results.get(row.number)!.map(({ text }) => text));
  for (const { name, text } of lastingSentences(row.wishResult)) {
    if (!isKnown(name) && !told.has(text)) addResult(draft, row, null, text);
  }
}

/** A row without a wish keeps the sentences about what was done, and loses those about wishes that it no longer has. */
function dropPassingResults({ results }: Draft, row: RowRecord): void {
  const lasting = normalText(row.wish ?? '') === '' ? lastingTexts(row.wishResult ?? '') : undefined;
  if (lasting === undefined) return;
  results.set(
    row.number,
    lasting.map((text) => ({ automation: null, text })),
  );
}
