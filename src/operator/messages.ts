// Pages of the ledgers of outboxes: what is sent, waits or is unknown, and how much of each cap is used.
import type { OutboxConfig } from '../config/config.ts';
import { readStanding, type Standing } from '../engine/standing.ts';
import { callsOf, type Message } from '../sync/outbox/message.ts';
import type { MessageAnswer, MessagesPageAnswer } from './answers/ledgers.ts';
import { cancelWaits } from './decide.ts';
import { countBy } from './enrolments.ts';
import { explainMessage, noYes, type OpenMessage, openMessages } from './explain/others.ts';
import type { Operator } from './operator.ts';
import { type PageQuery, pageOf } from './paging.ts';
import { rowsById } from './rows-by-id.ts';
import { selectAll } from './select.ts';

/** A filter that is left out selects everything. */
export interface MessageFilter {
  readonly outbox?: string | undefined;
  readonly state?: MessageAnswer['state'] | undefined;
}

/** One page of messages, the latest first. Throws OperatorError, also if the cursor is not one of this list, and StateError. */
export async function readMessagesPage(
  { config, store, now }: Operator,
  { outbox, state }: MessageFilter,
  page: PageQuery,
): Promise<MessagesPageAnswer> {
  const names = selectAll(config, outbox === undefined ? [] : [outbox]);
  const all: MessageAnswer[] = [];
  const outboxes: MessagesPageAnswer['outboxes'] = [];
  for (const job of config.outboxes) {
    if (!names.includes(job.name)) continue;
    const of = store.sync(job.name);
    const standing = await readStanding(of);
    outboxes.push(outboxOf(job, standing, now()));
    all.push(...messagesOf(job.name, standing, await of.readRows()));
  }
  const meant = all.filter((message) => state === undefined || message.state === state);
  const place = ({ time, job, id }: MessageAnswer) => [-Date.parse(time), job, id];
  const { items, next, previous } = pageOf('messages', meant, place, page);
  return { outboxes, messages: [...items], total: meant.length, next, previous };
}

function outboxOf(
  { name, resource, sendsPerHour }: OutboxConfig,
  { messages, held }: Standing,
  now: number,
): MessagesPageAnswer['outboxes'][number] {
  const all = [...messages.values()];
  const used = all.reduce((sum, message) => sum + callsOf(message, now).length, 0);
  return {
    name,
    resource,
    cap: { per_hour: sendsPerHour, used, left: Math.max(0, sendsPerHour - used) },
    counts: countBy(all),
    held_run: held?.run ?? null,
  };
}

function whyWaits({ isWithdrawn }: Message, { problem, request }: OpenMessage): string | null {
  if (request?.kind === 'cancel') return cancelWaits;
  return isWithdrawn ? noYes : (problem?.reason ?? null);
}

function messagesOf(
  job: string,
  standing: Standing,
  idByRow: ReadonlyMap<number, string> = new Map(),
): readonly MessageAnswer[] {
  const { messages, lastRun } = standing;
  const rowById = rowsById(idByRow, lastRun?.problems);
  const openOf = openMessages(standing);
  return [...messages].map(([id, message]) => {
    const open = openOf(id);
    const { problem } = open;
    const { state, time, run, delivery, message: refusal, remedies } = explainMessage(job, id, null, message, open);
    return {
      job,
      id,
      row: rowById.get(id) ?? problem?.row ?? null,
      state,
      time,
      run,
      contact: message.to ?? null,
      person: message.name ?? null,
      delivery,
      message: refusal,
      waits: state === 'waiting' ? whyWaits(message, open) : null,
      remedies,
    };
  });
}
