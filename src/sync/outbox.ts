// P rules, the deciding half: which rows are sent now, which wait, and what each row is told. A row is sent once, ever; when
// in doubt it is not (L8). Pure: rows, ledger and answers in, plain data out; the same again with more answers goes further.
import { type Change, type FieldChange, type Problem, problem } from './change.ts';
import { isSame, readCell, writeCell } from './kinds.ts';
import {
  callsOf,
  contentText,
  isUuid,
  listIn,
  type Message,
  type MessageKind,
  type OutboxField,
  type OutboxRow,
  readPayload,
  readRecipient,
  readSend,
  type Said,
  saidText,
} from './message.ts';
import type { RuleId } from './rules.ts';
import { normalText } from './same.ts';
import { statusByRow } from './status.ts';
import type { Value } from './value.ts';

export interface Sender {
  readonly uuid: string;
  /** What people may call it; the first one is for people. */
  readonly names: readonly string[];
  readonly isEnabled: boolean;
}

export type RecipientAnswer =
  | { readonly kind: 'here'; readonly uuid: string; readonly name: string }
  | { readonly kind: 'none' };

/** What the service said when asked. */
export interface OutboxAnswers {
  /** Undefined: not asked. */
  readonly senders?: readonly Sender[];
  /** By what was asked for (`readRecipient`). */
  readonly recipients: ReadonlyMap<string, RecipientAnswer>;
}

/** Headers of the columns that are no payload, for people. */
export type OwnHeaders = Readonly<Record<'send' | 'uuid' | 'sentAt', string>>;

export interface OutboxInput {
  readonly kind: MessageKind;
  readonly fields: readonly OutboxField[];
  readonly headers: OwnHeaders;
  readonly rows: readonly OutboxRow[];
  /** Headers without which nothing is sent (W11). */
  readonly missing: readonly string[];
  /** The ledger, by the ID of the row. */
  readonly messages: ReadonlyMap<string, Message>;
  /** False for a new, lost or restored state, until a person approved what it would send (P6). */
  readonly isTrusted: boolean;
  /** Ids that are to be tried again; true: although they were or may have been sent. */
  readonly retried: ReadonlyMap<string, boolean>;
  /** How many a person let through. */
  readonly approved: number;
  readonly answers: OutboxAnswers;
  readonly perHour: number;
  /** How many are judged to the end at once; the rest is for later. */
  readonly batchMax: number;
  /** Of this run, by ID: surely not sent, for this reason. */
  readonly tried: ReadonlyMap<string, string>;
  /** Epoch milliseconds on the service's clock. */
  readonly now: number;
  /** W10; undefined: a person asked for this run and waits for it. */
  readonly settleMs?: number;
  /** Of a plan that nobody carries out: rows need no ID for it. */
  readonly isDryRun: boolean;
  /** Of any text, the same for the same; two texts have two. */
  readonly digest: (text: string) => string;
  readonly nearest: (word: string, words: readonly string[]) => string | undefined;
}

/** A row that is to be sent, in full. */
export interface Due {
  readonly id: string;
  readonly row: number;
  readonly payload: Readonly<Record<string, string | readonly string[]>>;
  /** As it stands in the ledger. */
  readonly message: Message;
  readonly said: string;
  readonly key: string;
  readonly change: Change & { readonly op: 'send' };
}

/** A row that is to carry an ID: a new one of ours, or (`id`) one that it has lost. */
export interface Naming {
  readonly row: number;
  readonly id?: string;
  /** What the ledger is to have under the new ID. */
  readonly message?: Message;
}

export interface OutboxPlan {
  /** Oldest first; `batchMax` at most. */
  readonly due: readonly Due[];
  readonly namings: readonly Naming[];
  /** For the ledger. */
  readonly messages: ReadonlyMap<string, Message>;
  /** Cells that say what was sent, when, and what became of it. */
  readonly sets: readonly (Change & { readonly op: 'set' })[];
  readonly problems: readonly Problem[];
  /** Sentence for the status column by row number; a row without one keeps what it says. */
  readonly statuses: ReadonlyMap<number, string>;
  /** What has to be asked before more can be said. */
  readonly questions: { readonly recipients: readonly string[]; readonly senders: boolean };
  /** Rows whose message was sent. */
  readonly sent: number;
  /** Rows that only an approval lets through (P6). */
  readonly unapproved: number;
  /** P6: the ledger knows all that was sent, as far as the tab can tell. */
  readonly isTrusted: boolean;
}

