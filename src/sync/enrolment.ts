// E rules, the deciding half: which wishes are carried out now, which wait, and what the row is told. A wish is carried
// out once per contact and automation, ever; when in doubt it is not (L8).
import { type Change, type Problem, problem } from './change.ts';
import type { PlanInput } from './input.ts';
import { isSame } from './kinds.ts';
import type { Mapping } from './mapping.ts';
import { type RowRecord, unpack } from './record.ts';
import { normalText } from './same.ts';
import type { RuleId } from './rules.ts';

export interface WishedAutomation {
  readonly uuid: string;
  readonly name: string;
  readonly status: string;
}

/** What was ever done about a wish. */
export interface LedgerEntry {
  /**
   * `waiting`: seen, and not its turn. `intended`: written down before the call; still so in a later run, the outcome is
   * unknown (E3). `skipped`: the service said the contact is there already.
   */
  readonly state: 'waiting' | 'intended' | 'enrolled' | 'skipped' | 'refused' | 'unknown' | 'cancelling';
  /** Epoch milliseconds on the service's clock: since when, or when. */
  readonly at: number;
  readonly run: string;
  /** Of the automation, when it was last wished for: for people. */
  readonly name?: string;
  /** The service's own words, where it refused. */
  readonly message?: string;
  /** When calls were made that enrolled or may have, epoch milliseconds: what the cap counts, whatever became of it since. */
  readonly calls?: readonly number[];
}

/** A contact that was to be created and enrolled in one call, and whose uuid is not known: perhaps there is none (E3). */
export interface InFlight {
  readonly automation: string;
  /** Epoch milliseconds: when the call was made. */
  readonly at: number;
  /** Whether there is such a contact could not be looked up: anybody may be it. */
  readonly isUnanswered?: true;
}

export interface Ledger {
  /** By `ledgerKey`. */
  readonly entries: ReadonlyMap<string, LedgerEntry>;
  /** By `rowKey` of a new row: nothing is done about it until reading has told what became of the call. */
  readonly inFlight?: ReadonlyMap<string, InFlight>;
  /** False for a new, lost or restored state, until a person approved what it would enrol (E6). */
  readonly isTrusted: boolean;
}

export const emptyLedger: Ledger = { entries: new Map(), isTrusted: true };

export function ledgerKey(uuid: string, automation: string): string {
  return `${uuid} ${automation}`;
}

/** Somebody with a row and a wish, or without one any more. */
export interface Wisher {
  readonly uuid: string;
  readonly row: RowRecord;
}

/** A sentence of the result column, about one automation; null: about what names none. */
export interface WishResult {
  readonly automation: string | null;
  readonly text: string;
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
  readonly ofNewRows: ReadonlyMap<string, string>;
}

interface Wish {
  readonly uuid: string;
  readonly row: RowRecord;
  readonly automation: WishedAutomation;
  readonly entry: LedgerEntry | undefined;
}

const hourMs = 3_600_000;

