// The cells of a row once its message was sent, or may have been (P3, P5).
import { type Message, type OutboxRow } from './message.ts';
import { instantText, sentCells } from './cells.ts';
import { type Draft, addProblem } from './draft.ts';
import { saidOf } from './known.ts';

export function reportOutcome(draft: Draft, row: OutboxRow, id: string, message: Message): void {
  if (message.state !== 'sent') {
    const reason = `outcome unknown: look in the service, then leadsheet retry ${id} --yes if it is not there`;
    return addProblem(draft, row, 'quarantined', 'P3', reason);
  }
  draft.sent += 1;
  draft.texts.set(row.number, sentText(draft, row, message));
  const cells = sentCells(row, message);
  if (cells.length > 0) {
    const about = { side: 'sheet', op: 'set', uuid: message.to ?? null, row: row.number } as const;
    draft.sets.push({ ...about, fields: cells, rule: 'P5', reason: 'what became of it' });
  }
}

function sentText({ input }: Draft, row: OutboxRow, { said, at, delivery = '' }: Message): string {
  const isChanged = said !== '' && input.missing.length === 0 && saidOf(input, row) !== said;
  const status = delivery === '' ? '' : `, ${delivery}`;
  return `sent ${instantText(at)}${status}${isChanged ? '; changed since, not sent again' : ''}`;
}