/** A row that says yes and may be sent. */
interface Wish {
  /** Undefined: it has none yet. */
  readonly id: string | undefined;
  readonly row: OutboxRow;
  readonly values: readonly Said[];
  readonly said: string;
  readonly message: Message;
  readonly recipient: string;
}

/** What was refused because of something elsewhere, which nobody tells us about, is asked again so much later. */
const askAgainMs = 3_600_000;

export function planOutbox(input: OutboxInput): OutboxPlan {
  const { fields, rows, now } = input;
  const namings: Naming[] = [];
  const messages = new Map<string, Message>();
  const sets: (Change & { op: 'set' })[] = [];
  const problems: Problem[] = [];
  const texts = new Map<number, string>();
  /** Somebody may still be typing there. */
  const silent = new Set<number>();
  const queue: Wish[] = [];
  let sent = 0;
  let isBehind = false;
  /** Rows that say yes and cannot be judged yet: an approval is for them too. */
  let pending = 0;
  const keepers = findKeepers(input);
  const known = indexLedger(input);
  for (const row of rows) {
    if (row.id === '') considerNameless(row);
    else if (keepers.get(row.id) === row) considerNamed(row);
    else considerCopy(row, keepers.get(row.id)!);
  }
  const inOrder = queue.toSorted((a, b) => a.message.at - b.message.at || a.row.number - b.row.number);
  const wasTrusted = input.isTrusted && !isBehind;
  const wished = inOrder.length + pending;
  const unapproved = wasTrusted || wished <= input.approved ? 0 : wished;
  const questions = { recipients: new Set<string>(), senders: false };
  const due: Due[] = [];
  judgeQueue();
  const urgent = statusByRow(problems.filter(({ row }) => !silent.has(row ?? 0)));
  return {
    due,
    namings,
    messages,
    sets,
    problems,
    statuses: new Map([...texts, ...urgent]),
    questions: { recipients: [...questions.recipients], senders: questions.senders },
    sent,
    unapproved,
    isTrusted: unapproved === 0,
  };

  /** A row that we have not given an ID, or whose ID somebody took away (P2). */
  function considerNameless(row: OutboxRow): void {
    const uuid = textOf(row.uuid);
    const owner = known.idByUuid.get(uuid);
    if (isUuid(uuid) && owner === undefined) {
      // P6: sent by somebody's leadsheet, and not by one that this state remembers.
      isBehind = true;
      namings.push({ row: row.number, message: provenBy(row) });
      sent += 1;
    } else if (owner !== undefined) {
      const other = keepers.get(owner);
      if (other) return copyOf(row, other);
      giveBack(row, owner);
    } else if (isWished(row)) {
      if (uuid !== '' || !isBlank(row.sentAt)) return sentElsewhere(row);
      const said = saidOf(row);
      const lost = known.idsBySaid.get(said)?.find((id) => !keepers.has(id));
      if (lost !== undefined) return giveBack(row, lost);
      wish(row, undefined, undefined);
    }
  }

  function giveBack(row: OutboxRow, id: string): void {
    keepers.set(id, row);
    namings.push({ row: row.number, id });
    const message = input.messages.get(id)!;
    if (isDone(message) && !mayAgain(id)) report(row, id, message);
    else if (input.isDryRun) wish(row, id, message);
    else waitForId(row);
  }

  function considerNamed(row: OutboxRow): void {
    const { id } = row;
    const message = messages.get(id) ?? input.messages.get(id);
    const uuid = textOf(row.uuid);
    const owner = uuid === '' ? undefined : known.idByUuid.get(uuid);
    if (owner !== undefined && owner !== id) {
      const other = keepers.get(owner);
      return other ? copyOf(row, other) : message ? sentElsewhere(row) : giveBack(row, owner);
    }
    const isNamed = isUuid(uuid) && owner === undefined;
    if (message && isNamed && (message.state === 'unknown' || message.state === 'intended')) {
      // Somebody looked in the service, and wrote down what they found (P3).
      const found: Message = { ...message, state: 'sent', uuid: uuid.toLowerCase() };
      messages.set(id, found);
      return report(row, id, found);
    }
    if (message && isDone(message) && !mayAgain(id)) return report(row, id, message);
    if (isNamed || (!message && !isBlank(row.sentAt) && isUuid(id))) {
      isBehind = true;
      const proof = provenBy(row);
      messages.set(id, proof);
      return report(row, id, proof);
    }
    if (!message && !isUuid(id)) {
      if (isWished(row)) tell(row, 'quarantined', 'P2', 'its ID is not one that leadsheet gave: clear it');
      return;
    }
    if (!isWished(row)) return;
    if (!message) isBehind = true;
    else if (!message.isAgain && !mayAgain(id) && (uuid !== '' || !isBlank(row.sentAt))) return sentElsewhere(row);
    wish(row, id, message);
  }

  /** I4: of rows with one ID one keeps it. A copy of what was not sent is a message of its own, and wants an ID of its own. */
  function considerCopy(row: OutboxRow, keeper: OutboxRow): void {
    if (!isBlank(row.uuid) || !isBlank(row.sentAt)) return copyOf(row, keeper);
    if (isWished(row)) wish(row, undefined, undefined);
  }

  function copyOf(row: OutboxRow, { number }: OutboxRow): void {
    const { uuid, sentAt } = input.headers;
    const remedy = `to make it a message of its own, clear ${uuid} and ${sentAt}`;
    tell(row, 'quarantined', 'P2', `copy of row ${number}, nothing is sent: ${remedy}`);
  }

  function sentElsewhere(row: OutboxRow): void {
    const { uuid, sentAt } = input.headers;
    tell(row, 'quarantined', 'P2', `says that it was sent: if it is a new message, clear ${uuid} and ${sentAt}`);
  }

  /** P1. Says what keeps a row from being sent, where something is in Send. */
  function isWished(row: OutboxRow): boolean {
    const { send } = input.headers;
    const word = readSend(row);
    if (word === 'formula') tell(row, 'held', 'P1', `a formula stands in ${send}: type yes`);
    else if (word === 'other') tell(row, 'waiting', 'P1', `it is sent once ${send} says yes`);
    // What was said of a wish that is no more.
    else if (word === 'no') texts.set(row.number, '');
    return word === 'yes';
  }

  /** P6: what the row says that was sent before this state began; its content is taken for what was sent. */
  function provenBy(row: OutboxRow): Message {
    const [uuid, at, delivery] = [textOf(row.uuid), instantOf(row), textOf(row.delivery)];
    const values = row.cells.map(readPayload);
    const recipient = readRecipient(textIn('lead_uuid', values));
    const content = recipient !== undefined && isUuid(recipient) && contentText(recipient, payloadOf(values, '', ''));
    return {
      state: 'sent',
      at: at ?? 0,
      // The cap of this hour counts it too.
      ...(at !== undefined && { calls: [at] }),
      run: '',
      said: input.missing.length > 0 ? '' : saidOf(row),
      ...(content && { key: input.digest(content) }),
      ...(uuid !== '' && { uuid }),
      ...(delivery !== '' && { delivery }),
    };
  }

  function saidOf(row: OutboxRow): string {
    return input.digest(saidText(fields, row.cells.map(readPayload)));
  }

  function mayAgain(id: string): boolean {
    return input.retried.get(id) ?? false;
  }

  /** What the service took, or may have taken. */
  function report(row: OutboxRow, id: string, message: Message): void {
    if (message.state !== 'sent') {
      const reason = `outcome unknown: look in the service, then leadsheet retry ${id} --yes if it is not there`;
      return tell(row, 'quarantined', 'P3', reason);
    }
    sent += 1;
    const isChanged = message.said !== '' && input.missing.length === 0 && saidOf(row) !== message.said;
    const { delivery = '' } = message;
    const status = delivery === '' ? '' : `, ${delivery}`;
    texts.set(
      row.number,
      `sent ${instantText(message.at)}${status}${isChanged ? '; changed since, not sent again' : ''}`,
    );
    const cells = sentCells(row, message);
    if (cells.length > 0) {
      const about = { side: 'sheet', op: 'set', uuid: message.to ?? null, row: row.number } as const;
      sets.push({ ...about, fields: cells, rule: 'P5', reason: 'what became of it' });
    }
  }

  /** P4, as far as the row itself tells. */
  function wish(row: OutboxRow, id: string | undefined, known_: Message | undefined): void {
    if (input.missing.length > 0) {
      pending += 1;
      return tell(row, 'held', 'W11', `not in the tab: ${input.missing.join(', ')}`);
    }
    const values = row.cells.map(readPayload);
    const said = input.digest(saidText(fields, values));
    const isRetried = id !== undefined && input.retried.has(id);
    const message = renewed(known_, said, isRetried, id !== undefined && mayAgain(id));
    if (id === undefined) namings.push({ row: row.number, message });
    else if (message !== known_) messages.set(id, message);
    const fault = faultIn(values);
    if (fault) {
      if (fault.kind === 'unreadable') pending += 1;
      return tell(row, fault.kind, 'P4', fault.reason);
    }
    if (message.state === 'refused' && (message.retryAt === undefined || message.retryAt > now)) {
      return tell(row, 'refused', message.rule ?? 'P4', message.message ?? 'by the service');
    }
    const twin = message.isAgain ? undefined : known.idsBySent.get(said)?.find((other) => other !== id);
    if (twin !== undefined) return tell(row, 'refused', 'P2', sameAs(twin, id));
    const recipient = readRecipient(textIn('lead_uuid', values));
    if (recipient === undefined) {
      return tell(row, 'refused', 'P4', `${headerOf('lead_uuid')} is neither a uuid nor an e-mail address`);
    }
    if (id === undefined && !input.isDryRun) waitForId(row);
    else queue.push({ id, row, values, said, message, recipient });
  }

  function renewed(before: Message | undefined, said: string, isRetried: boolean, isAgain: boolean): Message {
    const calls = before ? callsOf(before, now) : [];
    const earlier = before ? sentDigests(before) : [];
    const fresh: Message = {
      state: 'waiting',
      at: now,
      run: '',
      said,
      ...(calls.length > 0 && { calls }),
      ...(earlier.length > 0 && { before: earlier }),
      ...(before?.uuid !== undefined && { uuid: before.uuid }),
      ...((isAgain || before?.isAgain) && { isAgain: true as const }),
    };
    if (!before || isRetried) return fresh;
    return before.said === said ? before : fresh;
  }

  function waitForId(row: OutboxRow): void {
    pending += 1;
    silent.add(row.number);
    tell(row, 'waiting', 'P1', 'is tried in the next run');
  }

  function faultIn(
    values: readonly Said[],
  ): { readonly kind: 'refused' | 'unreadable'; readonly reason: string } | undefined {
    for (const [index, { header, lengthMax = Infinity }] of fields.entries()) {
      const value = values[index];
      if (typeof value === 'object' && value !== null) {
        return { kind: 'unreadable', reason: `${header} shows ${value.unreadable}` };
      }
      if (typeof value === 'string' && value.length > lengthMax) {
        return { kind: 'refused', reason: `${header} has ${value.length} characters, and ${lengthMax} are the most` };
      }
    }
    for (const names of [['lead_uuid'], ['sender_profile_uuid'], ['text', 'body', 'template_uuid']]) {
      const mapped = names.filter((name) => fields.some((field) => field.name === name));
      if (mapped.some((name) => valueOf(name, values) !== null)) continue;
      return { kind: 'refused', reason: `${mapped.map(headerOf).join(' and ')} is empty: nothing is sent` };
    }
    return undefined;
  }

  /** In order: who waits, who may go, and what has to be asked first. */
  function judgeQueue(): void {
    /** By what it says: who is sent now. */
    const taken = new Map<string, string>();
    let free = input.perHour - countCalls(input);
    let ahead = 0;
    let asked = 0;
    for (const each of inOrder) {
      const failure = input.tried.get(each.id ?? '');
      if (unapproved > 0) tell(each.row, 'held', 'P6', 'the state is new: approve once what it would send');
      else if (failure !== undefined) tell(each.row, 'failed', 'P3', `not sent, is tried in the next run: ${failure}`);
      else if (input.settleMs !== undefined && now - each.message.at < input.settleMs) {
        silent.add(each.row.number);
        tell(each.row, 'waiting', 'W10', 'waits to settle');
      } else if (free <= 0) {
        tell(each.row, 'waiting', 'P4', `${ahead} ahead, cap ${input.perHour}/h`);
        ahead += 1;
      } else if (due.length + asked >= input.batchMax) {
        silent.add(each.row.number);
        tell(each.row, 'waiting', 'P1', 'is tried in the next run');
      } else {
        const verdict = judge(each, taken);
        if (verdict === 'asked') asked += 1;
        if (verdict !== 'refused') free -= 1;
      }
    }
  }

  /** P4: sender, contact and content, as the service just said. */
  function judge(each: Wish, taken: Map<string, string>): 'due' | 'asked' | 'refused' {
    const { row, values, recipient, message } = each;
    const answer = input.answers.recipients.get(recipient);
    const { senders } = input.answers;
    if (!answer) questions.recipients.add(recipient);
    if (!senders) questions.senders = true;
    if (!answer || !senders) return 'asked';
    const sender = senderCalled(textIn('sender_profile_uuid', values), senders);
    if (typeof sender === 'string') return refuse(each, 'P4', sender);
    if (answer.kind === 'none') return refuse(each, 'P4', 'the contact does not exist');
    const payload = payloadOf(values, answer.uuid, sender.uuid);
    const key = input.digest(contentText(answer.uuid, payload));
    const others = [taken.get(key) ?? [], known.idsBySent.get(key) ?? []].flat();
    const twin = message.isAgain ? undefined : others.find((other) => other !== each.id);
    if (twin !== undefined) return refuse(each, 'P2', sameAs(twin, each.id), answer.name);
    const id = each.id ?? `row:${row.number}`;
    taken.set(key, id);
    due.push({
      id,
      row: row.number,
      payload,
      message: { ...message, to: answer.uuid, name: answer.name },
      said: each.said,
      key,
      change: sendChange(row, payload, answer, sender),
    });
    return 'due';
  }

  /** Remembered, so that nobody asks the same again in every run. */
  function refuse({ id, row, message, said }: Wish, rule: RuleId, reason: string, name?: string): 'refused' {
    tell(row, 'refused', rule, reason);
    if (id === undefined) return 'refused';
    const { calls, uuid, before } = message;
    const kept = {
      ...(before && { before }),
      ...(calls && { calls }),
      ...(uuid !== undefined && { uuid }),
      ...(name !== undefined && { name }),
    };
    messages.set(id, {
      state: 'refused',
      at: message.at,
      run: '',
      said,
      message: reason,
      rule,
      retryAt: now + askAgainMs,
      ...kept,
    });
    return 'refused';
  }

  function senderCalled(text: string, senders: readonly Sender[]): Sender | string {
    const wanted = normalText(text).toLowerCase();
    const called = senders.filter(({ names }) => names.some((name) => normalText(name).toLowerCase() === wanted));
    const byUuid = senders.filter(({ uuid }) => uuid === wanted);
    const [sender, ...others] = byUuid.length > 0 ? byUuid : called;
    if (others.length > 0) return `several sender profiles are called "${text}": write the uuid`;
    if (sender) return sender.isEnabled ? sender : `the sender profile "${text}" is disabled`;
    const near = input.nearest(
      text,
      senders.flatMap(({ names }) => names),
    );
    return `no such sender profile: "${text}"${near === undefined ? '' : `, did you mean "${near}"?`}`;
  }

  function payloadOf(values: readonly Said[], contact: string, sender: string): Due['payload'] {
    const entries = fields.flatMap(({ name, isList }, index): [string, string | readonly string[]][] => {
      const value = values[index];
      if (name === 'lead_uuid') return [[name, contact]];
      if (name === 'sender_profile_uuid') return [[name, sender]];
      return typeof value === 'string' ? [[name, isList ? listIn(value) : value]] : [];
    });
    return Object.fromEntries(entries);
  }

  function sendChange(
    { number }: OutboxRow,
    payload: Due['payload'],
    to: { readonly uuid: string; readonly name: string },
    from: Sender,
  ): Change & { readonly op: 'send' } {
    const why = { rule: 'P1', reason: `${input.headers.send} says yes` } as const;
    const parts = Object.entries(payload).map(([field, value]): FieldChange => {
      const after = typeof value === 'string' ? value : value.join(', ');
      return { field, before: null, after, ...why };
    });
    const people = { to: to.name, from: from.names[0] ?? from.uuid };
    return { side: 'crm', op: 'send', uuid: to.uuid, row: number, fields: parts, ...people, ...why };
  }

  function sameAs(twin: string, id: string | undefined): string {
    const message = input.messages.get(twin);
    const doubt = message?.state === 'sent' ? '' : ', whose outcome is unknown';
    const what = message ? `the message of ${instantText(message.at)}${doubt}` : 'another row that is sent now';
    const again = id === undefined ? '' : `, or say leadsheet retry ${id} --yes`;
    return `looks the same as ${what}: change it${again}`;
  }

  function valueOf(name: string, values: readonly Said[]): Said {
    return values[fields.findIndex((field) => field.name === name)] ?? null;
  }

  function textIn(name: string, values: readonly Said[]): string {
    const value = valueOf(name, values);
    return typeof value === 'string' ? value : '';
  }

  function headerOf(name: string): string {
    return fields.find((field) => field.name === name)?.header ?? name;
  }

  function tell(row: OutboxRow, kind: Problem['kind'], rule: RuleId, reason: string): void {
    const said = problem(kind, { row: row.number }, rule, reason);
    const isOwn = row.id !== '' && keepers.get(row.id) === row;
    problems.push(isOwn ? { ...said, id: row.id } : said);
  }
}

