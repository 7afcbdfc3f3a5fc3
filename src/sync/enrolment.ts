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
  /** The service's own words, where it refused. */
  readonly message?: string;
}

export interface Ledger {
  /** By `ledgerKey`. */
  readonly entries: ReadonlyMap<string, LedgerEntry>;
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

export interface EnrolmentPlan {
  readonly changes: readonly Change[];
  /** For the ledger. Wishes seen for the first time keep their place in the queue; those the result column proves are done. */
  readonly wishes: ReadonlyMap<string, LedgerEntry>;
  readonly problems: readonly Problem[];
  /** For the result column, by uuid. */
  readonly results: ReadonlyMap<string, string>;
  /** Wishes that only an approval lets through (E6). */
  readonly unapproved: number;
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

export function planEnrolments(
  input: PlanInput,
  wishers: readonly Wisher[],
  newRows: readonly RowRecord[],
): EnrolmentPlan {
  const changes: Change[] = [];
  const problems: Problem[] = [];
  const sentences = new Map<string, string[]>();
  const wishes = new Map<string, LedgerEntry>();
  const rules = input.mapping.enrolment;
  const { automations } = input;
  if (!rules || !automations) {
    return { changes, problems, wishes, results: new Map(), unapproved: 0, ofNewRows: new Map() };
  }
  const due: Wish[] = [];
  const entriesByUuid = groupEntries(input.ledger);
  for (const wisher of wishers) {
    // Without the column nobody wishes, and nobody took a wish back (W11).
    if (wisher.row.wish === undefined) continue;
    const wished = readWish(wisher.row.wish, automations);
    for (const { text, reason } of wished.unknown) refuse(wisher.uuid, wisher.row, `${reason}: "${text}"`);
    // What the cell names may be the old one misspelt: nothing is cancelled on the strength of that.
    if (wished.unknown.length === 0) cancelOthers(wisher, wished.automations);
    for (const automation of wished.automations) consider({ ...wisher, automation });
  }
  let free = rules.perHour - countSince(input.ledger, input.now - hourMs);
  const queue = due
    .toSorted((a, b) => (a.entry?.at ?? input.now) - (b.entry?.at ?? input.now) || a.row.number - b.row.number)
    .filter(isLetThrough);
  const isApproved = queue.length <= (input.requests.approved?.enrolments ?? 0);
  const unapproved = input.ledger.isTrusted || isApproved ? 0 : queue.length;
  let ahead = 0;
  for (const wish of queue) {
    if (unapproved > 0) {
      say(wish, 'held', 'E6', 'held: the state is new, approve it once');
    } else if (free > 0) {
      free -= 1;
      changes.push(enrolChange(wish));
    } else {
      say(wish, 'waiting', 'E4', `waiting: ${ahead} ahead, cap ${rules.perHour}/h`);
      ahead += 1;
    }
  }
  // After those who wished before them; without a call left they are created only, and wait like everybody.
  const ofNewRows = new Map<string, string>();
  for (const row of newRows) {
    const [first] = readWish(row.wish ?? '', automations).automations;
    if (!first || first.status === 'archived' || free <= 0 || vetoOf(input.mapping, unpack(row.values))) continue;
    ofNewRows.set(row.values, first.uuid);
    free -= 1;
  }
  return {
    changes,
    problems,
    wishes,
    results: new Map([...sentences].map(([uuid, texts]) => [uuid, texts.join('; ')])),
    unapproved,
    ofNewRows,
  };

  function isLetThrough(wish: Wish): boolean {
    const veto = vetoOf(input.mapping, unpack(wish.row.values));
    if (veto !== undefined) say(wish, 'held', 'E4', `vetoed: ${veto}`);
    return veto === undefined;
  }

  function consider({ uuid, row, automation }: Omit<Wish, 'entry'>): void {
    const key = ledgerKey(uuid, automation.uuid);
    const entry = input.ledger.entries.get(key);
    const isRetried = input.requests.retry.has(enrolmentId(uuid, automation));
    if (automation.status === 'archived' && !isDone(entry)) {
      return refuse(uuid, row, `the automation "${automation.name}" is archived`);
    }
    if (entry && entry.state !== 'waiting' && !isRetried) return report({ uuid, row, automation, entry });
    const proof = !entry && !input.ledger.isTrusted ? proofIn(row.wishResult, automation) : undefined;
    if (proof) {
      wishes.set(key, proof);
      return report({ uuid, row, automation, entry: proof });
    }
    if (!entry) wishes.set(key, { state: 'waiting', at: input.now, run: '' });
    due.push({ uuid, row, automation, entry });
  }

  /** What became of it stands in the row for good. */
  function report({ uuid, row, automation, entry }: Wish): void {
    const day = new Date(entry!.at).toISOString().slice(0, 10);
    switch (entry!.state) {
      case 'enrolled':
        return note(uuid, `enrolled ${day} in ${automation.name}`);
      case 'skipped':
        return note(uuid, `skipped: already in ${automation.name}`);
      case 'cancelling':
        return note(uuid, 'cancelling');
      case 'refused':
        return refuse(uuid, row, entry!.message ?? 'by the service');
      case 'intended':
      case 'unknown':
        note(uuid, `unknown: look in the service whether ${automation.name} has it`);
        // Retried by this id alone: who asks for the contact does not ask for a second enrolment.
        problems.push({
          ...problemOf(
            'quarantined',
            uuid,
            row,
            'E3',
            `enrolment in ${automation.name}: outcome unknown, look in the service`,
          ),
          id: enrolmentId(uuid, automation),
        });
        return;
      case 'waiting':
    }
  }

  /** E5. */
  function cancelOthers({ uuid, row }: Wisher, wished: readonly WishedAutomation[]): void {
    if (rules!.onClear !== 'cancel') return;
    for (const { automation, entry } of entriesByUuid.get(uuid) ?? []) {
      if (wished.some((each) => each.uuid === automation)) continue;
      if (entry.state === 'cancelling') note(uuid, 'cancelling');
      if (entry.state !== 'enrolled') continue;
      const about = { side: 'crm', uuid, row: row.number, fields: [], automation } as const;
      changes.push({ ...about, op: 'cancel', rule: 'E5', reason: 'the wish was taken out of its cell' });
    }
  }

  function refuse(uuid: string, row: RowRecord, reason: string): void {
    note(uuid, `refused: ${reason}`);
    problems.push(problemOf('refused', uuid, row, 'E4', `enrolment: ${reason}`));
  }

  function say({ uuid, row }: Wish, kind: 'held' | 'waiting', rule: RuleId, reason: string): void {
    note(uuid, reason);
    problems.push(problemOf(kind, uuid, row, rule, `enrolment ${reason}`));
  }

  function note(uuid: string, sentence: string): void {
    sentences.set(uuid, [...(sentences.get(uuid) ?? []), sentence]);
  }
}

function problemOf(kind: Problem['kind'], uuid: string, row: RowRecord, rule: RuleId, reason: string): Problem {
  return problem(kind, { uuid, row: row.number }, rule, reason);
}

function enrolmentId(uuid: string, { uuid: automation }: WishedAutomation): string {
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

/** Names or uuids, several separated by commas. Two automations of one name are told apart by uuid only. */
export function readWish(text: string, automations: readonly WishedAutomation[]): ReadWish {
  const found: WishedAutomation[] = [];
  const unknown: { text: string; reason: string }[] = [];
  for (const part of text.split(',').map(normalText)) {
    if (part === '') continue;
    const byUuid = automations.filter(({ uuid }) => uuid === part.toLowerCase());
    const hits =
      byUuid.length > 0
        ? byUuid
        : automations.filter(({ name }) => normalText(name).toLowerCase() === part.toLowerCase());
    if (hits.length === 1) {
      if (!found.includes(hits[0]!)) found.push(hits[0]!);
    } else {
      const reason = hits.length > 1 ? 'several automations have this name, write the uuid' : 'no such automation';
      unknown.push({ text: part, reason });
    }
  }
  return { automations: found, unknown };
}

/** E6: the result column of an earlier life of the state. */
function proofIn(result: string | undefined, { name }: WishedAutomation): LedgerEntry | undefined {
  for (const sentence of (result ?? '').split('; ')) {
    const [, day, where] = /^enrolled (\d{4}-\d{2}-\d{2}) in (.*)$/s.exec(sentence) ?? [];
    const at = Date.parse(`${day}T00:00:00Z`);
    if (where === name && !Number.isNaN(at)) return { state: 'enrolled', at, run: '' };
  }
  return undefined;
}

/** E4: calls of the last hour, whatever became of them; counted across restarts, since the ledger is. */
function countSince({ entries }: Ledger, since: number): number {
  let count = 0;
  for (const { state, at } of entries.values()) {
    if (at > since && (state === 'enrolled' || state === 'intended' || state === 'unknown')) count += 1;
  }
  return count;
}

function groupEntries({ entries }: Ledger): ReadonlyMap<string, readonly { automation: string; entry: LedgerEntry }[]> {
  const byUuid = new Map<string, { automation: string; entry: LedgerEntry }[]>();
  for (const [key, entry] of entries) {
    const [uuid = '', automation = ''] = key.split(' ');
    byUuid.set(uuid, [...(byUuid.get(uuid) ?? []), { automation, entry }]);
  }
  return byUuid;
}