/** What the row is told of a wish whose call was not begun: the run was stopped, or a person was quicker. */
const notBegun = 'waiting: is tried in the next run';

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
  const ofNewRows = new Map<string, string>();
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
    ofNewRows.set(row.values, first.uuid);
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
  function provenBy({ uuid, row }: Wisher): readonly (readonly [WishedAutomation, LedgerEntry])[] {
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
  function withdrawOthers({ uuid, row }: Wisher, wished: readonly WishedAutomation[]): void {
    for (const { automation, entry } of entriesByUuid.get(uuid) ?? []) {
      if (wished.some((each) => each.uuid === automation)) continue;
      if (entry.state === 'waiting' || entry.state === 'refused') {
        const isCounted = callsOf(entry).some((at) => at > input.now - hourMs);
        if (!isCounted) wishes.set(ledgerKey(uuid, automation), null);
      } else if (rules!.onClear === 'cancel') {
        note(row, automation, 'cancelling');
        if (entry.state === 'cancelling') continue;
        const about = { side: 'crm', uuid, row: row.number, fields: [], automation } as const;
        changes.push({ ...about, op: 'cancel', rule: 'E5', reason: 'the wish was taken out of its cell' });
      }
    }
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
    const texts = (row.wishResult ?? '').split('; ');
    if (normalText(row.wish ?? '') !== '' || !texts.some((text) => passing.test(text))) return;
    const lasting = texts.filter((text) => !passing.test(text));
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

/** The sentence for what has become of a wish. */
export function resultText({ state, at, message }: LedgerEntry, automation: string): string {
  switch (state) {
    case 'enrolled':
      return `enrolled ${new Date(at).toISOString().slice(0, 10)} in ${automation}`;
    case 'skipped':
      return `skipped: already in ${automation}`;
    case 'cancelling':
      return 'cancelling';
    case 'refused':
      return `refused: ${message ?? 'by the service'}`;
    case 'intended':
    case 'unknown':
      return `unknown: look in the service whether ${automation} has it`;
    case 'waiting':
      return message === undefined ? notBegun : `waiting: ${message}`;
  }
}

/** Said of wishes of which nothing came. */
const passing = /^(?:waiting|refused|vetoed|held|skipped: already a contact)\b/;

function archivedReason({ name }: WishedAutomation): string {
  return `the automation "${name}" is archived`;
}

/** Of a sentence of the result column: its first word may be the kind of the problem already. */
function problemText(kind: Problem['kind'], text: string): string {
  return text.startsWith(`${kind}: `) ? `enrolment: ${text.slice(kind.length + 2)}` : `enrolment ${text}`;
}

function problemOf(kind: Problem['kind'], uuid: string, row: RowRecord, rule: RuleId, reason: string): Problem {
  return problem(kind, { uuid, row: row.number }, rule, reason);
}

/** What `retry` takes to try an enrolment again. */
export function enrolmentId(uuid: string, automation: string): string {
  return `${uuid}/${automation}`;
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

function isDone(entry: LedgerEntry | undefined): boolean {
  return entry !== undefined && entry.state !== 'waiting' && entry.state !== 'refused';
}

/** E4: why a contact that holds these values is not to be enrolled; to be asked again with fresh values before the call. */
export function vetoOf({ fields, enrolment }: Mapping, values: readonly unknown[]): string | undefined {
  for (const [name, texts] of Object.entries(enrolment?.unless ?? {})) {
    const index = fields.findIndex((field) => field.name === name);
    const value = values[index] as ReturnType<typeof unpack>[number];
    const text = texts.find((each) => isSame('text', normalCase(value), normalCase(each)));
    if (text !== undefined) return `${fields[index]?.header ?? name} is ${text}`;
  }
  return undefined;
}

function normalCase(value: ReturnType<typeof unpack>[number]): string | null | undefined {
  return value === null || value === undefined ? value : String(value).toLowerCase();
}

interface ReadWish {
  readonly automations: readonly WishedAutomation[];
  readonly unknown: readonly { readonly text: string; readonly reason: string }[];
}

/** A hundred thousand rows name a handful of automations: each text is read once. */
function readerOf(automations: readonly WishedAutomation[]): (text: string) => ReadWish {
  const known = new Map<string, ReadWish>();
  return (text) => {
    const read = known.get(text) ?? readWish(text, automations);
    known.set(text, read);
    return read;
  };
}

/**
 * Names or uuids, several separated by commas; a name with commas in it is found too. Two automations of one name are told
 * apart by uuid only.
 */
export function readWish(text: string, automations: readonly WishedAutomation[]): ReadWish {
  const found: WishedAutomation[] = [];
  const unknown: { text: string; reason: string }[] = [];
  const parts = text.split(',');
  for (let start = 0; start < parts.length;) {
    // The longest first: what follows a comma may belong to the name.
    let end = parts.length;
    while (end > start + 1 && hitsOf(parts.slice(start, end).join(','), automations).length === 0) end -= 1;
    const part = normalText(parts.slice(start, end).join(','));
    start = end;
    if (part === '') continue;
    const hits = hitsOf(part, automations);
    if (hits.length === 1) {
      if (!found.includes(hits[0]!)) found.push(hits[0]!);
    } else {
      const reason = hits.length > 1 ? 'several automations have this name, write the uuid' : 'no such automation';
      unknown.push({ text: part, reason });
    }
  }
  return { automations: found, unknown };
}

function hitsOf(text: string, automations: readonly WishedAutomation[]): readonly WishedAutomation[] {
  const wanted = normalText(text).toLowerCase();
  const byUuid = automations.filter(({ uuid }) => uuid === wanted);
  return byUuid.length > 0 ? byUuid : automations.filter(({ name }) => normalText(name).toLowerCase() === wanted);
}

/** E6: the result column of an earlier life of the state. */
function proofIn(result: string | undefined, { name }: WishedAutomation): LedgerEntry | undefined {
  for (const sentence of (result ?? '').split('; ')) {
    const [, day, where] = /^enrolled (\d{4}-\d{2}-\d{2}) in (.*)$/s.exec(sentence) ?? [];
    const at = Date.parse(`${day}T00:00:00Z`);
    if (where === name && !Number.isNaN(at)) return { state: 'enrolled', at, run: '', name };
  }
  return undefined;
}

/** E4: calls of the last hour, whatever became of them; counted across restarts, since the ledger is. */
function countSince({ entries, inFlight }: Ledger, since: number): number {
  let count = 0;
  for (const entry of entries.values()) count += callsOf(entry).filter((at) => at > since).length;
  for (const { at } of inFlight?.values() ?? []) if (at > since) count += 1;
  return count;
}

/** When calls were made that enrolled or may have. */
export function callsOf({ state, at, calls }: LedgerEntry): readonly number[] {
  if (calls) return calls;
  return state === 'enrolled' || state === 'intended' || state === 'unknown' ? [at] : [];
}

function groupEntries({ entries }: Ledger): ReadonlyMap<string, readonly { automation: string; entry: LedgerEntry }[]> {
  const byUuid = new Map<string, { automation: string; entry: LedgerEntry }[]>();
  for (const [key, entry] of entries) {
    const [uuid = '', automation = ''] = key.split(' ');
    byUuid.set(uuid, [...(byUuid.get(uuid) ?? []), { automation, entry }]);
  }
  return byUuid;
}