/** The service took it, or may have. */
function isDone({ state }: Message): boolean {
  return state === 'sent' || state === 'unknown' || state === 'intended';
}

/** I4: of rows with one ID, the one that says what was written down keeps it, else the upper one. */
function findKeepers({ rows, fields, messages, digest }: OutboxInput): Map<string, OutboxRow> {
  const keepers = new Map<string, OutboxRow>();
  const isAsKnown = (row: OutboxRow) => {
    const message = messages.get(row.id);
    if (!message) return false;
    return (
      textOf(row.uuid) === (message.uuid ?? '') && digest(saidText(fields, row.cells.map(readPayload))) === message.said
    );
  };
  const doubled = new Set<string>();
  for (const row of rows) {
    if (row.id === '') continue;
    if (keepers.has(row.id)) doubled.add(row.id);
    else keepers.set(row.id, row);
  }
  for (const row of rows.toReversed()) if (doubled.has(row.id) && isAsKnown(row)) keepers.set(row.id, row);
  return keepers;
}

function indexLedger({ messages }: OutboxInput) {
  const idByUuid = new Map<string, string>();
  const idsBySaid = new Map<string, string[]>();
  const idsBySent = new Map<string, string[]>();
  const add = (index: Map<string, string[]>, digest: string, id: string) =>
    index.set(digest, [...(index.get(digest) ?? []), id]);
  for (const [id, message] of messages) {
    const { uuid, said } = message;
    if (uuid !== undefined) idByUuid.set(uuid, id);
    if (said !== '') add(idsBySaid, said, id);
    for (const digest of sentDigests(message)) add(idsBySent, digest, id);
  }
  return { idByUuid, idsBySaid, idsBySent };
}

