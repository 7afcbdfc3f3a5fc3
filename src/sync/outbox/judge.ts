// P4: judges sender, contact and content of a row by the answers of the service.
import type { Change, FieldChange } from '../change.ts';
import { contentText, type Message, type OutboxRow } from './message.ts';
import { type Draft, addProblem, type Wish } from './draft.ts';
import type { OutboxInput, Sender } from './input.ts';
import { type Payload, payloadOf, textIn } from './payload.ts';
import { sameAs } from './wish.ts';
import type { RuleId } from '../rules.ts';
import { normalText } from '../value/same.ts';

/** A row that is to be sent, with all that the call needs. */
export interface Due {
  readonly id: string;
  readonly row: number;
  readonly payload: Payload;
  /** The entry of the ledger. */
  readonly message: Message;
  readonly said: string;
  readonly key: string;
  readonly change: Change & { readonly op: 'send' };
}

export type Verdict = { readonly kind: 'due'; readonly due: Due } | { readonly kind: 'unanswered' | 'refused' };

/**
 * A refusal may end because of a change elsewhere that the service does not report: it is asked again after this time.
 */
const askAgainMs = 3_600_000;

/** `taken`: the IDs of the rows that are sent now, by `Due.key`. */
export function judgeByService(draft: Draft, each: Wish, taken: ReadonlyMap<string, string>): Verdict {
  const { input, known } = draft;
  const { row, values, recipient, message } = each;
  const answer = input.answers.recipients.get(recipient);
  const { senders } = input.answers;
  if (!answer || !senders) return { kind: 'unanswered' };
  const sender = senderCalled(input, textIn(input.fields, 'sender_profile_uuid', values), senders);
  if (typeof sender === 'string') return refuse(draft, each, 'P4', sender);
  if (answer.kind === 'none') return refuse(draft, each, 'P4', 'the contact does not exist');
  const payload = payloadOf(input.fields, values, answer.uuid, sender.uuid);
  const key = input.digest(contentText(answer.uuid, payload));
  const others = [taken.get(key) ?? [], known.idsBySent.get(key) ?? []].flat();
  const twin = message.isAgain ? undefined : others.find((other) => other !== each.id);
  if (twin !== undefined)
    return refuse(draft, each, 'P2', sameAs(draft, twin, { id: each.id, digest: key }), answer.name);
  const due: Due = {
    id: each.id ?? `row:${row.number}`,
    row: row.number,
    payload,
    message: { ...message, to: answer.uuid, name: answer.name },
    said: each.said,
    key,
    change: sendChange(input, row, payload, answer, sender),
  };
  return { kind: 'due', due };
}

/** Stored, so that the service is not asked the same in every run. */
function refuse(draft: Draft, { id, row, message, said }: Wish, rule: RuleId, reason: string, name?: string): Verdict {
  const retryAt = draft.input.now + askAgainMs;
  addProblem(draft, row, 'refused', rule, reason, id === undefined ? undefined : retryAt);
  if (id === undefined) return { kind: 'refused' };
  const { calls, uuid, before, uuidsBefore, was, recipient, isAgain } = message;
  const kept = {
    // P3: once the refusal has ended, it is sent as it was asked for.
    ...(isAgain && { isAgain }),
    ...(before && { before }),
    ...(calls && { calls }),
    ...(uuid !== undefined && { uuid }),
    ...(uuidsBefore && { uuidsBefore }),
    ...(was && { was }),
    ...(recipient !== undefined && { recipient }),
    ...(name !== undefined && { name }),
  };
  draft.messages.set(id, {
    state: 'refused',
    at: message.at,
    run: '',
    said,
    message: reason,
    rule,
    retryAt,
    ...kept,
  });
  return { kind: 'refused' };
}

/** A string: why no sender is named. */
function senderCalled(input: OutboxInput, text: string, senders: readonly Sender[]): Sender | string {
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

function sendChange(
  { headers }: OutboxInput,
  { number }: OutboxRow,
  payload: Payload,
  to: { readonly uuid: string; readonly name: string },
  from: Sender,
): Due['change'] {
  const why = { rule: 'P1', reason: `${headers.send} says yes` } as const;
  const parts = Object.entries(payload).map(([field, value]): FieldChange => {
    const after = typeof value === 'string' ? value : value.join(', ');
    return { field, before: null, after, ...why };
  });
  const people = { to: to.name, from: from.names[0] ?? from.uuid };
  return { side: 'crm', op: 'send', uuid: to.uuid, row: number, fields: parts, ...people, ...why };
}
