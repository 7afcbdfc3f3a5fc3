// Checks what a row itself says (P4): a row that says yes is put into the queue, or is told what is missing.
import { isNoKey, isPlaceholderEmail, whyNoKey } from '../record/keys.ts';
import {
  callsOf,
  type Message,
  type OutboxRow,
  readPayload,
  readRecipient,
  saidText,
  type SentBefore,
} from './message.ts';
import { instantText } from './cells.ts';
import { type Draft, isResendAsked, addProblem, addSilentProblem } from './draft.ts';
import { isDone, sentDigests } from './known.ts';
import { withMoved } from './moved-yes.ts';
import { faultIn, headerOf, textIn } from './payload.ts';
import { noteWhatItSays } from './report.ts';

/** `id` undefined: the row has none yet. `before`: its entry in the ledger. */
export function judgeWish(draft: Draft, row: OutboxRow, id: string | undefined, before: Message | undefined): void {
  const { input, known } = draft;
  const { fields, missing, now } = input;
  if (missing.length > 0) return addProblem(draft, row, 'held', 'W11', `not in the tab: ${missing.join(', ')}`);
  if (id !== undefined) draft.judged.add(id);
  const values = row.cells.map(readPayload);
  const said = input.digest(saidText(fields, values));
  const isRetried = id !== undefined && draft.agreed.retried.has(id);
  if (id !== undefined && before?.state === 'cancelled' && !isRetried) return reportCancelled(draft, row, id, before);
  const recipient = readRecipient(textIn(fields, 'lead_uuid', values));
  const isAgain = id !== undefined && isResendAsked(draft, id);
  const message = withMoved(renewed(before, { said, now, isRetried, isAgain, recipient }), draft.moved.has(row.number));
  if (id === undefined) draft.namings.push({ row: row.number, message });
  else if (message !== before) draft.messages.set(id, message);
  const fault = faultIn(fields, values);
  if (fault) {
    if (fault.kind === 'unreadable') draft.pending += 1;
    return addProblem(draft, row, fault.kind, 'P4', fault.reason);
  }
  if (message.state === 'refused' && (message.retryAt === undefined || message.retryAt > now)) {
    // P6: a later run asks about it again, and a restored ledger does not say whether it was sent since.
    draft.pending += 1;
    const { rule = 'P4', message: reason = 'by the service', retryAt } = message;
    return addProblem(draft, row, 'refused', rule, reason, retryAt);
  }
  const twin = message.isAgain ? undefined : known.idsBySent.get(said)?.find((other) => other !== id);
  if (twin !== undefined) return addProblem(draft, row, 'refused', 'P2', sameAs(draft, twin, { id, digest: said }));
  if (recipient === undefined) {
    const reason = `${headerOf(fields, 'lead_uuid')} is neither a uuid nor an e-mail address`;
    return addProblem(draft, row, 'refused', 'P4', reason);
  }
  if (recipient.includes('@') && isPlaceholderEmail(recipient)) {
    const reason = `${headerOf(fields, 'lead_uuid')} is an address at example.com or the like, which names nobody: write the uuid of the contact`;
    return addProblem(draft, row, 'refused', 'I8', reason);
  }
  // The service would know nobody by such a text, although it has the contact.
  if (recipient.includes('@') && isNoKey({ kind: 'email' }, recipient)) {
    const reason = `${headerOf(fields, 'lead_uuid')} ${whyNoKey({ kind: 'email' }, recipient)}: write the address of one contact, and nothing else`;
    return addProblem(draft, row, 'refused', 'I8', reason);
  }
  if (id === undefined && !input.isDryRun) waitForId(draft, row);
  else draft.queue.push({ id, row, values, said, message, recipient });
}

/** P7: the row still says yes. It is not sent until a run has seen it without. */
function reportCancelled(draft: Draft, row: OutboxRow, id: string, { at }: Message): void {
  noteWhatItSays(draft, row, id);
  const text = `cancelled ${instantText(at)}: not sent`;
  addSilentProblem(draft, row, 'P7', text, 'ignored');
  draft.texts.set(row.number, text);
}

/** P2: a row is sent only once its ID stands in it. */
export function waitForId(draft: Draft, row: OutboxRow): void {
  draft.pending += 1;
  addSilentProblem(draft, row, 'P1', 'is tried in the next run');
}

/** P2: why row `id` is not sent: it says the same as `twin`. `digest`: the digest that both share. */
export function sameAs(
  { input }: Draft,
  twin: string,
  { id, digest }: { readonly id: string | undefined; readonly digest: string },
): string {
  const message = input.messages.get(twin);
  const what = message ? whichOf(message, digest) : 'another row that is sent now';
  const again = id === undefined ? '' : `, or say leadsheet retry ${id} --yes`;
  return `looks the same as ${what}: change it${again}`;
}

function whichOf(message: Message, digest: string): string {
  const isLast = digest === message.said || digest === message.key;
  if (isDone(message) && isLast) {
    return `the message of ${instantText(message.at)}${message.state === 'sent' ? '' : ', whose outcome is unknown'}`;
  }
  // Something else may have been sent under that ID since, at another time.
  return message.before?.includes(digest)
    ? 'a message that was sent before, or may have been'
    : 'another row that is sent now';
}

/** The earlier sending, which a cancel of the new try restores. */
function sentBefore(message: Message): Pick<Message, 'was'> {
  const { state, at, run, said, key, uuid, delivery, was } = message;
  if (!isDone(message)) return was ? { was } : {};
  const last: SentBefore = {
    state,
    at,
    run,
    said,
    ...(key !== undefined && { key }),
    ...(uuid !== undefined && { uuid }),
    ...(delivery !== undefined && { delivery }),
  };
  return { was: last };
}

interface Renewal {
  /** Digest of what the row says now. */
  readonly said: string;
  readonly now: number;
  readonly isRetried: boolean;
  /** Although it was sent, or may have been. */
  readonly isAgain: boolean;
  /** Undefined: the row names nobody. */
  readonly recipient: string | undefined;
}

/** The entry for the ledger: unchanged, unless the row says something else or a person asked to try again. */
function renewed(before: Message | undefined, { said, now, isRetried, isAgain, recipient }: Renewal): Message {
  const calls = before ? callsOf(before, now) : [];
  const earlier = before ? sentDigests(before) : [];
  const fresh: Message = {
    state: 'waiting',
    at: now,
    run: '',
    said,
    ...(recipient !== undefined && { recipient }),
    ...(calls.length > 0 && { calls }),
    ...(earlier.length > 0 && { before: earlier }),
    ...(before?.uuid !== undefined && { uuid: before.uuid }),
    ...(before?.uuidsBefore && { uuidsBefore: before.uuidsBefore }),
    ...((isAgain || before?.isAgain) && { isAgain: true as const }),
    ...(before && sentBefore(before)),
  };
  if (!before || isRetried || before.said !== said) return fresh;
  if (!before.isWithdrawn) return before;
  // P4, W10: a yes that is typed again has the place of now. What was refused is asked about again when it is time.
  const { isWithdrawn: _over, ...asBefore } = before;
  return before.state === 'waiting' ? fresh : asBefore;
}