/** P2: of all that was sent under an ID, or may have been. */
function sentDigests(message: Message): readonly string[] {
  const { said, key = '', before = [] } = message;
  const now = isDone(message) ? [said, key].filter((digest) => digest !== '') : [];
  return [...new Set([...before, ...now])];
}

/** P4: counted across restarts, since the ledger is. */
function countCalls({ messages, now }: OutboxInput): number {
  let count = 0;
  for (const message of messages.values()) count += callsOf(message, now).length;
  return count;
}

/** P5: the cells that are not as the ledger has it. */
function sentCells(row: OutboxRow, { uuid, at, delivery }: Message): readonly FieldChange[] {
  const why = { rule: 'P5', reason: 'what became of it' } as const;
  const cells: FieldChange[] = [];
  const put = (field: SentField, before: Value, after: Value) => cells.push({ field, before, after, ...why });
  const now = instantOf(row);
  if (uuid !== undefined && row.uuid !== undefined && textOf(row.uuid) !== uuid) put('#uuid', textOf(row.uuid), uuid);
  const time = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  const isSameTime =
    now !== undefined && isSame('timestamp', new Date(now).toISOString().replace(/\.\d+Z$/, 'Z'), time);
  if (at > 0 && row.sentAt !== undefined && !isSameTime) put('#sent', textOf(row.sentAt), time);
  if (delivery !== undefined && row.delivery !== undefined && textOf(row.delivery) !== delivery) {
    put('#delivery', textOf(row.delivery), delivery);
  }
  return cells;
}

/** The columns that say what was sent. */
export type SentField = '#uuid' | '#sent' | '#delivery';

/** What is written for one of them. */
export function toSentCell(field: string, value: Value): string | number | boolean {
  return writeCell(field === '#sent' ? 'timestamp' : 'text', value);
}

function instantOf({ sentAt }: OutboxRow): number | undefined {
  const reading = readCell('timestamp', sentAt);
  return typeof reading === 'string' ? Date.parse(reading) : undefined;
}

function isBlank(cell: OutboxRow['uuid']): boolean {
  return readPayload(cell) === null;
}

function textOf(cell: OutboxRow['uuid']): string {
  const said = readPayload(cell);
  return typeof said === 'string' ? said.trim() : '';
}

/** `2026-11-21 09:00Z` */
function instantText(at: number): string {
  return at === 0 ? 'an earlier time' : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}
