// Rows of an outbox as plain data, and what their plan says.
import type { Message, OutboxRow } from '../../src/sync/outbox/message.ts';
import { type OutboxPlan, planOutbox } from '../../src/sync/outbox/outbox.ts';
import type { OutboxInput } from '../../src/sync/outbox/input.ts';

export const now = Date.parse('2026-11-21T09:00:00Z');
export const hourMs = 3_600_000;
export const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
export const ann = idOf(900);
export const sales = idOf(800);

/** Says yes, to Ann, under an ID of its own. */
export function row(number: number, parts: Partial<OutboxRow> & { readonly text?: string } = {}): OutboxRow {
  const { text = `text ${number}`, ...rest } = parts;
  const blank = { uuid: null, sentAt: null, delivery: null, isSendFormula: false };
  return { number, id: idOf(number), cells: [ann, 'Sales', text], send: 'yes', ...blank, ...rest };
}

/** The ledger has the IDs of the rows, and nothing was sent. The digest of a text is the text itself. */
export function input(rows: readonly OutboxRow[], more: Partial<OutboxInput> = {}): OutboxInput {
  return {
    kind: 'network_messages',
    fields: ['lead_uuid', 'sender_profile_uuid', 'text'].map((name) => ({ name, header: name, isList: false })),
    headers: { send: 'Send', uuid: 'Message', sentAt: 'Sent at' },
    rows,
    missing: [],
    messages: new Map(rows.map(({ id, number }) => [id, { state: 'waiting', at: now - number, run: '', said: '' }])),
    isTrusted: true,
    retried: new Map(),
    edited: new Set(),
    approved: 0,
    answers: {
      senders: [{ uuid: sales, names: ['Sales'], isEnabled: true }],
      recipients: new Map([[ann, { kind: 'here', uuid: ann, name: 'Ann' }]]),
    },
    perHour: 100,
    batchMax: 100,
    tried: new Map(),
    now,
    isDryRun: false,
    digest: (text) => text,
    nearest: () => undefined,
    ...more,
  };
}

/** A person asks to try this row again. `said`: what they saw in it. */
export function retriedBy(number: number, isSure: boolean, said?: string): OutboxInput['retried'] {
  return new Map([[idOf(number), [{ key: `request ${number}`, isSure, ...(said !== undefined && { said }) }]]]);
}

export const dueOf = (given: OutboxInput) => planOutbox(given).due.map(({ row: number }) => number);

/** The text of which the digest of a row is made. */
export function saidBy(text: string, to = ann, from = 'Sales'): string {
  return JSON.stringify([
    ['lead_uuid', to],
    ['sender_profile_uuid', from],
    ['text', text],
  ]);
}

/** An entry of the ledger: sent now, as message 70, unless a case says otherwise. */
export function sent(more: Partial<Message> = {}): Message {
  return { state: 'sent', at: now, run: 'r', said: '', uuid: idOf(70), ...more };
}

export function waiting(more: Partial<Message> = {}): Message {
  return { state: 'waiting', at: now - 9000, run: '', said: '', ...more };
}

/** The plan of rows, and the entries of the ledger by row number. */
export function planOf(
  rows: readonly OutboxRow[],
  ledger: Readonly<Record<number, Message>>,
  more: Partial<OutboxInput> = {},
): OutboxPlan {
  const messages = new Map(Object.entries(ledger).map(([number, message]) => [idOf(Number(number)), message]));
  return planOutbox(input(rows, { messages, ...more }));
}

/** [status of the row, rows that are sent]; null: the row keeps its status. */
export function saysOf(plan: OutboxPlan, number = 1): readonly [string | null, readonly number[]] {
  return [plan.statuses.get(number) ?? null, plan.due.map((due) => due.row)];
}
