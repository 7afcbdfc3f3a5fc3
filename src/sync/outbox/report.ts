// The cells of a row once its message was sent, or may have been (P3, P5).
import { type Message, type OutboxRow, readSend } from './message.ts';
import { instantText, sentCells, textOf } from './cells.ts';
import { type Draft, addProblem } from './draft.ts';
import { isDone, saidOf } from './known.ts';

export function reportOutcome(draft: Draft, row: OutboxRow, id: string, message: Message): void {
  noteWhatItSays(draft, row, id);
  const isSent = message.state === 'sent';
  const toRead = 'the row was edited since a person asked to send it again: read it, then';
  if (draft.edited.has(id)) {
    const reason = isSent
      ? `not sent again: ${toRead} leadsheet retry ${id} --yes if it is still to be sent`
      : `outcome unknown, and not sent again: ${toRead} look in the service, then leadsheet retry ${id} --yes if it is not there`;
    addProblem(draft, row, 'quarantined', isSent ? 'P5' : 'P3', reason);
  } else if (!isSent) {
    const reason = `outcome unknown: look in the service, then leadsheet retry ${id} --yes if it is not there`;
    addProblem(draft, row, 'quarantined', 'P3', reason);
  }
  if (!isSent) return;
  draft.sent += 1;
  draft.texts.set(row.number, sentText(message, saidNow(draft, row, message)));
  const cells = sentCells(row, message);
  if (cells.length > 0) {
    const about = { side: 'sheet', op: 'set', uuid: message.to ?? null, row: row.number } as const;
    draft.sets.push({ ...about, fields: cells, rule: 'P5', reason: 'what became of it' });
  }
}

/** P3: whether the row was told that nobody knows what came of its call. The sentence names the ID, so that a copy's is another's. */
export function saysUnknown(row: OutboxRow): boolean {
  return unknownIdIn(row) === row.id;
}

/** P3: the ID of the message of which the row says so. */
export function unknownIdIn({ status }: OutboxRow): string | undefined {
  const text = textOf(status);
  const at = text.lastIndexOf(retryCommand);
  if (at < 0 || !text.slice(0, at).includes('outcome unknown')) return undefined;
  const [id, ...rest] = text.slice(at + retryCommand.length).split(' ');
  return rest.length > 0 ? id : undefined;
}

const retryCommand = ' leadsheet retry ';

/** The digest of what the row says; undefined: it cannot be compared with what was sent. */
function saidNow({ input }: Draft, row: OutboxRow, { said }: Message): string | undefined {
  return said === '' || input.missing.length > 0 ? undefined : saidOf(input, row);
}

/**
 * A page asks no spreadsheet: before a message is sent again, the ledger says whether its row was edited since. Of one that was sent, it
 * says too whether its yes is gone (P8).
 */
export function noteWhatItSays(draft: Draft, row: OutboxRow, id: string): void {
  const { input, keepers, doubted } = draft;
  const entry = draft.messages.get(id) ?? input.messages.get(id);
  // A copy says nothing of the message.
  if (!entry || input.missing.length > 0 || keepers.get(id) !== row || doubted.has(id)) return;
  const now = saidOf(input, row);
  const { saysNow: before, isWithdrawn: wasWithdrawn, ...rest } = entry;
  const saysNow = now === entry.said ? undefined : now;
  // P8: as long as words that moved wait, what they left stays noted as it was.
  const isNoted = isDone(entry) && draft.moved.size === 0;
  const isWithdrawn = isNoted ? readSend(row) !== 'yes' : wasWithdrawn === true;
  if (saysNow === before && isWithdrawn === (wasWithdrawn === true)) return;
  draft.messages.set(id, { ...rest, ...(saysNow !== undefined && { saysNow }), ...(isWithdrawn && { isWithdrawn }) });
}

function sentText({ said, at, delivery = '' }: Message, now: string | undefined): string {
  const isChanged = now !== undefined && now !== said;
  const status = delivery === '' ? '' : `, ${delivery}`;
  return `sent ${instantText(at)}${status}${isChanged ? '; changed since, not sent again' : ''}`;
}
