// Finds out what happened to messages that were sent, and to calls of unknown outcome.
import { AuthenticationError, ServiceError } from '../../crm/errors.ts';
import { type Change, type Problem, problem } from '../../sync/change.ts';
import { changeLines } from '../history.ts';
import { incomplete } from '../incomplete.ts';
import { askDeliveries } from './ask.ts';
import type { OutboxRun, OutboxTab } from './context.ts';
import { inTab } from './input.ts';
import { asUnknown, type OutboxBook } from './ledger.ts';

/** P3, L12: a call that an earlier run began, without a stored outcome, has an unknown outcome. */
export async function recoverUnknown(context: OutboxRun, book: OutboxBook): Promise<void> {
  const unknown = asUnknown(book.messages);
  if (unknown.size === 0) return;
  const lines = [...unknown.values()].flatMap(({ run, to = null }) =>
    changeLines({ ...context, run }, lateChange(to, 'begun by a run that ended'), {
      kind: 'unknown',
      message: 'the run ended before the outcome was known',
    }),
  );
  await book.settle(unknown, lines);
}

/** P5: reads statuses, and settles unknown outcomes. A failed listing does not stop sending. */
export async function seeDeliveries(context: OutboxRun, book: OutboxBook, tab: OutboxTab): Promise<readonly Problem[]> {
  try {
    const { heard, notice } = await askDeliveries(context, inTab(tab, book.messages), book.messages);
    const found = [...heard].filter(([id]) => book.messages.get(id)?.state === 'unknown');
    const lines = found.flatMap(([, { to = null }]) =>
      changeLines(context, lateChange(to, 'found in the listing'), { kind: 'done' }),
    );
    if (lines.length > 0) await book.settle(heard, lines);
    else await book.put(heard);
    return unlisted(notice);
  } catch (error) {
    if (!(error instanceof ServiceError) || error instanceof AuthenticationError) throw error;
    return [problem('failed', {}, 'P5', `statuses could not be read: ${error.message}`)];
  }
}

/** L12: a watched message may be in the part that was not listed. */
export function unlisted(notice: string | undefined): readonly Problem[] {
  return notice === undefined ? [] : [incomplete('deliveries', `statuses may be old: ${notice}`)];
}

/** The history already has the fields of the message. */
function lateChange(uuid: string | null, reason: string): Change {
  return { side: 'crm', op: 'send', uuid, row: null, fields: [], rule: 'P3', reason, to: '', from: '' };
}
