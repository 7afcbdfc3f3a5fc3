// The cells of a row once its message was sent, or may have been (P3, P5).
import { type Message, type OutboxRow } from './message.ts';
import { instantText, sentCells } from './cells.ts';
import { type Draft, addProblem } from './draft.ts';
import { saidOf } from './known.ts';

export function reportOutcome(draft: Draft, row: OutboxRow, id: string, message: Message): void {
  const now = saidNow(draft, row, message);
  noteWhatItSays(draft, row, id, now);
  if (message.state !== 'sent') {
    const reason = `outcome unknown: look in the service, then leadsheet retry ${id} --yes if it is not there`;
    return addProblem(draft, row, 'quarantined', 'P3', reason);
  }
  draft.sent += 1;
  draft.texts.set(row.number, sentText(message, now));
  const cells = sentCells(row, message);
  if (cells.length > 0) {
    const about = { side: 'sheet', op: 'set', uuid: message.to ?? null, row: row.number } as const;
    draft.sets.push({ ...about, fields: cells, rule: 'P5', reason: 'what became of it' });
  }
}

/** The digest of what the row says; undefined: it cannot be compared with what was sent. */
function saidNow({ input }: Draft, row: OutboxRow, { said }: Message): string | undefined {
  return said === '' || input.missing.length > 0 ? undefined : saidOf(input, row);
}

/** A page asks no spreadsheet: before a message is sent again, the ledger says whether its row was edited since. */
function noteWhatItSays(draft: Draft, row: OutboxRow, id: string, now: string | undefined): void {
  const { input, keepers, doubted } = draft;
  const entry = draft.messages.get(id) ?? input.messages.get(id);
  // A copy says nothing of the message.
  if (!entry || now === undefined || keepers.get(id) !== row || doubted.has(id)) return;
  const { saysNow: before, ...rest } = entry;
  const saysNow = now === entry.said ? undefined : now;
  if (saysNow === before) return;
  draft.messages.set(id, { ...rest, ...(saysNow !== undefined && { saysNow }) });
}

function sentText({ said, at, delivery = '' }: Message, now: string | undefined): string {
  const isChanged = now !== undefined && now !== said;
  const status = delivery === '' ? '' : `, ${delivery}`;
  return `sent ${instantText(at)}${status}${isChanged ? '; changed since, not sent again' : ''}`;
}
